import {
  type DisposalCandidate,
  type DisposalCursor,
  type DisposalCutoffs,
  type DisposalPlan,
  type EventsForHolds,
  isPastAge,
} from '../../../shared/contracts/disposal.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { shortText } from '../../../shared/json/short-text.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import { isIntegrityFailure } from '../../../shared/records/sound-rows.js';
import { contentOf, isAltered, type LedgerRow, queryFieldsOf, sameQueryFields } from '../append/domain/index.js';
import { DamagedEntry } from '../integrity/index.js';
import type { RowProof } from '../row-proofs/index.js';
import type { KeptRow, TenantDisposalFacts, TenantDisposals } from './ports.js';

// Whether an event is due, and which holds cover it, follows from its proven record. A row that its record, its chain or a
// fact contradicts is named and left out: no edit of a row makes a disposal come earlier.

/** Stores and functions that the choice of events of one tenant uses. */
export interface PlanningTenant {
  readonly disposals: Pick<TenantDisposals, 'aged' | 'ofMembers' | 'rowsOf'>;
  readonly facts: Pick<TenantDisposalFacts, 'disposalsOf'>;
  /** Verifies rows against facts and the signed tree, in their order. @throws INTEGRITY_FAILURE */
  readonly prove: (rows: readonly LedgerRow[]) => Promise<readonly RowProof[]>;
  /** Opens an exception and records custody for the damage that a read throws. */
  readonly reporting: <T>(read: () => Promise<T>) => Promise<T>;
}

/** Lists events past their retention, oldest first. Each family's cutoff sets the start of its retention. */
export async function planDisposal(
  tenant: PlanningTenant,
  cutoffs: DisposalCutoffs,
  after: DisposalCursor | null,
  limit: number,
): Promise<DisposalPlan> {
  const beforeMs = Math.max(
    cutoffs.default_before_ms,
    ...Object.values(cutoffs.families).map(({ before_ms }) => before_ms),
  );
  const plan = await planOf(tenant, await tenant.disposals.aged({ beforeMs, after, limit }), limit);
  return { ...plan, candidates: plan.candidates.filter((candidate) => isPastAge(candidate, cutoffs)) };
}

/** Lists events of one person of any age, oldest first. */
export const disposalsOfMembers = async (
  tenant: PlanningTenant,
  memberIds: readonly string[],
  after: DisposalCursor | null,
  limit: number,
): Promise<DisposalPlan> => planOf(tenant, await tenant.disposals.ofMembers({ memberIds, after, limit }), limit);

async function planOf(tenant: PlanningTenant, rows: readonly LedgerRow[], limit: number): Promise<DisposalPlan> {
  const { candidates, damaged } = await judged(tenant, rows);
  const last = rows.length < limit ? undefined : rows.findLast(hasCursor);
  const next = last?.query ? { at_ms: last.query.effective_at.getTime(), event_id: last.event_id } : null;
  return { candidates, damaged, next };
}

const hasCursor = ({ event_id, query }: LedgerRow): boolean =>
  typeof event_id === 'string' && query?.effective_at instanceof Date;

/** Sorts events by their proven state. Leaves out events without a row and without a disposal. */
export async function factsOfEvents(tenant: PlanningTenant, eventIds: readonly string[]): Promise<EventsForHolds> {
  const rows = await tenant.disposals.rowsOf(eventIds);
  const found = new Set(rows.map(({ event_id }) => event_id));
  const missing = eventIds.filter((id) => !found.has(id));
  const gone = missing.length === 0 ? [] : [...(await tenant.facts.disposalsOf(missing)).keys()];
  const { candidates, disposed, damaged } = await judged(tenant, rows);
  return { candidates, disposed: [...disposed, ...gone], damaged };
}

/** Judges rows together, and one by one where one of them is damaged. */
async function judged(tenant: PlanningTenant, rows: readonly LedgerRow[]): Promise<EventsForHolds> {
  try {
    return sorted(rows, await candidatesOf(tenant, rows));
  } catch (error) {
    if (!isIntegrityFailure(error)) throw error;
  }
  const candidates: (DisposalCandidate | null)[] = [];
  const sound: LedgerRow[] = [];
  const damaged: string[] = [];
  for (const row of rows) {
    try {
      candidates.push(...(await tenant.reporting(() => candidatesOf(tenant, [row]))));
      sound.push(row);
    } catch (error) {
      if (!isIntegrityFailure(error)) throw error;
      damaged.push(shortText(row.event_id));
    }
  }
  return { ...sorted(sound, candidates), damaged };
}

const sorted = (rows: readonly LedgerRow[], candidates: readonly (DisposalCandidate | null)[]): EventsForHolds => ({
  candidates: candidates.filter((candidate) => candidate !== null),
  disposed: rows.flatMap(({ event_id }, i) => (candidates[i] === null ? [event_id] : [])),
  damaged: [],
});

/** @returns null for an event that a fact calls disposed. @throws INTEGRITY_FAILURE */
async function candidatesOf(
  { prove }: PlanningTenant,
  rows: readonly LedgerRow[],
): Promise<readonly (DisposalCandidate | null)[]> {
  const proofs = await prove(rows);
  return rows.map((row, i) => (proofs[i]?.disposalId === null ? candidateOf(row) : null));
}

/** @throws INTEGRITY_FAILURE for a row that its record contradicts. */
function candidateOf(row: LedgerRow): DisposalCandidate {
  const content = isAltered(row) ? undefined : contentOf(row);
  if (content === undefined || row.query === undefined) throw new DamagedEntry(row);
  const query = queryFieldsOf(content);
  if (!sameQueryFields(row.query, query)) throw new DamagedEntry(row, 'the stored query fields with the record');
  return {
    event_id: row.event_id,
    source_system: row._id.source_system,
    sequence: row._id.seq,
    event_family: query.event_family,
    member_id: query.member_id ?? null,
    effective_at_ms: query.effective_at.getTime(),
    recorded_at_ms: row.recorded_at.getTime(),
    worm_sha256: row.worm_sha256 ?? null,
    raw_sha256: rawOf(row),
  };
}

/** Ignores the raw body that an altered record names: that body stays. */
export function rawOf(row: KeptRow): string | null {
  const { record, from_raw } = row;
  if (from_raw !== true || record === undefined || sha256Hex(record) !== row.worm_sha256) return null;
  const payload = contentOf(row)?.['payload'];
  const sha256 = isJsonObject(payload) ? payload['raw_sha256'] : undefined;
  return typeof sha256 === 'string' ? sha256 : null;
}
