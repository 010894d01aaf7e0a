import { nextTurn } from '../../../shared/clock/timers.js';
import { stopIfLeft } from '../../../shared/errors/caller-left.js';
import { problem } from '../../../shared/errors/problem.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { type LedgerRow, malformedField, malformedHeader } from '../append/domain/index.js';
import { explainHoles, leavesOf, rowBatches, sequenceAfter } from './chain-reads.js';
import { type Break, ChainVerifier, type HeaderRow, isBare } from './domain/verify-chain.js';
import type { EntryHeader } from './ports.js';
import {
  type ChainPlace,
  type ChainsPlace,
  concernsWhole,
  malformedRow,
  numberOf,
  type PartFindings,
  type VerifiedTenant,
  type VerifyDeps,
  type VerifyInput,
  type VerifyState,
} from './verify-state.js';

/** Rows hashed between two turns of the event loop. */
const SLICE_ROWS = 50;
const BATCH_HEADERS = 2_000;

/** Result of a part over the chains; a null place means that all chains are done. */
interface ChainsOutcome {
  readonly place: ChainsPlace | null;
  readonly checked: number;
  readonly unassigned: number;
}

/**
 * Continues along the tenant's chains: compares at most `partRows` entries of one chain with their commitments, link,
 * stored fields, write-once copy and leaf in the tree.
 */
export async function verifyChainsPart(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  state: VerifyState,
  place: ChainsPlace,
  findings: PartFindings,
): Promise<ChainsOutcome> {
  if (place.chain === null && place.done === null) await reportStrays(tenant, state.input, null, findings);
  const chain = place.chain ?? (await nextChain(tenant, state.input, place.done));
  if (!chain) return { place: null, checked: state.checked, unassigned: state.unassigned };
  if (place.chain === null) await reportStrays(tenant, state.input, chain.source_system, findings);
  const walk = new ChainWalk(deps, tenant, chain, findings);
  const isWhole = concernsWhole(state.input);
  const ended = await (state.input.depth === 'headers' ? walk.headers() : walk.entries());
  const outcome = { checked: state.checked + walk.seen, unassigned: state.unassigned + walk.unassigned };
  if (ended && !isWhole) await reportCut(tenant, chain, state.input, findings);
  if (!ended) return { ...outcome, place: { phase: 'CHAINS', done: place.done, chain: walk.place() } };
  findings.partitions.push(walk.range());
  return { ...outcome, place: { phase: 'CHAINS', done: chain.source_system, chain: null } };
}

const MAX_STRAYS = 1_000;

/** Rows that no walk along a chain reaches. A read by another index could still meet them. */
async function reportStrays(
  { integrity }: VerifiedTenant,
  input: VerifyInput,
  source_system: string | null,
  findings: PartFindings,
): Promise<void> {
  if (!concernsWhole(input)) return;
  const keys = await integrity.strayKeys(source_system, MAX_STRAYS);
  findings.report(keys.map((key) => malformedRow({ collection: 'ledger', key, field: '_id' }, source_system)));
}

/**
 * A cut tail must not verify. For one chain or a range, this reports entries that have a leaf and are missing; the
 * check of the whole tree reports the others. The chain may have grown meanwhile, so its end is read after that of its
 * leaves.
 */
async function reportCut(
  { tree, context }: VerifiedTenant,
  { source_system, last, from }: ChainPlace,
  { to_sequence = Number.MAX_SAFE_INTEGER }: VerifyInput,
  findings: PartFindings,
): Promise<void> {
  const until = Math.min(to_sequence, await tree.assignedUpTo(source_system));
  if (until <= last || until < from) return;
  const end = numberOf((await context.ledger.head(source_system))?._id.seq);
  if (end >= until) return;
  const detail = `The chain ends at ${end}, and the tree has leaves of it up to ${until}: its end was cut off.`;
  const sequence = Math.max(from, end + 1);
  findings.report([{ kind: 'SEQUENCE_GAP', source_system, sequence, event_id: null, detail }]);
}

