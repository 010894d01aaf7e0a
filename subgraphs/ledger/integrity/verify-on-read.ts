import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Custody, CustodyActor } from '../../../shared/contracts/custody.js';
import { custodyActorOf } from '../../../shared/custody/custody-entry.js';
import { Problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { shortText } from '../../../shared/json/short-text.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { OpenExceptions } from '../exceptions/index.js';
import { brokenChain } from './scrub-findings.js';
import { numberOf } from './verify-state.js';

/** The comparison of an entry hash with the newest signed tree. */
export const WITH_TREE = 'the entry with the signed tree and its neighbours';

/** A read met a record that differs from its hash. */
export class DamagedEntry extends Problem {
  readonly row: Pick<LedgerRow, '_id' | 'event_id'>;
  /** The compared values, for the exception. */
  readonly compared: string;

  constructor({ _id, event_id }: Pick<LedgerRow, '_id' | 'event_id'>, compared = 'the record with its hash') {
    // The row may hold values of any type.
    const place = { tenant_id: shortText(_id?.tenant_id), source_system: shortText(_id?.source_system) };
    const id = shortText(event_id);
    super('INTEGRITY_FAILURE', { internal: `ledger record of ${id} does not match its hash` });
    this.row = { _id: { ...place, seq: numberOf(_id?.seq) }, event_id: id };
    this.compared = compared;
  }
}

export interface DamageDeps {
  readonly clock: Clock;
  readonly openExceptions: OpenExceptions;
  readonly custody: Custody;
}

/** The reader of the record. */
interface Reader {
  readonly tenantId: TenantId;
  readonly actor: CustodyActor;
  readonly requestId: string;
}

export const readerOf = (context: RequestContext, tenantId: TenantId): Reader => ({
  tenantId,
  actor: custodyActorOf(context),
  requestId: context.requestId,
});

/**
 * Records damage that a read meets in custody and opens an exception before it reports the failure: nothing is repaired
 * silently (evidence.md section 4).
 */
export async function reportingDamage<T>(deps: DamageDeps, reader: Reader, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DamagedEntry) await report(deps, reader, error);
    throw error;
  }
}

async function report(
  deps: DamageDeps,
  { tenantId, actor, requestId }: Reader,
  { row: { _id, event_id }, compared }: DamagedEntry,
) {
  const place = { sourceSystem: _id.source_system, sequence: _id.seq, eventId: event_id };
  await deps.openExceptions(tenantId, [brokenChain(place, compared)]);
  await deps.custody.record(tenantId, [
    {
      action: 'INTEGRITY_FAILURE',
      subject: { kind: 'EVENT', id: event_id },
      actor,
      at: isoTime(deps.clock.nowMs()),
      request_id: requestId,
      detail: { found: 'CHAIN_BREAK' },
    },
  ]);
}
