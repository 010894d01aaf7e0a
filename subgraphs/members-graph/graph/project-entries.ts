import type { Clock } from '../../../shared/clock/clock.js';
import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import type { FeedEntry } from '../../../shared/contracts/ledger-feed.js';
import type { LedgerRecord, LedgerRecords } from '../../../shared/contracts/ledger-records.js';
import type { TiedKind, TiedRecords } from '../../../shared/contracts/record-ties.js';
import type { Redactions } from '../../../shared/contracts/redactions.js';
import { isReservedSourceSystem, type TenantId } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { readRecords } from '../records/index.js';
import { eventRecord } from './domain/event-edges.js';
import type { GraphRecord } from './domain/record.js';
import { documentRecord, tiedRecord } from './domain/record-edges.js';
import { type TouchedRecord, touchedBy } from './domain/touched-records.js';
import type { GraphStore } from './ports.js';

export interface ProjectDeps {
  readonly clock: Clock;
  readonly graph: GraphStore;
  readonly ledgerRecords: Pick<LedgerRecords, 'records'>;
  readonly ledgerDisposal: Pick<LedgerDisposal, 'facts'>;
  readonly redactions: Redactions;
  readonly documents: Pick<Documents, 'list'>;
  readonly tiedRecords: TiedRecords;
}

interface EventPlace {
  readonly event_id: string;
  readonly source_system: string;
  readonly seq: number;
  readonly recorded_at: string;
  readonly content?: JsonObject;
}

/** Ids of one call to the owner of the records. */
const MAX_IDS = 500;

/**
 * Projects entries of one chain into the graph. Writes each record in its current state with all its edges, so that a
 * repeated or late entry changes nothing (design.md decision 5).
 */
export async function projectEntries(
  deps: ProjectDeps,
  tenantId: TenantId,
  generation: number,
  entries: readonly FeedEntry[],
): Promise<void> {
  const readAtMs = deps.clock.nowMs();
  const places = entries.map(({ sequence, ...entry }) => ({ ...entry, seq: sequence }));
  const own = places.filter(({ source_system }) => isReservedSourceSystem(source_system));
  const events = places.filter(({ source_system }) => !isReservedSourceSystem(source_system));
  const touched = distinct(
    (await contentsOf(deps, tenantId, own)).flatMap(({ record }) => (record ? touchedBy(record) : [])),
  );
  const records = [
    ...(await eventRecords(deps, tenantId, [...events, ...(await placesOf(deps, tenantId, touched))])),
    ...(await documentRecords(deps, tenantId, idsOf(touched, 'document'))),
  ];
  for (const kind of ['bundle', 'matter', 'hold', 'rule'] as const) {
    records.push(...(await tiedRecordsOf(deps, tenantId, kind, idsOf(touched, kind))));
  }
  const read = records.map((record) => ({ record, readAtMs }));
  await deps.graph.put(tenantId, generation, read);
}

async function eventRecords(
  deps: ProjectDeps,
  tenantId: TenantId,
  places: readonly EventPlace[],
): Promise<readonly GraphRecord[]> {
  const found: GraphRecord[] = [];
  for (const some of chunks(places, MAX_IDS)) {
    const contents = await contentsOf(deps, tenantId, some);
    const hidden = await deps.redactions.ofEvents(
      tenantId,
      some.map(({ event_id }) => event_id),
    );
    for (const { place, record, state } of contents) {
      const pointers = hidden.get(place.event_id)?.pointers ?? [];
      const made = eventRecord({ ...place, record, hidden: pointers, ...(state === undefined ? {} : { state }) });
      if (made) found.push(made);
    }
  }
  return found;
}

interface Content {
  readonly place: EventPlace;
  readonly record: JsonObject | null;
  readonly state?: 'DISPOSED' | 'DAMAGED';
}

/** Returns contents that came with the feed, and reads the others. */
async function contentsOf(
  deps: ProjectDeps,
  tenantId: TenantId,
  places: readonly EventPlace[],
): Promise<readonly Content[]> {
  const delivered = places.flatMap((place) => (place.content === undefined ? [] : [{ place, record: place.content }]));
  if (delivered.length === places.length) return delivered;
  const others = places.filter(({ content }) => content === undefined);
  const rows = await readRecords(deps, tenantId, others);
  return [...delivered, ...others.map((place, i) => contentOf(place, rows[i]))];
}

function contentOf(place: EventPlace, row: LedgerRecord | undefined): Content {
  if (row === undefined) return { place, record: null, state: 'DAMAGED' };
  const { record, recorded_at } = row;
  if (record === null) return { place: { ...place, recorded_at }, record: null, state: 'DISPOSED' };
  const parsed: unknown = JSON.parse(record);
  const known = { place: { ...place, recorded_at } };
  return isJsonObject(parsed) ? { ...known, record: parsed } : { ...known, record: null, state: 'DAMAGED' };
}

/** Returns the positions of touched events, from the entry or from the ledger. */
async function placesOf(
  deps: ProjectDeps,
  tenantId: TenantId,
  touched: readonly TouchedRecord[],
): Promise<readonly EventPlace[]> {
  const placed = touched.flatMap(({ kind, id, place }) =>
    kind === 'event' && place ? [{ event_id: id, recorded_at: '', ...place }] : [],
  );
  const known = new Set(placed.map(({ event_id }) => event_id));
  const unplaced = idsOf(touched, 'event').filter((id) => !known.has(id));
  const found: EventPlace[] = [];
  for (const some of chunks(unplaced, MAX_IDS)) {
    const { candidates } = await deps.ledgerDisposal.facts(tenantId, some);
    found.push(...candidates.map((fact) => ({ ...fact, seq: fact.sequence, recorded_at: '' })));
  }
  return [...placed, ...found];
}

async function documentRecords(
  deps: ProjectDeps,
  tenantId: TenantId,
  ids: readonly string[],
): Promise<readonly GraphRecord[]> {
  const found: GraphRecord[] = [];
  for (const documentIds of chunks(ids, MAX_IDS)) {
    const { items } = await deps.documents.list(tenantId, { documentIds }, null, MAX_IDS);
    found.push(...items.flatMap((facts) => documentRecord(facts) ?? []));
  }
  return found;
}

async function tiedRecordsOf(
  deps: ProjectDeps,
  tenantId: TenantId,
  kind: TiedKind,
  ids: readonly string[],
): Promise<readonly GraphRecord[]> {
  const found: GraphRecord[] = [];
  for (const some of chunks(ids, MAX_IDS)) {
    const ties = await deps.tiedRecords.of(tenantId, kind, some);
    found.push(...ties.flatMap((tied) => tiedRecord(tied) ?? []));
  }
  return found;
}

const idsOf = (touched: readonly TouchedRecord[], wanted: TouchedRecord['kind']): string[] => [
  ...new Set(touched.flatMap(({ kind, id }) => (kind === wanted ? [id] : []))),
];

/** Removes duplicates; prefers one with a position. */
function distinct(touched: readonly TouchedRecord[]): readonly TouchedRecord[] {
  const byKey = new Map<string, TouchedRecord>();
  for (const one of touched) {
    const key = `${one.kind}:${one.id}`;
    if (one.place !== undefined || !byKey.has(key)) byKey.set(key, one);
  }
  return [...byKey.values()];
}

function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
