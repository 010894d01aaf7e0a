import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memberOf } from '../../../bench/members/directory.js';
import { madePerson, misspelt } from '../../../bench/members/made-people.js';
import type { Database } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { createIndexes } from '../../../shared/records/collections.js';
import { comparableOf, type PersonRecord } from '../../../subgraphs/members-graph/matching/domain/comparable.js';
import { DEFAULT_ODDS } from '../../../subgraphs/members-graph/matching/domain/match-fields.js';
import { scoreOf } from '../../../subgraphs/members-graph/matching/domain/score.js';
import { storedKeys } from '../../../subgraphs/members-graph/members/domain/keys.js';
import { membersArea } from '../../../subgraphs/members-graph/members/index.js';
import { memberStore } from '../../../subgraphs/members-graph/members/model/members.js';
import { learnModels, MatchModels } from '../../../subgraphs/members-graph/search/match-models.js';
import { matchModelStore } from '../../../subgraphs/members-graph/search/model.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock } from '../../support/fakes.js';

// The job `members.learn` over directories in the store: what it writes down, when it does, and that searches go by it.

const TWICE = 't-twice' as TenantId;
const ONCE = 't-once' as TenantId;
const PEOPLE = 240;

let server: TestServer;
let database: Database;
const clock = new ManualClock();

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('eas');
  await createIndexes(database.db, membersArea.collections ?? []);
  for (let n = 0; n < PEOPLE; n++) {
    await put(TWICE, `A-${n}`, madePerson(n));
    if (n % 2 === 0) await put(TWICE, `B-${n}`, damaged(n));
    // No duplicates.
    await put(ONCE, `A-${n}`, madePerson(n));
  }
}, 120_000);
afterAll(() => server.stop());

/** The same person as another clerk took them down; every fourth with another date of birth. */
function damaged(n: number): PersonRecord {
  const person = madePerson(n);
  const family = n % 3 === 0 ? misspelt(person.family ?? '', n) : (person.family ?? '');
  const { identifiers: _, ...known } = person;
  return { ...known, family, ...(n % 4 === 0 ? { birthDate: '1950-06-15' } : {}) };
}

const members = () => memberStore(database.db, { relay: async () => undefined });
const models = () => matchModelStore(database.db);

async function put(tenantId: TenantId, id: string, person: PersonRecord): Promise<void> {
  const member = memberOf(tenantId, id, person);
  await members()(tenantId).insert({ member, keys: storedKeys(member), pending: [] });
}

const learn = (signal?: AbortSignal) =>
  learnModels(
    { members: members(), models: models(), clock, ledgerDisposal: { tenantIds: async () => [TWICE, ONCE] } },
    signal,
  );

describe('members.learn', () => {
  it('stores nothing when aborted', async () => {
    await learn(AbortSignal.abort());
    expect(await models().get(TWICE)).toBeNull();
  });

  it('learns from duplicates, and only counts names without duplicates', async () => {
    await learn();
    const learnt = await models().get(TWICE);
    expect(learnt?.members).toBe(PEOPLE * 1.5);
    expect(learnt?.names.given.map(([name]) => name)).toContain('james');
    // Dates of birth are less to be relied upon here than the odds that the service begins with say.
    expect(learnt?.odds?.birth_date.EXACT?.m).toBeLessThan(DEFAULT_ODDS.birth_date.EXACT.m);
    expect(learnt?.match_share).toBeGreaterThan(0);
    const plain = await models().get(ONCE);
    expect([plain?.members, plain?.odds, plain?.match_share]).toEqual([PEOPLE, null, null]);
  });

  it('gives searches the learnt weights', async () => {
    const learnt = await new MatchModels(models(), clock).of(TWICE);
    const begun = await new MatchModels({ get: async () => null, put: async () => undefined }, clock).of(TWICE);
    const [a, b] = [comparableOf(madePerson(4)), comparableOf(damaged(4))];
    expect(scoreOf(a, b, learnt).weight).not.toBeCloseTo(scoreOf(a, b, begun).weight, 1);
  });

  it('learns again when the directory has grown by a tenth', async () => {
    const first = await models().get(ONCE);
    clock.advance(60_000);
    for (let n = 0; n < 12; n++) await put(ONCE, `C-${n}`, madePerson(1_000 + n));
    await learn();
    expect((await models().get(ONCE))?.learnt_at).toEqual(first?.learnt_at);
    for (let n = 12; n < 25; n++) await put(ONCE, `C-${n}`, madePerson(1_000 + n));
    await learn();
    expect(await models().get(ONCE)).toMatchObject({ members: PEOPLE + 25, learnt_at: new Date(clock.nowMs()) });
  });
});
