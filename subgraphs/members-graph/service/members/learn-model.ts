import type { Clock } from '../../../../shared/clock/clock.js';
import type { LedgerDisposal } from '../../../../shared/contracts/disposal.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { lookupKeys } from '../../domain/matching/blocking-keys.js';
import { type Comparable, comparableOf } from '../../domain/matching/comparable.js';
import { learnOdds, type Pair } from '../../domain/matching/learn-odds.js';
import { DEFAULT_ODDS } from '../../domain/matching/match-fields.js';
import { personOf } from '../../domain/members/member-keys.js';
import type { LearntModel, MatchModelStore } from '../ports/match-model-store.js';
import type { MemberStore, StoredMember, TenantMembers } from '../ports/member-store.js';

export interface LearnDeps {
  readonly members: MemberStore;
  readonly models: MatchModelStore;
  readonly clock: Clock;
}

const PAGE = 500;
/** Members whose candidates are looked at; more would teach little more. */
const SAMPLED = 1_000;
const CANDIDATES_EACH = 20;
/** Pairs that must be of one person before what they teach is used: a directory without duplicates teaches nothing of them. */
const LEAST_MATCHES = 50;
/** A directory is read through again when it has grown by a tenth. */
const GROWTH = 1.1;
/** Names that fewer have are rare, whatever their number. */
const LEAST_NAMESAKES = 3;
const MOST_NAMES = 50_000;

/** Learns the weights of every tenant whose directory has grown since. */
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

/** What the directory as it stands teaches; null when told to stop. */
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
  const isTaught = learnt.matchShare * learnt.pairs >= LEAST_MATCHES;
  return {
    odds: isTaught ? learnt.odds : null,
    match_share: isTaught ? learnt.matchShare : null,
    pairs: learnt.pairs,
    members: read.members,
    names: read.names,
    learnt_at: new Date(deps.clock.nowMs()),
  };
}

export interface ReadDirectory extends Pick<LearntModel, 'names' | 'members'> {
  /** Members spread over all of them. */
  readonly sample: readonly StoredMember[];
}

/** Counts the names of all members, a page at a time; null when told to stop. */
export async function readThrough(
  members: Pick<TenantMembers, 'after'>,
  size: number,
  signal?: AbortSignal,
): Promise<ReadDirectory | null> {
  const names = { given: new Map<string, number>(), family: new Map<string, number>() };
  const sample: StoredMember[] = [];
  const step = Math.max(1, Math.floor(size / SAMPLED));
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
      if (seen++ % step === 0 && sample.length < SAMPLED) sample.push(member);
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
    .filter(([, members]) => members >= LEAST_NAMESAKES)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_NAMES);

/** Pairs that share a key, and pairs that chance puts side by side. */
async function pairsOf(
  members: TenantMembers,
  sample: readonly StoredMember[],
): Promise<{ readonly candidates: readonly Pair[]; readonly strangers: readonly Pair[] }> {
  const candidates: Pair[] = [];
  const strangers: Pair[] = [];
  let before: Comparable | undefined;
  for (const member of sample) {
    const person = comparableOf(personOf(member));
    const found = await members.under(lookupKeys(person), CANDIDATES_EACH);
    for (const other of found) {
      if (other.member_id !== member.member_id) candidates.push([person, comparableOf(personOf(other))]);
    }
    if (before) strangers.push([before, person]);
    before = person;
  }
  return { candidates, strangers };
}
