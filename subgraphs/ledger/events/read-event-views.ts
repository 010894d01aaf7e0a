import { isoTime } from '../../../shared/clock/clock.js';
import type { LedgerEventView, MemberEventsAsked } from '../../../shared/contracts/event-reads.js';
import { withoutHidden } from '../../../shared/evidence/without-hidden.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { TenantContext } from '../append/index.js';
import type { HiddenOfEvent } from '../redactions/index.js';
import type { RowProof } from '../row-proofs/index.js';
import { type EventSight, recordOf } from './read-events.js';

/**
 * Returns an event for other subgraphs; entries of reserved partitions are not events.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function readEventView(
  tenant: TenantContext,
  sight: EventSight,
  eventId: string,
): Promise<LedgerEventView | null> {
  const row = isIdOf('event', eventId) ? await tenant.ledger.byEventId(eventId) : null;
  if (row === null || isReservedSourceSystem(row.source_system)) return null;
  const [proof] = await sight.rowProofs(tenant, [row]);
  return proof === undefined ? null : viewOf(row, proof, sight);
}

/**
 * Lists events newest first, without disposed ones. A redacted member id does not find its event.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function readMemberEventViews(
  tenant: TenantContext,
  sight: EventSight,
  memberId: string,
  { before, limit }: Pick<MemberEventsAsked, 'before' | 'limit'>,
): Promise<LedgerEventView[]> {
  const toMs = before === null ? undefined : instantOf(before);
  const query = { member_id: memberId, limit, ascending: false, ...(toMs === undefined ? {} : { toMs }) };
  const rows = (await tenant.ledger.list(query)).slice(0, limit);
  const proofs = await sight.rowProofs(tenant, rows);
  return rows.flatMap((row, i) => {
    const proof = proofs[i];
    if (!proof || proof.disposalId !== null) return [];
    const isFound = sight.unredacted || proof.hidden?.pointers.includes('/member_id') !== true;
    return isFound ? [viewOf(row, proof, sight)] : [];
  });
}

/**
 * Lists the newest events of the tenant, without reserved partitions and disposed events.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function readNewestEventViews(
  tenant: TenantContext,
  sight: EventSight,
  limit: number,
): Promise<LedgerEventView[]> {
  const rows = (await tenant.ledger.list({ limit, ascending: false })).slice(0, limit);
  const proofs = await sight.rowProofs(tenant, rows);
  return rows.flatMap((row, i) => {
    const proof = proofs[i];
    return proof && proof.disposalId === null ? [viewOf(row, proof, sight)] : [];
  });
}

function viewOf(row: LedgerRow, { hidden, disposalId }: RowProof, { unredacted }: EventSight): LedgerEventView {
  // Verified first: nothing of an altered row is read.
  const content = disposalId === null ? contentView(row, hidden, unredacted) : DISPOSED;
  return {
    event_id: row.event_id,
    source_system: row.source_system,
    sequence: row._id.seq,
    recorded_at: isoTime(row.recorded_at.getTime()),
    prev_hash: row.prev_hash,
    entry_hash: row.entry_hash,
    redaction_id: hidden?.redaction_id ?? null,
    ...content,
  };
}

function contentView(row: LedgerRow, hidden: HiddenOfEvent | null, unredacted: boolean) {
  const { worm_sha256, ...record } = recordOf(row);
  const redacted = hidden !== null && !unredacted;
  return {
    ...membersOf(redacted ? withoutHidden(record, hidden.pointers) : record),
    // The hash of a record has no salt, so that it would let readers guess its hidden values.
    worm_sha256: redacted ? null : worm_sha256,
    state: redacted ? ('REDACTED' as const) : ('INCLUDED' as const),
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
