import { isoTime } from '../../../shared/clock/clock.js';
import type { LedgerEventView, MemberEventsAsked } from '../../../shared/contracts/event-reads.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import { withoutHidden } from '../domain/redacted-record.js';
import type { HiddenOfEvent } from './ports/redaction-store.js';
import { type EventSight, recordOf } from './read-events.js';
import type { TenantContext } from './tenant-context.js';

/** An event as other parts of the service judge it; entries of reserved partitions are no events. @throws INTEGRITY_FAILURE */
export async function readEventView(
  tenant: TenantContext,
  sight: EventSight,
  eventId: string,
): Promise<LedgerEventView | null> {
  const row = isIdOf('event', eventId) ? await tenant.ledger.byEventId(eventId) : null;
  if (row === null || isReservedSourceSystem(row.source_system)) return null;
  // Read last: what was hidden while the row was read is not shown.
  const hidden = await sight.redactions.of([eventId]);
  return viewOf(row, hidden.get(eventId), sight);
}

/** Newest first. An event whose member is hidden from the reader is not found by that member. @throws INTEGRITY_FAILURE */
export async function readMemberEventViews(
  tenant: TenantContext,
  sight: EventSight,
  memberId: string,
  { before, limit }: Pick<MemberEventsAsked, 'before' | 'limit'>,
): Promise<LedgerEventView[]> {
  const toMs = before === null ? undefined : instantOf(before);
  const query = { member_id: memberId, limit, ascending: false, ...(toMs === undefined ? {} : { toMs }) };
  const rows = (await tenant.ledger.list(query)).slice(0, limit);
  const hidden = await sight.redactions.of(rows.map(({ event_id }) => event_id));
  return rows
    .filter(({ event_id }) => sight.unredacted || !hidden.get(event_id)?.pointers.includes('/member_id'))
    .map((row) => viewOf(row, hidden.get(row.event_id), sight));
}

function viewOf(row: LedgerRow, hidden: HiddenOfEvent | undefined, { unredacted }: EventSight): LedgerEventView {
  const place = {
    event_id: row.event_id,
    source_system: row.source_system,
    sequence: row._id.seq,
    recorded_at: isoTime(row.recorded_at.getTime()),
    prev_hash: row.prev_hash,
    entry_hash: row.entry_hash,
    redaction_id: hidden?.redaction_id ?? null,
  };
  if (row.record === undefined) return { ...place, ...DISPOSED };
  const { worm_sha256, ...record } = recordOf(row);
  const redacted = hidden !== undefined && !unredacted;
  return {
    ...place,
    ...membersOf(redacted ? withoutHidden(record, hidden.pointers) : record),
    // Without salt, the hash of a record would let its hidden values be guessed.
    worm_sha256: redacted ? null : worm_sha256,
    state: redacted ? 'REDACTED' : 'INCLUDED',
  };
}

const DISPOSED = {
  worm_sha256: null,
  state: 'DISPOSED',
  event_family: null,
  event_type: null,
  member_id: null,
  source_record_id: null,
  effective_at: null,
  outcome: null,
  payload: {},
} as const;

function membersOf(record: JsonObject) {
  const text = (name: string): string | null => (typeof record[name] === 'string' ? record[name] : null);
  const atMs = instantOf(text('event_effective_timestamp') ?? '');
  return {
    event_family: text('event_family'),
    event_type: text('event_type'),
    member_id: text('member_id'),
    source_record_id: text('source_record_id'),
    effective_at: atMs === undefined ? null : isoTime(atMs),
    outcome: text('outcome'),
    payload: isJsonObject(record['payload']) ? record['payload'] : {},
  };
}
