import { type Verdict, VerdictSum, type VerificationPart } from '../../../shared/contracts/ledger-verification.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { Break } from '../domain/verify-chain.js';
import { verifyChainsPart } from './verify-chains.js';
import {
  MAX_BREAKS_LISTED,
  PartFindings,
  type VerifiedRange,
  type VerifiedTenant,
  type VerifyDeps,
} from './verify-part.js';
import { verifySegmentsPart } from './verify-segments.js';
import {
  concernsWhole,
  type SegmentsPlace,
  type TreePlace,
  type VerifyInput,
  type VerifyState,
  type VerifyStates,
} from './verify-state.js';
import { verifyTreePart } from './verify-tree.js';

/** Some seconds of work at most: between two parts whoever asked may go away. */
export const VERIFY_PART_ROWS = 20_000;

export type LedgerPart = VerificationPart<VerifiedRange, Break> & { readonly phase: VerifyState['at']['phase'] };
export type LedgerVerdict = Verdict<VerifiedRange, Break>;

/**
 * Verifies the whole in one go: every chain with its commitments, links, stored fields, write-once copies and leaves; and
 * where the whole ledger is asked for, the tree against its checkpoints, and the sealed segments. In memory for a part.
 *
 * @throws NOT_FOUND for a source system without a chain, VALIDATION_ERROR for a range that ends before it begins.
 */
export async function verifyLedger(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  states: VerifyStates,
  input: VerifyInput,
): Promise<LedgerVerdict> {
  const sum = new VerdictSum<VerifiedRange, Break>();
  let state: string | undefined;
  do {
    const part = await verifyLedgerPart(deps, tenant, states, input, state);
    sum.add(part);
    state = part.next_state ?? undefined;
  } while (state !== undefined);
  return sum.verdict();
}

/** One part of it. @param sealed where the part before ended; absent at the beginning. */
export async function verifyLedgerPart(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  states: VerifyStates,
  input: VerifyInput,
  sealed?: string,
): Promise<LedgerPart> {
  refuseEmptyRange(input);
  refuseHalfCheckpoint(input);
  const state = sealed === undefined ? beginning(input) : states.open(sealed, input);
  const findings = new PartFindings(state);
  const { at, ...counts } = await stepFrom(deps, tenant, state, findings);
  const next = at && { ...counts, ...findings.counts(), input, at };
  if (!next) findings.notChecked.push(...leftOut(input, { ...state, ...counts, ...findings.counts() }));
  return {
    phase: state.at.phase,
    checked: counts.checked,
    partitions: findings.partitions,
    breaks: findings.breaks,
    not_checked: findings.notChecked,
    next_state: next && states.seal(next),
  };
}

function refuseEmptyRange({ from_sequence: from = 1, to_sequence: to = Number.MAX_SAFE_INTEGER }: VerifyInput): void {
  if (from <= to) return;
  const errors = [fault('/to_sequence', 'range', 'Must not be less than from_sequence.')];
  throw problem('VALIDATION_ERROR', { errors });
}

function refuseHalfCheckpoint(input: VerifyInput): void {
  const { known_size, known_root } = input;
  if (known_size === undefined && known_root === undefined) return;
  if (known_size !== undefined && known_root !== undefined && concernsWhole(input)) return;
  const text = 'A checkpoint is its size and its root, and concerns the ledger as a whole.';
  throw problem('VALIDATION_ERROR', { errors: [fault('/known_size', 'range', text)] });
}

const beginning = (input: VerifyInput): VerifyState => ({
  input,
  checked: 0,
  listed: 0,
  unlisted: 0,
  unassigned: 0,
  at: { phase: 'CHAINS', done: null, chain: null },
});

const TREE: TreePlace = { phase: 'TREE', size: 0, hashes: [], checkpoint: null, earlier: 0 };
const SEGMENTS: SegmentsPlace = { phase: 'SEGMENTS', entry: null, prev_root: null, walk: null };

interface Next {
  /** Null: everything is looked at. */
  readonly at: VerifyState['at'] | null;
  readonly checked: number;
  readonly unassigned: number;
}

async function stepFrom(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  state: VerifyState,
  findings: PartFindings,
): Promise<Next> {
  const { at, checked, unassigned } = state;
  if (at.phase === 'CHAINS') {
    const { place, ...counts } = await verifyChainsPart(deps, tenant, state, at, findings);
    return { ...counts, at: place ?? (concernsWhole(state.input) ? TREE : null) };
  }
  if (at.phase === 'TREE') {
    return { checked, unassigned, at: (await verifyTreePart(deps, tenant, state, at, findings)) ?? SEGMENTS };
  }
  return { checked, unassigned, at: await verifySegmentsPart(deps, tenant, at, findings) };
}

function leftOut(input: VerifyInput, { unlisted, unassigned }: Pick<VerifyState, 'unlisted' | 'unassigned'>) {
  const told: { what: string; why: string }[] = [];
  if (unassigned > 0) {
    const why = 'They have no leaf yet: the tree follows within seconds. Without it a cut end cannot be seen.';
    told.push({ what: `the tree over the last ${unassigned} entries`, why });
  }
  if (input.depth === 'headers') {
    const why = 'Only headers were asked for (depth=headers).';
    told.push({ what: 'records, stored fields and write-once copies', why });
  }
  if (!concernsWhole(input)) {
    const why = 'They concern the ledger as a whole; verify without a source system and a range.';
    told.push({ what: 'checkpoints and sealed segments', why });
  }
  if (unlisted > 0) {
    const why = `Only the first ${MAX_BREAKS_LISTED} are listed; verify a smaller range.`;
    told.push({ what: `${unlisted} further breaks`, why });
  }
  return told;
}
