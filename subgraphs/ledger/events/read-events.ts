import { isoTime } from '../../../shared/clock/clock.js';
import { type FieldFault, problem } from '../../../shared/errors/problem.js';
import {
  type EventKey,
  eventKeysOf,
  familyKey,
  keysOfFilters,
  memberKey,
  outcomeKey,
} from '../../../shared/event-keys/event-keys.js';
import type { Header } from '../../../shared/evidence/chain.js';
import { redactedLine } from '../../../shared/evidence/redacted-line.js';
import { withoutHidden } from '../../../shared/evidence/without-hidden.js';
import { factPayloadOf } from '../../../shared/facts/fact.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { DEFAULT_PAGE_LIMIT, decodeCursor, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { timeArgument } from '../../../shared/time/time-argument.js';
import { contentOf, isAltered, type LedgerRow, malformedField } from '../append/domain/index.js';
import type { EventQuery, TenantContext } from '../append/index.js';
import { spaceOf } from '../event-keys/domain/index.js';
import type { EventKeyStore } from '../event-keys/index.js';
import { DamagedEntry } from '../integrity/index.js';
import type { LedgerPartition } from '../integrity/schema.js';
import type { HiddenOfEvent } from '../redactions/index.js';
import type { RowProof, RowProofs } from '../row-proofs/index.js';
import type { EventFilter, EventRecord } from './schema.js';

/** The members of R, flat, and the event's place in the ledger (api.md section 2). */
export type EventView = JsonObject & {
  readonly event_id: string;
  readonly sequence: number;
  readonly recorded_at: string;
  readonly prev_hash: string;
  readonly entry_hash: string;
  /** Absent in a rendition: the hash has no salt and would let readers guess values (evidence.md section 2). */
  readonly worm_sha256?: string;
  /** Null during the seconds until it is assigned. */
  readonly tree_index: number | null;
  readonly state: 'INCLUDED' | 'REDACTED';
  /** Only in a read of one event: the proof of the fields that are shown (evidence.md section 2 "Redacted line"). */
  readonly rendition?: JsonObject;
  /** Present if the event has been redacted, for every reader. */
  readonly redaction_id?: string;
};

/** The record has the members that the contract of envelopes requires. */
export const recorded = (view: EventView): EventRecord => view as EventView & EventRecord;

/** What a reader may see. */
export interface EventSight {
  readonly rowProofs: RowProofs;
  /** The reader has `documents:unredacted` and sees whole records. */
  readonly unredacted: boolean;
}

/** What a reader of lists needs: the keys find events by what they say. */
export interface ListSight extends EventSight {
  readonly eventKeys: EventKeyStore;
}

export type EventListInput = Omit<EventFilter, 'purpose'>;

/**
 * Returns an event of the tenant, or null; events of other tenants do not exist here.
 *
 * @throws DISPOSED, INTEGRITY_FAILURE
 */
export async function readEvent(tenant: TenantContext, sight: EventSight, eventId: string): Promise<EventView | null> {
  if (!isIdOf('event', eventId)) return null;
  const row = await tenant.ledger.byEventId(eventId);
  if (!row) return null;
  const [proof] = await sight.rowProofs(tenant, [row]);
  if (!proof || proof.disposalId !== null) throw problem('DISPOSED');
  const { hidden } = proof;
  if (hidden === null || sight.unredacted) return eventView(row, proof, sight.unredacted);
  return { ...redactedView(row, proof, hidden), rendition: renditionOf(row, hidden) };
}

/** Rows without a time come before all others: no event happened so early. */
const NO_TIME_MS = -8.64e15;

/**
 * Lists events by (effective time, id), newest first by default, without disposed ones.
 *
 * @throws VALIDATION_ERROR, INTEGRITY_FAILURE
 */
