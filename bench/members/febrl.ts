import { systemClock } from '../../shared/clock/clock.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { comparableOf, type PersonRecord } from '../../subgraphs/members-graph/matching/domain/comparable.js';
import { DEFAULT_THRESHOLDS } from '../../subgraphs/members-graph/matching/domain/grade.js';
import { lookupKeys } from '../../subgraphs/members-graph/matching/domain/keys.js';
import type { MemberStore, MergeStore } from '../../subgraphs/members-graph/members/ports.js';
import { MatchModels, readThrough } from '../../subgraphs/members-graph/search/match-models.js';
import {
  gradedMatches,
  narrowKeys,
  rankedTyped,
  type SearchDeps,
} from '../../subgraphs/members-graph/search/search-members.js';
import { fill, memberOf, startDirectory } from './directory.js';
import { type FebrlRecord, hasFebrl, readFebrl } from './febrl-samples.js';
import { memoryMembers } from './memory-members.js';

// `npm run matching:febrl [-- --every 10]`: measures the quality of matching on FEBRL 4 (each of b against a), with the
// service's initial odds and thresholds; first in memory, then through the store and its index.

const CONCURRENCY = 8;
const ALL = new Set<string>();
const WITHOUT_SSN = new Set(['soc_sec_id']);
/** Uses the service's initial odds and its counted name frequencies. */
async function modelsOf(members: MemberStore, tenantId: TenantId): Promise<MatchModels> {
  const read = await readThrough(members(tenantId), 0);
  if (read === null) throw new Error('the directory was not read through');
  const learnt = { ...read, odds: null, match_share: null, pairs: 0, learnt_at: new Date(0) };
  return new MatchModels({ get: async () => learnt, put: async () => undefined }, systemClock);
}

const merges: MergeStore = () => {
  throw new Error('nobody is merged here');
};

const everyAt = process.argv.indexOf('--every');
const every = everyAt === -1 ? 1 : Math.max(1, Number(process.argv[everyAt + 1]));

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

interface Case {
  readonly tenantId: TenantId;
  readonly without: ReadonlySet<string>;
  readonly title: string;
}

const CASES: readonly Case[] = [
  { tenantId: 'febrl-all' as TenantId, without: ALL, title: 'all fields' },
  { tenantId: 'febrl-no-ssn' as TenantId, without: WITHOUT_SSN, title: 'without the social security number' },
];

const originals = (of: Case): readonly FebrlRecord[] => readFebrl('febrl_dataset4a.csv', of.without);
const copies = (of: Case): readonly FebrlRecord[] =>
  readFebrl('febrl_dataset4b.csv', of.without).filter((_, at) => at % every === 0);

/** Runs calls concurrently, like requests. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
}

async function matching(of: Case, members: MemberStore): Promise<string> {
  const models = await modelsOf(members, of.tenantId);
  const deps: SearchDeps = { members, merges, models, thresholds: DEFAULT_THRESHOLDS };
  const asked = copies(of);
  const count = { met: 0, candidates: 0, right: 0, wrong: 0 };
  await each(asked, async ({ truth, record }) => {
    const found = await members(of.tenantId).findByKeys(lookupKeys(comparableOf(record)), 5_000);
    count.candidates += found.length;
    if (found.some(({ member_id }) => member_id === truth)) count.met += 1;
    for (const { member, match } of await gradedMatches(deps, of.tenantId, record)) {
      if (match === 'POSSIBLE') continue;
      if (member.member_id === truth) count.right += 1;
      else count.wrong += 1;
    }
  });
  const f1 = (2 * count.right) / (count.right + count.wrong + asked.length);
  const reduction = 1 - count.candidates / (asked.length * originals(of).length);
  return (
    `${of.title}: F1 ${f1.toFixed(4)} (${count.right} right, ${count.wrong} wrong, ${asked.length - count.right} missed); ` +
    `pairs under shared keys ${percent(count.met, asked.length)}, reduction ${percent(reduction, 1)}`
  );
}

async function typing(of: Case, members: MemberStore, withDate: boolean): Promise<string> {
  const models = await modelsOf(members, of.tenantId);
  const deps: SearchDeps = { members, merges, models, thresholds: DEFAULT_THRESHOLDS };
  const asked = copies(of);
  const count = { first: 0, five: 0 };
  await each(asked, async ({ truth, record: { family = '', given = [], birthDate = '' } }) => {
    const record: PersonRecord = { family, given, ...(withDate ? { birthDate } : {}) };
    const typed = { person: comparableOf(record), identifierTexts: [] };
    const narrow = await narrowKeys(members(of.tenantId), typed);
    const ranked = await rankedTyped(deps, of.tenantId, typed, narrow);
    const place = ranked.slice(0, 5).findIndex(({ member }) => member.member_id === truth);
    if (place === 0) count.first += 1;
    if (place >= 0) count.five += 1;
  });
  const by = withDate ? 'name and birth date' : 'name alone';
  return `typed, ${by}: first ${percent(count.first, asked.length)}, among five ${percent(count.five, asked.length)}`;
}

async function figures(title: string, membersOf: (of: Case) => MemberStore): Promise<void> {
  say(`${title}:`);
  for (const of of CASES) say(`  ${await matching(of, membersOf(of))}`);
  const [all] = CASES;
  if (all === undefined) return;
  for (const withDate of [true, false]) say(`  ${await typing(all, membersOf(all), withDate)}`);
}

function* rowsOf(of: Case) {
  for (const { truth, record } of originals(of)) yield memberOf(of.tenantId, truth, record);
}

if (!hasFebrl) {
  say('skipped: ../shared/samples/mpi is not here');
} else {
  say(`FEBRL 4: ${originals(CASES[0] as Case).length} originals, every ${every} of the damaged copies`);
  const inMemory = new Map(CASES.map((of) => [of, memoryMembers([...rowsOf(of)])]));
  await figures('in memory', (of) => inMemory.get(of) as MemberStore);
  const directory = await startDirectory();
  try {
    for (const of of CASES) await fill(directory, rowsOf(of));
    await figures('through the store', () => directory.members);
  } finally {
    await directory.stop();
  }
}
