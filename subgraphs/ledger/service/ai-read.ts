import { isoTime } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { AI_PROVENANCE_PARTITION } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { type AiDecision, type AiDecisionStatus, type AiOverride, outcomeOf } from '../domain/ai-decision.js';
import { type AiEntry, aiEntryOf } from '../domain/ai-entry.js';
import { type AiSummary, summarise } from '../domain/ai-summary.js';
import type { AiDecisionQuery, AiDecisionRow, AiDecisionStore, AiPlace } from './ports/ai-decision-store.js';
import type { TenantContext } from './tenant-context.js';
import { DamagedEntry } from './verify-on-read.js';

/** Where an entry stands, as answers show it: what its proof is asked for by. */
export interface AiProvenance {
  readonly event_id: string;
  readonly sequence: number;
  readonly entry_hash: string;
  readonly recorded_at: string;
}

export interface AiOverrideView extends AiOverride {
  readonly recorded_by: string;
  readonly provenance: AiProvenance;
}

export interface AiDecisionView extends AiDecision {
  readonly tenant_id: string;
  readonly status: AiDecisionStatus;
  /** What holds now. */
  readonly outcome: string;
  readonly unreviewed: boolean;
  readonly exception_id: string | null;
  readonly created_at: string;
  readonly recorded_by: string;
  readonly provenance: AiProvenance;
  readonly overrides: readonly AiOverrideView[];
}

export interface AiReadDeps {
  readonly decisions: AiDecisionStore;
}

/** @throws DISPOSED, INTEGRITY_FAILURE */
export async function getAiDecision(
  deps: AiReadDeps,
  tenant: TenantContext,
  decisionId: string,
): Promise<AiDecisionView | null> {
  const row = isIdOf('aiDecision', decisionId) ? await deps.decisions(tenant.tenantId).get(decisionId) : null;
  if (!row) return null;
  const [view] = await viewsOf(tenant, [row]);
  return view ?? null;
}

/** By (time of recording, id). @throws DISPOSED, INTEGRITY_FAILURE */
export async function listAiDecisions(
  deps: AiReadDeps,
  tenant: TenantContext,
  query: AiDecisionQuery,
): Promise<Page<AiDecisionView>> {
  const rows = await deps.decisions(tenant.tenantId).list(query);
  const page = pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.decision_id }));
  return { items: await viewsOf(tenant, page.items), next_cursor: page.next_cursor };
}

/** Of decisions made in the window: from ≤ decided_at < to. */
export async function summariseAiDecisions(
  deps: AiReadDeps,
  tenant: TenantContext,
  window: { readonly fromMs?: number | undefined; readonly toMs?: number | undefined },
): Promise<AiSummary> {
  return summarise(await deps.decisions(tenant.tenantId).cells(window));
}

/** What is shown is what was recorded: the entries are read out of the ledger, and hashed again, for every answer. */
async function viewsOf(tenant: TenantContext, rows: readonly AiDecisionRow[]): Promise<AiDecisionView[]> {
  const places = rows.flatMap((row) => [row.place, ...row.overrides]);
  const entries = await entriesAt(tenant, places);
  return rows.map((row) => {
    const found = entries.get(row.place.event_id);
    if (found?.kind !== 'DECISION') throw problem('INTEGRITY_FAILURE', { internal: 'a decision is no decision' });
    const overrides = row.overrides.map((place): AiOverrideView => {
      const entry = entries.get(place.event_id);
      if (entry?.kind !== 'OVERRIDE') throw problem('INTEGRITY_FAILURE', { internal: 'an override is no override' });
      return { ...entry.override, recorded_by: entry.recorded_by, provenance: provenanceOf(place) };
    });
    return {
      ...found.decision,
      tenant_id: tenant.tenantId,
      status: row.status,
      outcome: outcomeOf(found.decision, overrides),
      unreviewed: row.unreviewed,
      exception_id: row.exception_id,
      created_at: isoTime(row.created_at.getTime()),
      recorded_by: found.recorded_by,
      provenance: provenanceOf(row.place),
      overrides,
    };
  });
}

const provenanceOf = (place: AiPlace): AiProvenance => ({
  event_id: place.event_id,
  sequence: place.seq,
  entry_hash: place.entry_hash,
  recorded_at: isoTime(place.recorded_at.getTime()),
});

async function entriesAt(tenant: TenantContext, places: readonly AiPlace[]): Promise<Map<string, AiEntry>> {
  const entries = new Map<string, AiEntry>();
  if (places.length === 0) return entries;
  const sequences = places.map(({ seq }) => seq);
  for (const { bytes } of await tenant.ledger.records(AI_PROVENANCE_PARTITION, sequences)) {
    const record = JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject;
    const entry = aiEntryOf(record);
    if (entry) entries.set(String(record['event_id']), entry);
  }
  const missing = places.find(({ event_id }) => !entries.has(event_id));
  if (missing) await tellWhyMissing(tenant, missing);
  return entries;
}

/** @throws DISPOSED or INTEGRITY_FAILURE, always. */
async function tellWhyMissing(tenant: TenantContext, place: AiPlace): Promise<never> {
  const row = await tenant.ledger.byEventId(place.event_id);
  if (row && row.record === undefined) throw problem('DISPOSED');
  const { tenantId: tenant_id } = tenant;
  const _id = { tenant_id, source_system: AI_PROVENANCE_PARTITION, seq: place.seq };
  throw new DamagedEntry({ _id, event_id: place.event_id });
}
