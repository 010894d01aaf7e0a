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
import { type AiDeriveDeps, rowOf } from './derive.js';
import { outcomeOf } from './domain/decision.js';
import { type AiEntry, aiEntryOf } from './domain/entry.js';
import type { AiDecisionRow, AiPlace } from './ports.js';
import type { AiDecision, AiOverride } from './schema/decision.js';

/** What a read of decisions needs. */
export interface AiReadDeps extends Pick<AiDeriveDeps, 'decisions'> {
  readonly requireProven: RequireProven;
}

/** @throws INTEGRITY_FAILURE */
export async function getAiDecision(
  deps: AiReadDeps,
  tenant: TenantContext,
  decisionId: string,
): Promise<AiDecision | null> {
  const row = isIdOf('aiDecision', decisionId) ? await deps.decisions(tenant.tenantId).get(decisionId) : null;
  if (!row) return null;
  const [view] = await viewsOf(deps, tenant, [row]);
  return view ?? null;
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
  return { items: await viewsOf(deps, tenant, items), next_cursor };
}

/** Reads the entries from the ledger and verifies them for every answer, which shows nothing of the rows. */
async function viewsOf(deps: AiReadDeps, tenant: TenantContext, rows: readonly AiDecisionRow[]): Promise<AiDecision[]> {
  const places = rows.flatMap((row) => [row.place, ...row.overrides]);
  const entries = await entriesAt(deps, tenant, places);
  return rows.map((row) => {
    const found = entries.get(row.place.event_id);
    if (found?.kind !== 'DECISION' || found.decision.decision_id !== row.decision_id)
      throw problem('INTEGRITY_FAILURE', { internal: 'an entry of a decision does not hold a decision' });
    const overrides = row.overrides.map((place): AiOverride => {
      const entry = entries.get(place.event_id);
      if (entry?.kind !== 'OVERRIDE' || entry.override.decision_id !== row.decision_id)
        throw problem('INTEGRITY_FAILURE', { internal: 'an entry of an override does not hold an override' });
      return { ...entry.override, recorded_by: entry.recorded_by, provenance: provenanceOf(place) };
    });
    const { unreviewed, exception_id, created_at, status } = rowOf(found.decision, row.place);
    return {
      ...found.decision,
      tenant_id: tenant.tenantId,
      status: overrides.length > 0 ? 'OVERRIDDEN' : status,
      outcome: outcomeOf(found.decision, overrides),
      unreviewed,
      exception_id,
      created_at: isoTime(created_at.getTime()),
      recorded_by: found.recorded_by,
      provenance: provenanceOf(row.place),
      overrides,
    };
  });
}

/** Whether the index row names the entry as it is. */
const isAt = (place: AiPlace, row: LedgerRow | undefined): boolean =>
  row !== undefined &&
  row._id.seq === place.seq &&
  row.entry_hash === place.entry_hash &&
  row.recorded_at.getTime() === place.recorded_at.getTime();

const provenanceOf = (place: AiPlace): AiOverride['provenance'] => ({
  event_id: place.event_id,
  sequence: place.seq,
  entry_hash: place.entry_hash,
  recorded_at: isoTime(place.recorded_at.getTime()),
});

async function entriesAt(
  { requireProven }: AiReadDeps,
  tenant: TenantContext,
  places: readonly AiPlace[],
): Promise<Map<string, AiEntry>> {
  const entries = new Map<string, AiEntry>();
  if (places.length === 0) return entries;
  const sequences = places.map(({ seq }) => seq);
  const rows = await tenant.ledger.rowsAt(AI_PROVENANCE_PARTITION, sequences);
  await requireProven(tenant.tenantId, rows);
  const named = new Map(rows.map((row) => [row.event_id, row]));
  for (const row of rows) {
    const record = contentOf(row);
    const entry = record === undefined ? null : aiEntryOf(record);
    if (entry) entries.set(row.event_id, entry);
  }
  const missing = places.find((place) => !entries.has(place.event_id) || !isAt(place, named.get(place.event_id)));
  if (missing === undefined) return entries;
  // No retention covers a reserved partition: an entry without its record is damaged.
  const _id = { tenant_id: tenant.tenantId, source_system: AI_PROVENANCE_PARTITION, seq: missing.seq };
  throw new DamagedEntry({ _id, event_id: missing.event_id });
}
