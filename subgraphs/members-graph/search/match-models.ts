import type { Clock } from '../../../shared/clock/clock.js';
import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import {
  type Comparable,
  comparableOf,
  DEFAULT_ODDS,
  learnOdds,
  lookupKeys,
  type MatchModel,
  type Pair,
} from '../matching/domain/index.js';
import { personOf } from '../members/domain/index.js';
import type { MemberStore, StoredMember, TenantMembers } from '../members/index.js';
import type { LearntModel, MatchModelStore } from './ports.js';

interface LearnDeps {
  readonly members: MemberStore;
  readonly models: MatchModelStore;
  readonly clock: Clock;
}

const PAGE = 500;
/** Members in the sample; a larger sample would hardly improve the weights. */
const SAMPLE_SIZE = 1_000;
const MAX_CANDIDATES_EACH = 20;
/** Matches needed to use learnt weights: a directory without duplicates gives no evidence about them. */
const MIN_MATCHES = 50;
/** Growth of the directory after which the weights are learnt again. */
const GROWTH = 1.1;
/** Names of fewer members count as rare. */
const MIN_NAMESAKES = 3;
const MAX_NAMES = 50_000;

/** Learns the weights of every tenant with a directory that has grown by a tenth. */
export async function learnModels(
  deps: LearnDeps & { readonly ledgerDisposal: Pick<LedgerDisposal, 'tenantIds'> },
  signal?: AbortSignal,
): Promise<void> {
  for (const tenantId of await deps.ledgerDisposal.tenantIds()) {
    if (signal?.aborted) return;
    const members = await deps.members(tenantId).count();
    const learnt = await deps.models.get(tenantId);
    if (members === 0 || (learnt !== null && members < learnt.members * GROWTH)) continue;
    const model = await learnModel(deps, tenantId, members, signal);
    if (model !== null) await deps.models.put(tenantId, model);
  }
}

/** Learns weights from the current directory. @returns null when aborted */
export async function learnModel(
  deps: Pick<LearnDeps, 'members' | 'clock'>,
  tenantId: TenantId,
  size: number,
  signal?: AbortSignal,
): Promise<LearntModel | null> {
  const members = deps.members(tenantId);
  const read = await readThrough(members, size, signal);
  if (read === null) return null;
  const { candidates, strangers } = await pairsOf(members, read.sample);
  const rarity = { ...countsOf(read.names), members: read.members, holdersOf: () => 0 };
  const learnt = learnOdds(candidates, strangers, { odds: DEFAULT_ODDS, rarity });
  const hasEvidence = learnt.matchShare * learnt.pairs >= MIN_MATCHES;
  return {
    odds: hasEvidence ? learnt.odds : null,
    match_share: hasEvidence ? learnt.matchShare : null,
    pairs: learnt.pairs,
    members: read.members,
    names: read.names,
    learnt_at: new Date(deps.clock.nowMs()),
  };
}

interface DirectorySample extends Pick<LearntModel, 'names' | 'members'> {
  /** Members spread evenly over the directory. */
  readonly sample: readonly StoredMember[];
}

/** Counts the names of all members page by page. @returns null when aborted */
export async function readThrough(
  members: Pick<TenantMembers, 'after'>,
  size: number,
  signal?: AbortSignal,
): Promise<DirectorySample | null> {
  const names = { given: new Map<string, number>(), family: new Map<string, number>() };
  const sample: StoredMember[] = [];
  const step = Math.max(1, Math.floor(size / SAMPLE_SIZE));
  let seen = 0;
  for (let after = ''; ; ) {
    if (signal?.aborted) return null;
    const page = await members.after(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) break;
    for (const member of page) {
      const { given, family } = comparableOf(personOf(member));
      count(names.given, given.whole);
      count(names.family, family.whole);
      if (seen++ % step === 0 && sample.length < SAMPLE_SIZE) sample.push(member);
    }
    after = last.member_id;
  }
  return { names: { given: common(names.given), family: common(names.family) }, members: seen, sample };
}

function countsOf(names: LearntModel['names']) {
  const counts = { given: new Map(names.given), family: new Map(names.family) };
  return { countOf: (field: 'given' | 'family', name: string): number => counts[field].get(name) ?? 0 };
}

function count(counts: Map<string, number>, name: string): void {
  if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
}

const common = (counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...counts]
    .filter(([, members]) => members >= MIN_NAMESAKES)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_NAMES);

/** Returns pairs that share a key, and random pairs. */
async function pairsOf(
  members: TenantMembers,
  sample: readonly StoredMember[],
): Promise<{ readonly candidates: readonly Pair[]; readonly strangers: readonly Pair[] }> {
  const candidates: Pair[] = [];
  const strangers: Pair[] = [];
  let before: Comparable | undefined;
  for (const member of sample) {
    const person = comparableOf(personOf(member));
    const found = await members.findByKeys(lookupKeys(person), MAX_CANDIDATES_EACH);
    for (const other of found) {
      if (other.member_id !== member.member_id) candidates.push([person, comparableOf(personOf(other))]);
    }
    if (before) strangers.push([before, person]);
    before = person;
  }
  return { candidates, strangers };
}

const CACHED_MS = 60_000;
const MAX_TENANTS = 100;

interface CachedModel {
  readonly model: Promise<MatchModel>;
  readonly untilMs: number;
}

/** Caches each tenant's weights in memory for a minute: every search needs them, and they change by the hour. */
export class MatchModels {
  readonly #store: MatchModelStore;
  readonly #clock: Clock;
  readonly #kept = new Map<TenantId, CachedModel>();

  constructor(store: MatchModelStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  of(tenantId: TenantId): Promise<MatchModel> {
    const nowMs = this.#clock.monotonicMs();
    const kept = this.#kept.get(tenantId);
    if (kept && kept.untilMs > nowMs) return kept.model;
    if (this.#kept.size >= MAX_TENANTS) this.#kept.clear();
    const model = this.#store.get(tenantId).then(modelOf);
    this.#kept.set(tenantId, { model, untilMs: nowMs + CACHED_MS });
    // The next search retries a failed read.
    model.catch(() => this.#kept.delete(tenantId));
    return model;
  }
}

function modelOf(learnt: LearntModel | null): MatchModel {
  const given = new Map(learnt?.names.given ?? []);
  const family = new Map(learnt?.names.family ?? []);
  return {
    odds: learnt?.odds ?? DEFAULT_ODDS,
    rarity: {
      members: learnt?.members ?? 0,
      countOf: (field, name) => (field === 'given' ? given : family).get(name) ?? 0,
      holdersOf: () => 0,
    },
  };
}
