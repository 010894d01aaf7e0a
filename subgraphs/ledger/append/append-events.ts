import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { nextTurn } from '../../../shared/clock/timers.js';
import { type Ids, idLike } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { ExceptionDraft, OpenExceptions } from '../exceptions/index.js';
import { AppendBatch, type Conflict, type Receipt } from './append-batch.js';
import type { PreparedEvent } from './prepare-event.js';
import type { TenantContext } from './tenant-context.js';

/** A valid envelope and its place in the request. */
export interface AppendItem {
  readonly index: number;
  readonly envelope: JsonObject;
  /** The effective time is only the time of receipt; see buildRecord. */
  readonly omitTime?: boolean;
  /** This service read the event from a raw message. */
  readonly fromRaw?: boolean;
  /** Source of its identifiers; the process's source by default. */
  readonly ids?: Ids;
}

export interface AppendDeps {
  readonly clock: Clock;
  readonly openExceptions: OpenExceptions;
}

/** Events hashed at once: the first are written while the next are hashed, and other requests run in between. */
export const SLICE_EVENTS = 125;

/**
 * Appends valid envelopes; resolves when ledger and write-once store hold all of them (evidence.md section 3). A
 * repeated envelope is answered with its first event. An event that contradicts a known fact opens
 * SOURCE_RECORD_CONFLICT.
 *
 * @param ids ids of the request's work, if it has an Idempotency-Key: an event that this work appended before a crash
 * is answered as ACCEPTED again.
 * @throws UNAVAILABLE if a write failed; the caller may safely retry.
 */
export async function appendEvents(
  deps: AppendDeps,
  tenant: TenantContext,
  items: readonly AppendItem[],
  ids?: Ids,
): Promise<ReadonlyMap<number, Receipt>> {
  if (items.length === 0) return new Map();
  const batch = new AppendBatch(items.length);
  // A failure while later slices are hashed is reported below, not as an unhandled rejection.
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
  for (const { index, envelope, omitTime, fromRaw, ids: own } of items) {
    const prepared = tenant.preparer.prepare(envelope, receivedAt, omitTime === true, own ?? ids);
    const event: PreparedEvent = fromRaw === true ? { ...prepared, from_raw: true } : prepared;
    const list = bySource.get(event.source_system);
    if (list) list.push({ event, index });
    else bySource.set(event.source_system, [{ event, index }]);
  }
  for (const [sourceSystem, events] of bySource) tenant.writer(sourceSystem).enqueue(batch, events);
}

const conflictException = ({ receipt, others }: Conflict): ExceptionDraft =>
  conflictDraft(receipt.event_id, receipt.source_system, receipt.sequence, others);

/** Named after its event, so that deriving it again opens no second exception. */
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