export async function listEvents(
  tenant: TenantContext,
  sight: ListSight,
  input: EventListInput,
): Promise<Page<EventView>> {
  const { keys, ...query } = queryOf(input);
  const { rows, next_cursor } = await pageOfRows(tenant, sight, query, keys);
  for (const row of rows) if (malformedField(row) !== null) throw new DamagedEntry(row);
  return { items: await viewsOf(tenant, sight, rows, filteredPointers(input), keys), next_cursor };
}

interface PageOfRows {
  readonly rows: readonly LedgerRow[];
  readonly next_cursor: string | null;
}

/** The keys lead unless the source record is named: only the ledger finds it, and it has few events. */
async function pageOfRows(
  tenant: TenantContext,
  { eventKeys }: ListSight,
  query: EventQuery,
  keys: readonly EventKey[],
): Promise<PageOfRows> {
  const { limit } = query;
  if (keys.length === 0 || query.source_record_id !== undefined) {
    const page = pageOf(await tenant.ledger.list(query), limit, (row) => ({
      atMs: row.query?.effective_at.getTime() ?? NO_TIME_MS,
      id: row.event_id,
    }));
    return { rows: page.items, next_cursor: page.next_cursor };
  }
  const { member_id, event_family, outcome, source_system } = query;
  const own = eventKeys(tenant.tenantId);
  const all = [
    ...(member_id === undefined ? [] : [memberKey(member_id)]),
    ...keys,
    ...(outcome === undefined ? [] : [outcomeKey(outcome)]),
    ...(event_family === undefined ? [] : [familyKey(event_family)]),
  ];
  const found = await own.find({ ...query, keys: all, space: spaceOf(source_system ?? ''), limit: limit + 1 });
  const page = pageOf(found, limit, ({ effective_at, event_id }) => ({ atMs: effective_at.getTime(), id: event_id }));
  return { rows: await own.rows(page.items), next_cursor: page.next_cursor };
}

/** Pointers of the members that the list filters by: a hidden member must not find its event. */
const FILTERED = ['member_id', 'source_record_id', 'event_family', 'outcome'] as const;

const filteredPointers = (input: EventListInput): readonly string[] =>
  FILTERED.filter((name) => input[name] !== undefined).map((name) => `/${name}`);

/**
 * Returns rows as this reader may see them, without disposed ones.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function viewsOfRows(
  tenant: TenantContext,
  sight: EventSight,
  rows: readonly LedgerRow[],
): Promise<EventView[]> {
  for (const row of rows) if (malformedField(row) !== null) throw new DamagedEntry(row);
  return viewsOf(tenant, sight, rows, [], []);
}

/** The record decides, not the index: an event is listed only if what the reader may see of it has all keys. */
async function viewsOf(
  tenant: TenantContext,
  { rowProofs, unredacted }: EventSight,
  rows: readonly LedgerRow[],
  foundBy: readonly string[],
  keys: readonly EventKey[],
): Promise<EventView[]> {
  const proofs = await rowProofs(tenant, rows);
  return rows.flatMap((row, i) => {
    const proof = proofs[i];
    if (!proof || proof.disposalId !== null) return [];
    const { hidden } = proof;
    const view = hidden === null || unredacted ? eventView(row, proof, unredacted) : redactedView(row, proof, hidden);
    if (view.state === 'REDACTED' && foundBy.some((pointer) => hidden?.pointers.includes(pointer))) return [];
    return hasKeys(view, keys) ? [view] : [];
  });
}

/** Whether the visible part of an event has all these keys. */
export function hasKeys(view: EventView, keys: readonly EventKey[]): boolean {
  if (keys.length === 0) return true;
  const own = new Set(eventKeysOf(view));
  return keys.every((key) => own.has(key));
}

