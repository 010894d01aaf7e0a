import { isoTime } from '../../../shared/clock/clock.js';
import { isProblem, problem } from '../../../shared/errors/problem.js';
import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { HASH_BYTES, leafHash } from '../../../shared/merkle/hashes.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { TenantContexts } from '../append/index.js';
import { headerOf } from '../events/index.js';
import { type CheckpointRow, type EventProof, type ProofDeps, proveEvent } from '../transparency/index.js';
import { pathTo } from './domain.js';
import type { LogRoots, LogRootsRow } from './ports.js';
import { LOG_ROOTS_TYPE, recordIdOf } from './record-log-roots.js';

export interface ProveLogDeps extends ProofDeps {
  readonly contexts: TenantContexts;
  readonly roots: LogRoots;
}

/** Proof that the operator's log covers a checkpoint of a tenant. */
interface LogProof {
  readonly period: string;
  readonly recorded_at: string;
  readonly logs: number;
  readonly root_hash: string;
  readonly leaf_index: number;
  readonly hashes: readonly string[];
  readonly checkpoint: CheckpointRow;
  readonly header: unknown;
  readonly record: string;
  readonly seed: string;
  readonly entry: EventProof;
}

/** Periods that are searched for an entry under a checkpoint. */
const MAX_PERIODS = 48;
const ASK_AGAIN_SECONDS = 300;
/** Time that the collection of all notes may take, and checkpoints of one log in it. */
const COLLECTING_MS = 60_000;
const MAX_NEAR = 30;

/**
 * Proves that the operator's log covers the tenant's log, as of the newest period.
 *
 * @throws CONFLICT while no period covers it
 */
export async function proveLog(deps: ProveLogDeps, tenantId: TenantId): Promise<LogProof> {
  for (const row of await deps.roots.appended(MAX_PERIODS)) {
    const proof = await proofIn(deps, tenantId, row);
    if (proof !== null) return proof;
  }
  throw problem('CONFLICT', {
    message: "The operator's log does not cover this ledger yet.",
    retryAfterSeconds: ASK_AGAIN_SECONDS,
  });
}

async function proofIn(deps: ProveLogDeps, tenantId: TenantId, row: LogRootsRow): Promise<LogProof | null> {
  const leaves = Array.from({ length: row.leaves.length / HASH_BYTES }, (_, i) =>
    row.leaves.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
  // The notes were collected about that time, while others were published.
  const toMs = row.recorded_at.getTime() + COLLECTING_MS;
  const near = await deps.trees(tenantId).checkpoints({ limit: MAX_NEAR, order: 'desc', toMs });
  const indexOf = ({ note }: CheckpointRow): number => {
    const leaf = leafHash(Buffer.from(note));
    return leaves.findIndex((one) => one.equals(leaf));
  };
  const checkpoint = near.find((one) => indexOf(one) >= 0);
  if (checkpoint === undefined) return null;
  const index = indexOf(checkpoint);
  const entry = await entryIn(deps, row._id);
  const proof = entry && (await provenEntry(deps, entry));
  if (entry?.record === undefined || entry.seed === undefined || !proof) return null;
  return {
    period: row._id,
    recorded_at: isoTime(row.recorded_at.getTime()),
    logs: leaves.length,
    root_hash: row.root_hash,
    leaf_index: index,
    hashes: pathTo(leaves, index).map((hash) => hash.toString('hex')),
    checkpoint,
    header: { ...headerOf(entry), v: 2 },
    record: entry.record.toString('utf8'),
    seed: entry.seed.toString('hex'),
    entry: proof,
  };
}

async function entryIn({ contexts }: ProveLogDeps, period: string): Promise<LedgerRow | undefined> {
  const { ledger } = await contexts.of(OPERATOR_TENANT);
  const named = { source_system: '_system', source_record_id: recordIdOf(period), event_type: LOG_ROOTS_TYPE };
  const [entry] = await ledger.list({ ...named, limit: 1, ascending: true });
  return entry;
}

/** Null for an entry that no checkpoint of the operator's log covers yet. */
async function provenEntry(deps: ProveLogDeps, { event_id }: LedgerRow): Promise<EventProof | null> {
  try {
    return await proveEvent(deps, await deps.contexts.of(OPERATOR_TENANT), event_id);
  } catch (error) {
    if (isProblem(error, 'CONFLICT')) return null;
    throw error;
  }
}
