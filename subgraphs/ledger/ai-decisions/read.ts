import { isoTime } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { AI_PROVENANCE_PARTITION } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { contentOf, type LedgerRow } from '../append/domain/index.js';
import type { TenantContext } from '../append/index.js';
import { DamagedEntry } from '../integrity/index.js';
import type { RequireProven } from '../row-proofs/index.js';
import { type AiDeriveDeps, placeOf, rowOf } from './derive.js';
import { type AiDecision as Decision, type AiOverride as Override, outcomeOf } from './domain/decision.js';
import { type AiEntry, aiEntryOf } from './domain/entry.js';
import type { AiDecisionRow, AiPlace } from './ports.js';
import type { AiDecision, AiOverride } from './schema/decision.js';

/** What a read of decisions needs. */
export interface AiReadDeps extends Pick<AiDeriveDeps, 'decisions'> {
  readonly requireProven: RequireProven;
}

/**
 * Reads a decision from its entries in the ledger. The index row may be missing: it is then derived again.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function getAiDecision(
  deps: AiReadDeps,
  tenant: TenantContext,
  decisionId: string,
): Promise<AiDecision | null> {
  if (!isIdOf('aiDecision', decisionId)) return null;
  return (await namedAiDecisions(deps, tenant, [decisionId]))[0] ?? null;
}

/**
 * Reads decisions as `getAiDecision` does, together; unknown identifiers have none.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function namedAiDecisions(
  deps: AiReadDeps,
  tenant: TenantContext,
  decisionIds: readonly string[],
): Promise<readonly AiDecision[]> {
  if (decisionIds.length === 0) return [];
  const index = deps.decisions(tenant.tenantId);
  const rows = new Map((await index.among(decisionIds)).map((row) => [row.decision_id, row]));
  const sought = decisionIds.map((decisionId) => ({ decisionId, row: rows.get(decisionId) ?? null }));
  const found = await entriesOf(deps, tenant, sought);
  const views: AiDecision[] = [];
  for (const [at, { decisionId, row }] of sought.entries()) {
    const entries = found[at];
    if (entries === undefined || (row === null && entries.decision === null && entries.overrides.length === 0))
      continue;
    views.push(viewOf(tenant, entries));
    await completeIndex(index, decisionId, row, entries);
  }
  return views;
}

/** Adds what the index row of a decision lacks. */
async function completeIndex(
  index: ReturnType<AiReadDeps['decisions']>,
  decisionId: string,
  row: AiDecisionRow | null,
  { decision, overrides }: Entries,
): Promise<void> {
  if (row === null && decision) await index.add(rowOf(decision.content, decision.place));
  const indexed = new Set(row?.overrides.map(({ seq }) => seq));
  for (const { place } of overrides) if (!indexed.has(place.seq)) await index.addOverride(decisionId, place);
}

/**
 * Lists by (time of recording, id).
 *
 * @throws INTEGRITY_FAILURE
 */
export async function listAiDecisions(
  deps: AiReadDeps,
  tenant: TenantContext,
  query: ListQuery<AiDecisionRow>,
): Promise<Page<AiDecision>> {
  const { items, next_cursor } = await deps.decisions(tenant.tenantId).page(query);
  const found = await entriesOf(
    deps,
    tenant,
    items.map((row) => ({ decisionId: row.decision_id, row })),
  );
  return { items: found.map((entries) => viewOf(tenant, entries)), next_cursor };
}

/** A decision to read, and its index row if there is one. */
interface Sought {
  readonly decisionId: string;
  readonly row: AiDecisionRow | null;
}

/** Content of an entry, with its place. */
interface Placed<Content> {
  readonly content: Content;
  readonly recorded_by: string;
  readonly place: AiPlace;
}

/** The entries of one decision; overrides in the order of the chain. */
interface Entries {
  readonly decision: Placed<Decision> | null;
  readonly overrides: readonly Placed<Override>[];
}

/** An answer shows nothing of the index row. */
function viewOf({ tenantId }: TenantContext, entries: Entries): AiDecision {
  const { decision } = entries;
  if (decision === null) throw problem('INTEGRITY_FAILURE', { internal: 'the entry of a decision is missing' });
  const overrides = entries.overrides.map(
    ({ content, recorded_by, place }): AiOverride => ({ ...content, recorded_by, provenance: provenanceOf(place) }),
  );
  const { unreviewed, exception_id, created_at, status } = rowOf(decision.content, decision.place);
  return {
    ...decision.content,
    tenant_id: tenantId,
    status: overrides.length > 0 ? 'OVERRIDDEN' : status,
    outcome: outcomeOf(decision.content, overrides),
    unreviewed,
    exception_id,
    created_at: isoTime(created_at.getTime()),
    recorded_by: decision.recorded_by,
    provenance: provenanceOf(decision.place),
    overrides,
  };
}

