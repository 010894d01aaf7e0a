import { sha256Hex } from '../../../shared/crypto/hash.js';
import { ID_PREFIXES } from '../../../shared/ids/ids.js';
import { AI_PROVENANCE_PARTITION } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { type AiDecision, whyUnreviewed } from '../domain/ai-decision.js';
import { type AiEntry, aiEntryOf } from '../domain/ai-entry.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { OpenExceptions } from './open-exception.js';
import type { AiDecisionRow, AiDecisionStore, AiPlace } from './ports/ai-decision-store.js';
import type { ExceptionDraft } from './ports/exception-store.js';
import type { LedgerStore } from './ports/ledger-store.js';

export interface AiDeriveDeps {
  readonly decisions: AiDecisionStore;
  readonly openExceptions: OpenExceptions;
}

const BATCH_ROWS = 500;
const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/**
 * Takes an entry into what finds decisions, and opens what it gives reason to open. Done by whoever appended it, and again
 * by the job, which finds what a crash in between has left: doing it again changes nothing.
 */
export async function deriveEntry(deps: AiDeriveDeps, tenantId: string, place: AiPlace, entry: AiEntry): Promise<void> {
  const decisions = deps.decisions(tenantId);
  if (entry.kind === 'OVERRIDE') {
    await decisions.addOverride(entry.override.decision_id, place);
    return;
  }
  await decisions.add(rowOf(entry.decision, place));
  const why = whyUnreviewed(entry.decision);
  if (why === null) return;
  await deps.openExceptions(tenantId, [unreviewedException(entry.decision, why, place)]);
}

/** The entry's own ULID under the prefix of exceptions. */
const exceptionIdOf = ({ event_id }: AiPlace): string =>
  `${ID_PREFIXES.exception}${event_id.slice(ID_PREFIXES.event.length)}`;

const monthOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 7);

function rowOf(decision: AiDecision, place: AiPlace): AiDecisionRow {
  const unreviewed = whyUnreviewed(decision) !== null;
  const decidedAtMs = instantOf(decision.decided_at) ?? place.recorded_at.getTime();
  return {
    decision_id: decision.decision_id,
    place,
    decision_type: decision.decision_type,
    model_name: decision.model.name,
    model_version: decision.model.version,
    member_id: decision.member_id ?? null,
    event_id: decision.event_id ?? null,
    recommendation: decision.recommendation,
    adverse: decision.adverse,
    unreviewed,
    decided_at: new Date(decidedAtMs),
    month: monthOf(decidedAtMs),
    created_at: place.recorded_at,
    status: 'RECORDED',
    exception_id: unreviewed ? exceptionIdOf(place) : null,
    overrides: [],
  };
}

const unreviewedException = (decision: AiDecision, why: string, place: AiPlace): ExceptionDraft => ({
  // Fixed by the entry: derived again, it is the same one, whatever has become of it since.
  exception_id: exceptionIdOf(place),
  kind: 'AI_ADVERSE_UNREVIEWED',
  source: 'INGEST',
  subject: { kind: 'AI_DECISION', id: decision.decision_id },
  detail: {
    why,
    decision_type: decision.decision_type,
    model: decision.model.name,
    version: decision.model.version,
    decided_at: decision.decided_at,
    provenance_event_id: place.event_id,
    ...(decision.event_id === undefined ? {} : { event_id: decision.event_id }),
    individualized: { ...decision.individualized },
  },
});

export const placeOf = (row: LedgerRow): AiPlace => ({
  seq: row._id.seq,
  event_id: row.event_id,
  entry_hash: row.entry_hash,
  recorded_at: row.recorded_at,
});

/** Derives what has been appended and not derived yet, tenant by tenant; ends between batches when told to. */
export async function deriveAll(
  deps: AiDeriveDeps & { readonly store: LedgerStore; readonly logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  for await (const tenantId of deps.store.tenantIds()) {
    const ledger = deps.store.forTenant(tenantId);
    const decisions = deps.decisions(tenantId);
    let from = (await decisions.derivedUpTo()) + 1;
    for (;;) {
      if (signal.aborted) return;
      const rows = await ledger.rows(AI_PROVENANCE_PARTITION, from, LAST_SEQ, BATCH_ROWS);
      for (const row of rows) await deriveRow(deps, tenantId, row);
      const last = rows.at(-1);
      if (!last) break;
      await decisions.markDerived(last._id.seq);
      from = last._id.seq + 1;
    }
  }
}

/** What was disposed of, or is not what it was when it was recorded, finds nothing: the scrub and verification tell of it. */
async function deriveRow(
  deps: AiDeriveDeps & { readonly logger: Logger },
  tenantId: string,
  row: LedgerRow,
): Promise<void> {
  if (row.record === undefined) return;
  if (sha256Hex(row.record) !== row.worm_sha256) {
    deps.logger.error({ event_id: row.event_id }, 'an AI decision does not match its hash and was passed over');
    return;
  }
  const entry = aiEntryOf(JSON.parse(row.record.toString('utf8')) as JsonObject);
  if (entry) await deriveEntry(deps, tenantId, placeOf(row), entry);
}
