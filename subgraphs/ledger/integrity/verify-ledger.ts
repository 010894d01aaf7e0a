import { type Verdict, VerdictSum, type VerificationPart } from '../../../shared/contracts/ledger-verification.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { Break } from './domain/verify-chain.js';
import { findAnchors } from './find-anchors.js';
import { verifyChainsPart } from './verify-chains.js';
import { verifyMapPart } from './verify-maps.js';
import { RECORDS, verifyRecordsPart } from './verify-records.js';
import { verifySegmentsPart } from './verify-segments.js';
import {
  concernsWhole,
  MAX_BREAKS_LISTED,
  type MapPlace,
  PartFindings,
  type SegmentsPlace,
  type TreePlace,
  type VerifiedRange,
  type VerifiedTenant,
  type VerifyDeps,
  type VerifyInput,
  type VerifyState,
  type VerifyStates,
} from './verify-state.js';
import { verifyTreePart } from './verify-tree.js';

/** Entries per part: at most some seconds of work, so that a caller can stop in between. */
export const VERIFY_PART_ROWS = 20_000;

type LedgerPart = VerificationPart<VerifiedRange, Break> & { readonly phase: VerifyState['at']['phase'] };
export type LedgerVerdict = Verdict<VerifiedRange, Break>;

/**
 * Verifies in one call: every chain with its commitments, links, stored fields, write-once copies and leaves. For the
 * whole ledger also the tree against its checkpoints, and the sealed segments. Keeps one part in memory.
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

/**
 * Verifies one part.
 *
 * @param sealed state of the previous part; absent at the start.
 */
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
  const isEnd = at === null && concernsWhole(input);
  const anchoring = isEnd ? await findAnchors(deps, tenant, input, findings) : null;
  const next = at && { ...counts, ...findings.counts(), input, at };
  if (!next) findings.notChecked.push(...leftOut(input, { ...state, ...counts, ...findings.counts() }));
  return {
    phase: state.at.phase,
    checked: counts.checked,
    partitions: findings.partitions,
    breaks: findings.breaks,
    not_checked: findings.notChecked,
    anchoring,
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
  const errors = [
    ...(known_size === undefined ? [fault('/known_size', 'required', 'Give the size with known_root.')] : []),
    ...(known_root === undefined ? [fault('/known_root', 'required', 'Give the root with known_size.')] : []),
    ...WHOLE_ONLY.filter((name) => input[name] !== undefined && !concernsWhole(input)).map((name) =>
      fault(`/${name}`, 'range', 'A checkpoint is about the whole ledger: omit source system and range.'),
    ),
  ];
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
}

const WHOLE_ONLY = ['source_system', 'from_sequence', 'to_sequence'] as const;

const beginning = (input: VerifyInput): VerifyState => ({
  input,
  checked: 0,
  listed: 0,
  unlisted: 0,
  unassigned: 0,
  at: { phase: 'CHAINS', done: null, chain: null },
});

const TREE: TreePlace = { phase: 'TREE', size: 0, hashes: [], checkpoint: null, earlier: 0 };
const MAP: MapPlace = { phase: 'MAP', fold: null };
const SEGMENTS: SegmentsPlace = { phase: 'SEGMENTS', entry: null, prev_root: null, walk: null, skipped: [] };

interface Next {
  /** Null: everything is verified. */
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
    return { checked, unassigned, at: (await verifyTreePart(deps, tenant, state, at, findings)) ?? MAP };
  }
  if (at.phase === 'MAP') {
    return { checked, unassigned, at: (await verifyMapPart(deps, tenant, at, findings)) ?? SEGMENTS };
  }
  if (at.phase === 'SEGMENTS') {
    return { checked, unassigned, at: (await verifySegmentsPart(deps, tenant, at, findings)) ?? RECORDS };
  }
  return { checked, unassigned, at: await verifyRecordsPart(deps, tenant, at, findings) };
}

function leftOut(input: VerifyInput, { unlisted, unassigned }: Pick<VerifyState, 'unlisted' | 'unassigned'>) {
  const uncovered: { what: string; why: string }[] = [];
  if (unassigned > 0) {
    const why = 'They have no leaf yet: the tree follows within seconds. Without leaves a cut end cannot be found.';
    uncovered.push({ what: `the tree over the last ${unassigned} entries`, why });
  }
  if (input.depth === 'headers') {
    const why = 'The request covers only headers (depth=headers).';
    uncovered.push({ what: 'records, stored fields and write-once copies', why });
  }
  if (!concernsWhole(input)) {
    const why = 'They belong to the whole ledger; verify without a source system and a range.';
    uncovered.push({ what: 'checkpoints, sealed segments and rows of records', why });
  }
  if (unlisted > 0) {
    const why = `Only the first ${MAX_BREAKS_LISTED} are listed; verify a smaller range.`;
    uncovered.push({ what: `${unlisted} further breaks`, why });
  }
  return uncovered;
}
