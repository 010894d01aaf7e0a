import type { Clock } from '../../../shared/clock/clock.js';
import { nextTurn } from '../../../shared/clock/timers.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { Committer } from '../domain/commitments.js';
import { type Break, ChainVerifier } from '../domain/verify-chain.js';
import { rowBatches } from './row-batches.js';
import type { TenantContext } from './tenant-context.js';

export interface VerifyInput {
  readonly source_system?: string;
  readonly from_sequence?: number;
  readonly to_sequence?: number;
}

export interface VerifiedRange {
  readonly source_system: string;
  readonly from_sequence: number;
  readonly to_sequence: number;
  readonly checked: number;
  readonly head_hash: string | null;
}

export interface Verification {
  readonly valid: boolean;
  readonly checked: number;
  readonly partitions: readonly VerifiedRange[];
  readonly breaks: readonly Break[];
  readonly not_checked: readonly { readonly what: string; readonly why: string }[];
}

/** Called after each batch with the number of entries looked at so far. */
export type VerifyProgress = (checked: number) => void;

/** A ledger that is broken everywhere must not fill the memory; the answer says when it holds back. */
const MAX_BREAKS_LISTED = 10_000;
/** Rows hashed between two turns of the event loop. */
const SLICE_ROWS = 50;

const NOT_BUILT_YET = [
  {
    what: 'the Merkle tree and its signed checkpoints',
    why: 'They are not built yet; without them a cut end or a chain rewritten as a whole cannot be seen.',
  },
] as const;

/**
 * Hashes every record of the range again and compares it with its commitments, its header, its link, its stored query
 * fields and its write-once copy. Streams, in memory for three batches.
 *
 * @throws NOT_FOUND for a source system without a chain, VALIDATION_ERROR for a range that ends before it begins.
 */
export async function verifyLedger(
  deps: { readonly clock: Clock },
  tenant: TenantContext,
  input: VerifyInput,
  onProgress: VerifyProgress = () => {},
): Promise<Verification> {
  const { from_sequence: from = 1, to_sequence: to = Number.MAX_SAFE_INTEGER } = input;
  if (from > to) {
    const errors = [fault('/to_sequence', 'range', 'Must not be less than from_sequence.')];
    throw problem('VALIDATION_ERROR', { errors });
  }
  const sources = await chainsOf(tenant, input.source_system);
  const found: { breaks: Break[]; unlisted: number; checked: number } = { breaks: [], unlisted: 0, checked: 0 };
  const partitions: VerifiedRange[] = [];
  for (const sourceSystem of sources) {
    const verifier = await chainVerifier(tenant, sourceSystem, from);
    const before = found.checked;
    const head = await tenant.ledger.head(sourceSystem);
    const last = Math.min(to, head?._id.seq ?? 0);
    for await (const batch of rowBatches(tenant, { sourceSystem, from, to: last }, () => deps.clock.nowMs())) {
      for (const [i, row] of batch.rows.entries()) {
        if (i % SLICE_ROWS === SLICE_ROWS - 1) await nextTurn();
        verifier.check(row, batch.copies.get(row.worm_sha256 ?? ''));
      }
      const fresh = verifier.takeBreaks();
      const room = MAX_BREAKS_LISTED - found.breaks.length;
      found.breaks.push(...fresh.slice(0, room));
      found.unlisted += Math.max(0, fresh.length - room);
      found.checked = before + verifier.checked;
      onProgress(found.checked);
    }
    partitions.push(rangeOf(sourceSystem, from, last, verifier));
  }
  const { breaks, unlisted, checked } = found;
  const not_checked = [...NOT_BUILT_YET, ...(unlisted > 0 ? [tooMany(unlisted)] : [])];
  return { valid: breaks.length === 0, checked, partitions, breaks, not_checked };
}

async function chainsOf(tenant: TenantContext, sourceSystem: string | undefined): Promise<readonly string[]> {
  if (sourceSystem === undefined) return tenant.ledger.sourceSystems();
  if (!(await tenant.ledger.head(sourceSystem))) throw problem('NOT_FOUND', { message: 'No such partition.' });
  return [sourceSystem];
}

async function chainVerifier(tenant: TenantContext, sourceSystem: string, from: number): Promise<ChainVerifier> {
  return new ChainVerifier({
    tenantId: tenant.tenantId,
    sourceSystem,
    expectedPrev: from === 1 ? tenant.genesis(sourceSystem) : await hashBefore(tenant, sourceSystem, from),
    fromSequence: from,
    committer: new Committer(),
    duplicateKeys: tenant.duplicateKeys,
  });
}

async function hashBefore(tenant: TenantContext, sourceSystem: string, seq: number): Promise<string | null> {
  const [row] = await tenant.ledger.rows(sourceSystem, seq - 1, seq - 1, 1);
  return row?.entry_hash ?? null;
}

const rangeOf = (
  source_system: string,
  from_sequence: number,
  last: number,
  verifier: ChainVerifier,
): VerifiedRange => ({
  source_system,
  from_sequence,
  to_sequence: Math.max(last, verifier.lastSequence),
  checked: verifier.checked,
  head_hash: verifier.headHash,
});

const tooMany = (unlisted: number) => ({
  what: `${unlisted} further breaks`,
  why: `Only the first ${MAX_BREAKS_LISTED} are listed; verify a smaller range.`,
});