async function nextChain(
  { context, tree }: VerifiedTenant,
  input: VerifyInput,
  done: string | null,
): Promise<ChainPlace | null> {
  const source_system = await nextSource(context, tree, input, done);
  if (source_system === undefined) return null;
  const from = input.from_sequence ?? 1;
  const head = await context.ledger.head(source_system);
  const [before] = from === 1 ? [] : await context.ledger.rows(source_system, from - 1, from - 1, 1);
  return {
    source_system,
    from,
    last: Math.min(input.to_sequence ?? Number.MAX_SAFE_INTEGER, numberOf(head?._id.seq)),
    expected: from,
    prev: from === 1 ? context.genesis(source_system) : textOf(before?.entry_hash),
    recorded_at_ms: null,
    checked: 0,
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

async function nextSource(
  { ledger }: VerifiedTenant['context'],
  tree: VerifiedTenant['tree'],
  { source_system }: VerifyInput,
  done: string | null,
): Promise<string | undefined> {
  if (source_system === undefined) {
    const sources = await ledger.sourceSystems();
    return done === null ? sources[0] : sources[sources.indexOf(done) + 1];
  }
  if (done !== null) return undefined;
  const isKnown = (await ledger.head(source_system)) !== null || (await tree.assignedUpTo(source_system)) > 0;
  if (!isKnown) throw problem('NOT_FOUND', { message: 'There is no such partition.' });
  return source_system;
}

/** Verifies one part of one chain. */
class ChainWalk {
  readonly #deps: VerifyDeps;
  readonly #tenant: VerifiedTenant;
  readonly #chain: ChainPlace;
  readonly #findings: PartFindings;
  readonly #verifier: ChainVerifier;
  #assigned: number | null = null;
  unassigned = 0;

  constructor(deps: VerifyDeps, tenant: VerifiedTenant, chain: ChainPlace, findings: PartFindings) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#chain = chain;
    this.#findings = findings;
    this.#verifier = new ChainVerifier({
      tenantId: tenant.context.tenantId,
      sourceSystem: chain.source_system,
      expectedPrev: chain.prev,
      fromSequence: chain.expected,
      ...(chain.recorded_at_ms === null ? {} : { lastRecordedAtMs: chain.recorded_at_ms }),
      committer: new Committer(),
      duplicateKeys: tenant.context.duplicateKeys,
      memberTags: tenant.context.memberTags,
    });
  }

  get seen(): number {
    return this.#verifier.checked;
  }

  /** @returns whether the requested part of the chain is done. */
  async entries(): Promise<boolean> {
    const { source_system: sourceSystem, expected: from, last: to } = this.#chain;
    const batches = rowBatches(this.#tenant, { sourceSystem, from, to }, () => this.#deps.clock.nowMs());
    for await (const batch of batches) {
      stopIfLeft(this.#deps.signal);
      const leaves = this.#leavesOf(batch.rows);
      // Handled below; a fault while the batch is hashed must not count as unhandled.
      leaves.catch(() => {});
      const explained = await this.#explained(batch.rows.filter((row) => malformedField(row) === null));
      for (const [i, row] of batch.rows.entries()) {
        if (i % SLICE_ROWS === SLICE_ROWS - 1) await nextTurn();
        this.#verifier.check(row, batch.copies.get(row.worm_sha256 ?? ''), explained.has(row._id.seq));
      }
      await this.#compareLeaves(batch.rows, await leaves);
      if (this.seen >= this.#deps.partRows) return this.#report(false);
    }
    return this.#report(true);
  }

  /** Returns the rows without content that a disposal accounts for. */
  #explained(rows: readonly LedgerRow[]): Promise<ReadonlySet<number>> {
    const holes = rows.filter(isBare).map(({ event_id, _id }) => ({ event_id, seq: _id.seq }));
    const { integrity, context } = this.#tenant;
    return explainHoles({ integrity, ledger: context.ledger }, this.#chain.source_system, holes);
  }

  async headers(): Promise<boolean> {
    const { source_system: sourceSystem, last } = this.#chain;
    const { integrity, context } = this.#tenant;
    const read = async (from: number) => {
      const headers = await integrity.headers(sourceSystem, from, BATCH_HEADERS);
      const asked = headers.at(-1)?.seq ?? 0;
      const batch = asked > last ? headers.filter(({ seq }) => seq <= last) : headers;
      const rows = batch.map((header) => headerRow(context.tenantId, sourceSystem, header));
      return { rows, leaves: await this.#leavesOf(rows) };
    };
    let from = this.#chain.expected;
    let pending = read(from);
    for (;;) {
      const { rows, leaves } = await pending;
      if (rows.length === 0) return this.#report(true);
      from = sequenceAfter(rows, from);
      pending = read(from);
      pending.catch(() => {});
      for (const row of rows) this.#verifier.checkHeader(row);
      await this.#compareLeaves(rows, leaves);
      await nextTurn();
      stopIfLeft(this.#deps.signal);
      if (this.seen >= this.#deps.partRows) return this.#report(false);
    }
  }

  /** Place where the next part continues. */
  place(): ChainPlace {
    const time = this.#verifier.lastRecordedAtMs;
    return {
      ...this.#chain,
      expected: this.#verifier.lastSequence + 1,
      prev: this.#verifier.headHash ?? this.#chain.prev,
      recorded_at_ms: Number.isFinite(time) ? time : null,
      checked: this.#chain.checked + this.seen,
    };
  }

  range() {
    const { source_system, from, last, checked, prev } = this.#chain;
    return {
      source_system,
      from_sequence: from,
      to_sequence: Math.max(last, this.#verifier.lastSequence),
      checked: checked + this.seen,
      head_hash: this.#verifier.headHash ?? (checked > 0 ? prev : null),
    };
  }

  #report(ended: boolean): boolean {
    if (ended) this.#verifier.finish(this.#chain.last);
    this.#findings.report(this.#verifier.takeBreaks());
    return ended;
  }

  #leavesOf(rows: readonly HeaderRow[]): Promise<ReadonlyMap<number, string>> {
    const sequences = rows.map(({ _id }) => _id.seq).filter(Number.isSafeInteger);
    return leavesOf(this.#tenant.tree, this.#chain.source_system, sequences);
  }

  /** A verifier checks for every event that its chain hash is its tree leaf (evidence.md section 2). */
  async #compareLeaves(rows: readonly HeaderRow[], leaves: ReadonlyMap<number, string>): Promise<void> {
    const breaks: Break[] = [];
    const sound = rows.filter((row) => malformedHeader(row) === null);
    const late = await this.#lateLeaves(sound, leaves);
    for (const row of sound) {
      const leaf = leaves.get(row._id.seq) ?? late.get(row._id.seq);
      if (leaf === row.entry_hash) continue;
      if (leaf !== undefined) breaks.push(leafBreak('TREE_MISMATCH', row, 'entry_hash is not the leaf in the tree.'));
      else if (row._id.seq > (await this.#assignedUpTo())) this.unassigned++;
      else
        breaks.push(leafBreak('TREE_MISSING', row, 'Later entries of the chain have a leaf, and this entry has none.'));
    }
    this.#findings.report(breaks);
  }

  /** Returns leaves that were assigned after the leaves were read and before their end was read. */
  async #lateLeaves(
    rows: readonly HeaderRow[],
    leaves: ReadonlyMap<number, string>,
  ): Promise<ReadonlyMap<number, string>> {
    const missing = leaves.size >= rows.length ? [] : rows.filter(({ _id }) => !leaves.has(_id.seq));
    if (missing.length === 0) return leaves;
    const assigned = await this.#assignedUpTo();
    return this.#leavesOf(missing.filter(({ _id }) => _id.seq <= assigned));
  }

  async #assignedUpTo(): Promise<number> {
    this.#assigned ??= await this.#tenant.tree.assignedUpTo(this.#chain.source_system);
    return this.#assigned;
  }
}

const leafBreak = (kind: Break['kind'], row: HeaderRow, detail: string): Break => ({
  kind,
  source_system: row._id.source_system,
  sequence: row._id.seq,
  event_id: row.event_id,
  detail,
});

/** Does not read the identity outside the key; the full depth compares it. */
const headerRow = (tenant_id: string, source_system: string, header: EntryHeader): HeaderRow => ({
  _id: { tenant_id, source_system, seq: header.seq },
  tenant_id,
  source_system,
  event_id: header.event_id,
  recorded_at: header.recorded_at,
  commit: header.commit,
  fields: header.fields,
  member_tag: header.member_tag,
  prev_hash: header.prev_hash,
  entry_hash: header.entry_hash,
});
