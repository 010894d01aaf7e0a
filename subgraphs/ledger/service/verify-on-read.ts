import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Custody, CustodyActor } from '../../../shared/contracts/custody.js';
import { custodyActorOf } from '../../../shared/custody/custody-entry.js';
import { Problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { OpenExceptions } from './open-exception.js';
import { brokenChain } from './scrub-findings.js';

/** A record that does not hash to its name was about to be read. */
export class DamagedEntry extends Problem {
  readonly row: Pick<LedgerRow, '_id' | 'event_id'>;

  constructor(row: Pick<LedgerRow, '_id' | 'event_id'>) {
    super('INTEGRITY_FAILURE', { internal: `ledger record of ${row.event_id} does not match its hash` });
    this.row = row;
  }
}

export interface DamageDeps {
  readonly clock: Clock;
  readonly openExceptions: OpenExceptions;
  readonly custody: Custody;
}

/** On whose behalf it was read. */
export interface Reader {
  readonly tenantId: TenantId;
  readonly actor: CustodyActor;
  readonly requestId: string;
}

export const readerOf = (context: RequestContext, tenantId: TenantId): Reader => ({
  tenantId,
  actor: custodyActorOf(context),
  requestId: context.requestId,
});

/** Nothing is silently healed (evidence.md section 4): damage that a read meets stands in custody and before a person, then it is told. */
export async function tellingDamage<T>(deps: DamageDeps, reader: Reader, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DamagedEntry) await tell(deps, reader, error.row);
    throw error;
  }
}

async function tell(deps: DamageDeps, { tenantId, actor, requestId }: Reader, { _id, event_id }: DamagedEntry['row']) {
  const place = { sourceSystem: _id.source_system, sequence: _id.seq, eventId: event_id };
  await deps.openExceptions(tenantId, [brokenChain(place, 'the record with its hash')]);
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