function queryOf(input: EventListInput): EventQuery & { readonly keys: readonly EventKey[] } {
  const { from, to, limit = DEFAULT_PAGE_LIMIT, cursor, order, ...named } = input;
  const { claim, provider, code, jurisdiction, program, ...filters } = named;
  const faults: FieldFault[] = [];
  const keys = keysOfFilters({ claim, provider, code, jurisdiction, program }, faults);
  const fromMs = timeArgument('/from', from, faults);
  const toMs = timeArgument('/to', to, faults);
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  return {
    ...filters,
    keys,
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
    ...(cursor === undefined ? {} : { after: decodeCursor(cursor) }),
    limit,
    ascending: order === 'asc',
  };
}

/**
 * Returns the members of R. Every read verifies the record up to its entry hash. Whether the event is disposed of, only
 * its proof says.
 *
 * @throws INTEGRITY_FAILURE
 */
export function recordOf(row: LedgerRow): JsonObject & { readonly worm_sha256: string } {
  const { record, worm_sha256 } = row;
  if (record === undefined || worm_sha256 === undefined || isAltered(row)) throw new DamagedEntry(row);
  return { ...contentOf(row), worm_sha256 };
}

/**
 * Members of a fact that may name people: the state and the row of its subject. Its own routes show them, under their
 * own scopes.
 */
const PRIVATE_OF_FACTS = ['/payload/state', '/payload/row', '/payload/reason', '/payload/refs'];

function eventView(row: LedgerRow, proof: RowProof, unredacted: boolean): EventView {
  const { worm_sha256, ...record } = recordOf(row);
  const isPrivate = !unredacted && factPayloadOf(record) !== null;
  return {
    ...(isPrivate ? withoutHidden(record, PRIVATE_OF_FACTS) : { ...record, worm_sha256 }),
    ...placeOf(row, proof),
    state: 'INCLUDED',
    ...(proof.hidden === null ? {} : { redaction_id: proof.hidden.redaction_id }),
  };
}

/** Returns the redacted line and the header that its digests lead to. @throws INTEGRITY_FAILURE */
function renditionOf(row: LedgerRow, { pointers, redaction_id }: HiddenOfEvent): JsonObject {
  const { record, seed } = row;
  if (record === undefined || seed === undefined) throw new DamagedEntry(row);
  const { line } = redactedLine({ record, seed, pointers, redactionId: redaction_id });
  return { line: JSON.parse(line), header: { ...headerOf(row), v: 2 } };
}

/** Returns the header that entry_hash covers (evidence.md section 2). */
export const headerOf = (row: LedgerRow): Header => ({
  commit: row.commit,
  event_id: row.event_id,
  fields: row.fields,
  member_tag: row.member_tag,
  prev: row.prev_hash,
  recorded_at: isoTime(row.recorded_at.getTime()),
  seq: row._id.seq,
  source_system: row.source_system,
  tenant_id: row.tenant_id,
});

function redactedView(row: LedgerRow, proof: RowProof, { pointers, redaction_id }: HiddenOfEvent): EventView {
  const { worm_sha256: _, ...record } = recordOf(row);
  return { ...withoutHidden(record, pointers), ...placeOf(row, proof), state: 'REDACTED', redaction_id };
}

const placeOf = (row: LedgerRow, { treeIndex }: RowProof) => ({
  event_id: row.event_id,
  sequence: row._id.seq,
  recorded_at: isoTime(row.recorded_at.getTime()),
  prev_hash: row.prev_hash,
  entry_hash: row.entry_hash,
  tree_index: treeIndex,
});

/** Returns the heads of all chains of the tenant, including system partitions. */
export async function listPartitions(tenant: TenantContext): Promise<LedgerPartition[]> {
  const heads: LedgerPartition[] = [];
  for (const sourceSystem of await tenant.ledger.sourceSystems()) {
    const head = await tenant.ledger.head(sourceSystem);
    if (!head) continue;
    heads.push({
      source_system: sourceSystem,
      sequence: head._id.seq,
      entry_hash: head.entry_hash,
      event_id: head.event_id,
      recorded_at: isoTime(head.recorded_at.getTime()),
    });
  }
  return heads;
}