const provenanceOf = (place: AiPlace): AiOverride['provenance'] => ({
  event_id: place.event_id,
  sequence: place.seq,
  entry_hash: place.entry_hash,
  recorded_at: isoTime(place.recorded_at.getTime()),
});

/** All entries of decisions, found in the ledger itself and verified, so that a cut index row hides no override. */
async function entriesOf(deps: AiReadDeps, tenant: TenantContext, sought: readonly Sought[]): Promise<Entries[]> {
  const rows = await tenant.ledger.rowsOfRecords(
    AI_PROVENANCE_PARTITION,
    sought.map(({ decisionId }) => decisionId),
  );
  const places = sought.flatMap(({ row }) => (row === null ? [] : [row.place, ...row.overrides]));
  rows.push(...(await rowsBeside(tenant, rows, places)));
  await deps.requireProven(tenant.tenantId, rows);
  const named = new Map(rows.map((row) => [row.event_id, row]));
  const missing = places.find((place) => !isAt(place, named.get(place.event_id)));
  if (missing !== undefined) throw damagedAt(tenant, missing);
  const read = rows
    .sort((one, other) => one._id.seq - other._id.seq)
    .map((row) => ({ place: placeOf(row), entry: entryIn(tenant, row) }));
  return sought.map(({ decisionId, row }) => {
    const entries = entriesAmong(read, decisionId);
    if (row !== null) requireNamed(entries, row);
    return entries;
  });
}

/** @throws INTEGRITY_FAILURE for an index row that names an entry of another decision. */
function requireNamed({ decision, overrides }: Entries, row: AiDecisionRow): void {
  const own = new Set(overrides.map(({ place }) => place.seq));
  if (decision?.place.seq === row.place.seq && row.overrides.every(({ seq }) => own.has(seq))) return;
  throw problem('INTEGRITY_FAILURE', { internal: 'the index row of a decision names an entry of another one' });
}

/** Rows that the index names and the look-up did not find: overrides of earlier versions, or damage. */
async function rowsBeside(
  { ledger }: TenantContext,
  rows: readonly LedgerRow[],
  places: readonly AiPlace[],
): Promise<LedgerRow[]> {
  const found = new Set(rows.map(({ _id }) => _id.seq));
  const sequences = places.map(({ seq }) => seq).filter((seq) => !found.has(seq));
  return sequences.length === 0 ? [] : ledger.rowsAt(AI_PROVENANCE_PARTITION, sequences);
}

/** Whether the index row names the entry as it is. */
const isAt = (place: AiPlace, row: LedgerRow | undefined): boolean =>
  row !== undefined &&
  row._id.seq === place.seq &&
  row.entry_hash === place.entry_hash &&
  row.recorded_at.getTime() === place.recorded_at.getTime();

/** @throws DamagedEntry: no retention covers a reserved partition, so an entry without its record is damaged. */
function entryIn(tenant: TenantContext, row: LedgerRow): AiEntry {
  const record = contentOf(row);
  const entry = record === undefined ? null : aiEntryOf(record);
  if (entry === null) throw damagedAt(tenant, placeOf(row));
  return entry;
}

function damagedAt({ tenantId }: TenantContext, { seq, event_id }: AiPlace): DamagedEntry {
  return new DamagedEntry({ _id: { tenant_id: tenantId, source_system: AI_PROVENANCE_PARTITION, seq }, event_id });
}

function entriesAmong(
  read: readonly { readonly place: AiPlace; readonly entry: AiEntry }[],
  decisionId: string,
): Entries {
  let decision: Entries['decision'] = null;
  const overrides: Placed<Override>[] = [];
  for (const { place, entry } of read) {
    const { recorded_by } = entry;
    if (entry.kind === 'DECISION' && entry.decision.decision_id === decisionId)
      decision = { content: entry.decision, recorded_by, place };
    if (entry.kind === 'OVERRIDE' && entry.override.decision_id === decisionId)
      overrides.push({ content: entry.override, recorded_by, place });
  }
  return { decision, overrides };
}
