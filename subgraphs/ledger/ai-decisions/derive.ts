import { ID_PREFIXES } from '../../../shared/ids/ids.js';
import { AI_PROVENANCE_PARTITION } from '../../../shared/ids/tenant.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { contentOf, isAltered, type LedgerRow } from '../append/domain/index.js';
import type { LedgerStore } from '../append/index.js';
import type { ExceptionDraft, OpenExceptions } from '../exceptions/index.js';
import { type AiDecision, whyUnreviewed } from './domain/decision.js';
import { type AiEntry, aiEntryOf } from './domain/entry.js';
import type { AiDecisionRow, AiDecisionStore, AiPlace } from './ports.js';

export interface AiDeriveDeps {
  readonly decisions: AiDecisionStore;
  readonly openExceptions: OpenExceptions;
}

const BATCH_ROWS = 500;
const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/**
 * Indexes an entry and opens the exceptions that it requires. The request that appended it does so first; the job
 * repeats it after a crash. Repeating it changes nothing.
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

/** Replaces the prefix of the entry's ULID by that of exceptions. */
const exceptionIdOf = ({ event_id }: AiPlace): string =>
  `${ID_PREFIXES.exception}${event_id.slice(ID_PREFIXES.event.length)}`;

const monthOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 7);

/** Returns the row of a decision without overrides: all of it follows from the entry. */
export function rowOf(decision: AiDecision, place: AiPlace): AiDecisionRow {
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
  // Derived from the entry: a repetition finds the same exception, in whatever state it is.
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

/** Derives everything appended and not derived yet, tenant by tenant; stops between batches when the signal aborts. */
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

/** Skips entries that are disposed of or altered: the scrub and verification report the latter. */
async function deriveRow(
  deps: AiDeriveDeps & { readonly logger: Logger },
  tenantId: string,
  row: LedgerRow,
): Promise<void> {
  if (row.record === undefined) return;
  if (isAltered(row)) {
    deps.logger.error({ event_id: row.event_id }, 'skipped an AI decision that does not match its hash');
    return;
  }
  const entry = aiEntryOf(contentOf(row) ?? {});
  if (entry) await deriveEntry(deps, tenantId, placeOf(row), entry);
}
