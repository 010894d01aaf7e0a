import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memberOf } from '../../../bench/members/directory.js';
import { madePerson, misspelt } from '../../../bench/members/made-people.js';
import type { Database } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { comparableOf } from '../../../subgraphs/members-graph/domain/matching/comparable.js';
import { DEFAULT_ODDS } from '../../../subgraphs/members-graph/domain/matching/match-fields.js';
import type { PersonRecord } from '../../../subgraphs/members-graph/domain/matching/person-record.js';
import { scoreOf } from '../../../subgraphs/members-graph/domain/matching/score.js';
import { storedKeys } from '../../../subgraphs/members-graph/domain/members/member-keys.js';
import { matchModelStore } from '../../../subgraphs/members-graph/model/match-model-model.js';
import { memberStore } from '../../../subgraphs/members-graph/model/member-repository.js';
import { prepareMemberCollections } from '../../../subgraphs/members-graph/model/prepare.js';
import { learnModels } from '../../../subgraphs/members-graph/service/members/learn-model.js';
import { MatchModels } from '../../../subgraphs/members-graph/service/members/match-models.js';
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
  await prepareMemberCollections(database);
  for (let n = 0; n < PEOPLE; n++) {
    await put(TWICE, `A-${n}`, madePerson(n));
    if (n % 2 === 0) await put(TWICE, `B-${n}`, damaged(n));
    // Nobody comes twice.
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

describe('the job that learns the weights of matching', () => {
  test('writes nothing down when it is told to stop', async () => {
    await learn(AbortSignal.abort());
    expect(await models().get(TWICE)).toBeNull();
  });

  test('learns from those who come twice, and only counts names where nobody does', async () => {
    await learn();
    const learnt = await models().get(TWICE);
    expect(learnt?.members).toBe(PEOPLE * 1.5);
    expect(learnt?.names.given.map(([name]) => name)).toContain('james');
    // Dates of birth are less to be relied upon here than the odds that the service begins with say.
    expect(learnt?.odds?.birth_date.EXACT.m).toBeLessThan(DEFAULT_ODDS.birth_date.EXACT.m);
    expect(learnt?.match_share).toBeGreaterThan(0);
    const plain = await models().get(ONCE);
    expect([plain?.members, plain?.odds, plain?.match_share]).toEqual([PEOPLE, null, null]);
  });

  test('searches go by what it has written down', async () => {
    const learnt = await new MatchModels(models(), clock).of(TWICE);
    const begun = await new MatchModels({ get: async () => null, put: async () => undefined }, clock).of(TWICE);
    const [a, b] = [comparableOf(madePerson(4)), comparableOf(damaged(4))];
    expect(scoreOf(a, b, learnt).weight).not.toBeCloseTo(scoreOf(a, b, begun).weight, 1);
  });

  test('reads a directory through again when it has grown by a tenth, and not before', async () => {
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
