import { isoTime } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import type { Header } from '../../../shared/evidence/chain.js';
import { redactedLine } from '../../../shared/evidence/redacted-line.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { DEFAULT_PAGE_LIMIT, decodeCursor, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import { withoutHidden } from '../domain/redacted-record.js';
import type { EventQuery } from './ports/ledger-store.js';
import type { HiddenOfEvent, TenantRedactions } from './ports/redaction-store.js';
import type { TenantContext } from './tenant-context.js';
import { DamagedEntry } from './verify-on-read.js';

/** The members of R, flat, and the event's place in the ledger (api.md section 2). */
export type EventView = JsonObject & {
  readonly event_id: string;
  readonly sequence: number;
  readonly recorded_at: string;
  readonly prev_hash: string;
  readonly entry_hash: string;
  /** Absent in a rendition: without salt, it would let values be guessed (evidence.md section 2). */
  readonly worm_sha256?: string;
  /** Null for the seconds until it is assigned. */
  readonly tree_index: number | null;
  readonly state: 'INCLUDED' | 'REDACTED';
  /** Of one that is read by itself: what proves the fields that are shown (evidence.md section 2 "Redacted line"). */
  readonly rendition?: JsonObject;
  /** Of an event that has been redacted, for every reader. */
  readonly redaction_id?: string;
};

/** What a reader may see. */
export interface EventSight {
  readonly redactions: TenantRedactions;
  /** Holds `documents:unredacted`: sees records whole. */
  readonly unredacted: boolean;
}

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
export async function readEvent(tenant: TenantContext, sight: EventSight, eventId: string): Promise<EventView | null> {
  if (!isIdOf('event', eventId)) return null;
  const row = await tenant.ledger.byEventId(eventId);
  if (!row) return null;
  const [view] = await viewsOf(tenant, sight, [row]);
  if (view?.state !== 'REDACTED') return view ?? null;
  const hidden = (await sight.redactions.of([eventId])).get(eventId);
  return hidden === undefined ? view : { ...view, rendition: renditionOf(row, hidden) };
}

/** Events by (effective time, id), newest first unless told. @throws VALIDATION_ERROR, INTEGRITY_FAILURE */
export async function listEvents(
  tenant: TenantContext,
  sight: EventSight,
  input: EventListInput,
): Promise<Page<EventView>> {
  const query = queryOf(input);
  const rows = await tenant.ledger.list(query);
  const page = pageOf(rows, query.limit, (row) => ({
    atMs: row.query?.effective_at.getTime() ?? 0,
    id: row.event_id,
  }));
  return { items: await viewsOf(tenant, sight, page.items, filteredPointers(input)), next_cursor: page.next_cursor };
}

/** Members that a list is narrowed by: an event must not be found by one that its reader may not see. */
const FILTERED = ['member_id', 'source_record_id', 'event_family', 'outcome'] as const;

const filteredPointers = (input: EventListInput): readonly string[] =>
  FILTERED.filter((name) => input[name] !== undefined).map((name) => `/${name}`);

async function viewsOf(
  tenant: TenantContext,
  { redactions, unredacted }: EventSight,
  rows: readonly LedgerRow[],
  foundBy: readonly string[] = [],
): Promise<EventView[]> {
  const places = await placesOf(tenant, rows);
  // Read last: what was hidden while the rest was read is not shown.
  const hidden = await redactions.of(rows.map(({ event_id }) => event_id));
  return rows.flatMap((row) => {
    const own = hidden.get(row.event_id);
    if (own === undefined || unredacted) return [eventView(row, places, own)];
    return foundBy.some((pointer) => own.pointers.includes(pointer)) ? [] : [redactedView(row, places, own)];
  });
}

/** Tree indexes of rows, by chain and sequence. */
type Places = ReadonlyMap<string, ReadonlyMap<number, number>>;

async function placesOf({ tree }: TenantContext, rows: readonly LedgerRow[]): Promise<Places> {
  const sequences = new Map<string, number[]>();
  for (const { _id } of rows) {
    const known = sequences.get(_id.source_system);
    if (known) known.push(_id.seq);
    else sequences.set(_id.source_system, [_id.seq]);
  }
  const found = await Promise.all(
    [...sequences].map(async ([source, of]) => [source, await tree.treeIndexOf(source, of)] as const),
  );
  return new Map(found);
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

/** The members of R. What leaves the ledger is what was recorded: hashed again on every read. @throws DISPOSED, INTEGRITY_FAILURE */
export function recordOf(row: LedgerRow): JsonObject & { readonly worm_sha256: string } {
  const { record, worm_sha256 } = row;
  if (record === undefined || worm_sha256 === undefined) throw problem('DISPOSED');
  if (sha256Hex(record) !== worm_sha256) throw new DamagedEntry(row);
  return { ...(JSON.parse(record.toString('utf8')) as JsonObject), worm_sha256 };
}

function eventView(row: LedgerRow, places: Places, hidden: HiddenOfEvent | undefined): EventView {
  return {
    ...recordOf(row),
    ...placeOf(row, places),
    state: 'INCLUDED',
    ...(hidden === undefined ? {} : { redaction_id: hidden.redaction_id }),
  };
}

/** The redacted line, as it is kept, and the header that its digests lead to. @throws DISPOSED */
function renditionOf(row: LedgerRow, { pointers, redaction_id }: HiddenOfEvent): JsonObject {
  const { record, seed } = row;
  if (record === undefined || seed === undefined) throw problem('DISPOSED');
  const { line } = redactedLine({ record, seed, pointers, redactionId: redaction_id });
  return { line: JSON.parse(line) as JsonObject, header: { ...headerOf(row), v: 1 } };
}

/** What entry_hash covers (evidence.md section 2). */
export const headerOf = (row: LedgerRow): Header => ({
  commit: row.commit,
  event_id: row.event_id,
  fields: row.fields,
  prev: row.prev_hash,
  recorded_at: isoTime(row.recorded_at.getTime()),
  seq: row._id.seq,
  source_system: row.source_system,
  tenant_id: row.tenant_id,
});

function redactedView(row: LedgerRow, places: Places, { pointers, redaction_id }: HiddenOfEvent): EventView {
  const { worm_sha256: _, ...record } = recordOf(row);
  return { ...withoutHidden(record, pointers), ...placeOf(row, places), state: 'REDACTED', redaction_id };
}

const placeOf = (row: LedgerRow, places: Places) => ({
  event_id: row.event_id,
  sequence: row._id.seq,
  recorded_at: isoTime(row.recorded_at.getTime()),
  prev_hash: row.prev_hash,
  entry_hash: row.entry_hash,
  tree_index: places.get(row._id.source_system)?.get(row._id.seq) ?? null,
});
