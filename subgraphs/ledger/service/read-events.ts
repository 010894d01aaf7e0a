import { isoTime } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { DEFAULT_PAGE_LIMIT, decodeCursor, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { EventQuery } from './ports/ledger-store.js';
import type { TenantContext } from './tenant-context.js';

/** The members of R, flat, and the event's place in the ledger (api.md section 2). */
export type EventView = JsonObject & {
  readonly event_id: string;
  readonly sequence: number;
  readonly recorded_at: string;
  readonly prev_hash: string;
  readonly entry_hash: string;
  readonly worm_sha256: string;
  /** Assigned with the tenant's tree, which is not built yet. */
  readonly tree_index: null;
  readonly state: 'INCLUDED';
};

export interface EventListInput {
  readonly member_id?: string;
  readonly source_system?: string;
  readonly source_record_id?: string;
  readonly event_family?: string;
  readonly event_type?: string;
  readonly outcome?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly order?: 'asc' | 'desc';
}

/** An event of the tenant, or null: another tenant's event does not exist here. @throws INTEGRITY_FAILURE */
export async function readEvent(tenant: TenantContext, eventId: string): Promise<EventView | null> {
  if (!isIdOf('event', eventId)) return null;
  const row = await tenant.ledger.byEventId(eventId);
  return row && eventView(row);
}

/** Events by (effective time, id), newest first unless told. @throws VALIDATION_ERROR, INTEGRITY_FAILURE */
export async function listEvents(tenant: TenantContext, input: EventListInput): Promise<Page<EventView>> {
  const query = queryOf(input);
  const rows = await tenant.ledger.list(query);
  const page = pageOf(rows, query.limit, (row) => ({
    atMs: row.query?.effective_at.getTime() ?? 0,
    id: row.event_id,
  }));
  return { items: page.items.map(eventView), next_cursor: page.next_cursor };
}

function queryOf(input: EventListInput): EventQuery {
  const { from, to, limit = DEFAULT_PAGE_LIMIT, cursor, order, ...filters } = input;
  const faults: FieldFault[] = [];
  const fromMs = timeOf('/from', from, faults);
  const toMs = timeOf('/to', to, faults);
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  return {
    ...filters,
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
    ...(cursor === undefined ? {} : { after: decodeCursor(cursor) }),
    limit,
    ascending: order === 'asc',
  };
}

function timeOf(path: string, text: string | undefined, faults: FieldFault[]): number | undefined {
  if (text === undefined) return undefined;
  const instant = instantOf(text);
  if (instant === undefined) faults.push(fault(path, 'format', 'Must be an RFC 3339 time with a zone.'));
  return instant;
}

/** What leaves the ledger is what was recorded: the record is hashed again on every read. */
function eventView(row: LedgerRow): EventView {
  const { record, worm_sha256 } = row;
  if (record === undefined || worm_sha256 === undefined) throw problem('DISPOSED');
  if (sha256Hex(record) !== worm_sha256) {
    throw problem('INTEGRITY_FAILURE', { internal: `ledger record of ${row.event_id} does not match its hash` });
  }
  return {
    ...(JSON.parse(record.toString('utf8')) as JsonObject),
    event_id: row.event_id,
    sequence: row._id.seq,
    recorded_at: isoTime(row.recorded_at.getTime()),
    prev_hash: row.prev_hash,
    entry_hash: row.entry_hash,
    worm_sha256,
    tree_index: null,
    state: 'INCLUDED',
  };
}
