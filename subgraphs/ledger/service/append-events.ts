import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { nextTurn } from '../../../shared/clock/timers.js';
import { type Ids, idLike } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { AppendBatch, type Conflict, type Receipt } from './append-batch.js';
import type { OpenExceptions } from './open-exception.js';
import type { ExceptionDraft } from './ports/exception-store.js';
import type { PreparedEvent } from './prepare-event.js';
import type { TenantContext } from './tenant-context.js';

/** A valid envelope and its place in the request. */
export interface AppendItem {
  readonly index: number;
  readonly envelope: JsonObject;
  /** The effective time is only the time of receipt; see buildRecord. */
  readonly omitTime?: boolean;
  /** Read out of a raw message by this service. */
  readonly fromRaw?: boolean;
}

export interface AppendDeps {
  readonly clock: Clock;
  readonly openExceptions: OpenExceptions;
}

/** Events hashed in one go: the first are being written while the next are hashed, and other requests get a turn. */
export const SLICE_EVENTS = 125;

/**
 * Appends valid envelopes and resolves when ledger and write-once store have them all (evidence.md section 3).
 * Envelopes that came before are answered with their first event. Opens SOURCE_RECORD_CONFLICT for what states a known
 * fact otherwise.
 *
 * @param ids of the request's work, where it has an Idempotency-Key: an event that this work has appended already, before
 *   a crash, is answered as ACCEPTED again.
 * @throws UNAVAILABLE when a write failed; sending again is safe.
 */
export async function appendEvents(
  deps: AppendDeps,
  tenant: TenantContext,
  items: readonly AppendItem[],
  ids?: Ids,
): Promise<ReadonlyMap<number, Receipt>> {
  if (items.length === 0) return new Map();
  const batch = new AppendBatch(items.length);
  // A failure while the rest is still being hashed is reported below, not as an unhandled rejection.
  batch.done.catch(() => {});
  const receivedAt = isoTime(deps.clock.nowMs());
  for (let from = 0; from < items.length; from += SLICE_EVENTS) {
    if (from > 0) await nextTurn();
    enqueueSlice(tenant, batch, items.slice(from, from + SLICE_EVENTS), receivedAt, ids);
  }
  await batch.done;
  if (batch.conflicts.length > 0) await deps.openExceptions(tenant.tenantId, batch.conflicts.map(conflictException));
  return batch.receipts;
}

function enqueueSlice(
  tenant: TenantContext,
  batch: AppendBatch,
  items: readonly AppendItem[],
  receivedAt: string,
  ids: Ids | undefined,
): void {
  const bySource = new Map<string, { event: PreparedEvent; index: number }[]>();
  for (const { index, envelope, omitTime, fromRaw } of items) {
    const prepared = tenant.preparer.prepare(envelope, receivedAt, omitTime === true, ids);
    const event: PreparedEvent = fromRaw === true ? { ...prepared, from_raw: true } : prepared;
    const list = bySource.get(event.source_system);
    if (list) list.push({ event, index });
    else bySource.set(event.source_system, [{ event, index }]);
  }
  for (const [sourceSystem, events] of bySource) tenant.writer(sourceSystem).enqueue(batch, events);
}

const conflictException = ({ receipt, others }: Conflict): ExceptionDraft =>
  conflictDraft(receipt.event_id, receipt.source_system, receipt.sequence, others);

/** Named after its event, so that whoever derives it again opens no second one. */
export const conflictDraft = (
  eventId: string,
  sourceSystem: string,
  sequence: number,
  others: readonly string[],
): ExceptionDraft => ({
  exception_id: idLike('exception', eventId),
  kind: 'SOURCE_RECORD_CONFLICT',
  source: 'INGEST',
  subject: { kind: 'EVENT', id: eventId },
  detail: { source_system: sourceSystem, sequence, conflicts_with: [...others] },
});
