import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CollationOptions, Collection, Document } from 'mongodb';
import { seeded } from '../seeded.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { pick } from '../values/generator.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const TEXTS = [
  'a',
  'A',
  'á',
  'Á',
  'ab',
  'AB',
  'a-b',
  'b',
  'ß',
  'ss',
  'SS',
  'æ',
  'ae',
  '10',
  '9',
  '010',
  '',
  'é',
  'e\u0301',
  'Z',
];
const CASELESS = { locale: 'en', strength: 2 };
const COLLATIONS: (CollationOptions | undefined)[] = [
  undefined,
  CASELESS,
  { locale: 'en', strength: 1 },
  { locale: 'en', strength: 3, numericOrdering: true },
  { locale: 'sv', strength: 1 },
];

type Random = () => number;

function someValue(random: Random): unknown {
  const kinds = [
    () => pick(random, TEXTS),
    () => pick(random, TEXTS),
    () => pick(random, TEXTS),
    () => Math.floor(random() * 4),
    () => null,
    () => ({ x: pick(random, TEXTS) }),
    () => [pick(random, TEXTS), Math.floor(random() * 3)],
  ];
  return pick(random, kinds)();
}

const scalar = (random: Random): unknown => {
  const value = someValue(random);
  return Array.isArray(value) ? value[0] : value;
};

function someFilter(random: Random): Document {
  const field = pick(random, ['s', 't', 'n', 'arr']);
  const conditions = [
    () => scalar(random),
    () => ({ $in: [scalar(random), scalar(random)] }),
    () => ({ [pick(random, ['$gt', '$gte', '$lt', '$lte'])]: pick(random, TEXTS) }),
    () => ({ $ne: scalar(random) }),
    () => ({ $gt: Math.floor(random() * 3) }),
    () => ({ $regex: '^a' }),
  ];
  const one = { [field]: pick(random, conditions)() };
  if (random() < 0.3) return { $or: [one, { s: scalar(random) }] };
  return random() < 0.4 ? { ...one, s: scalar(random), n: { $lt: 3 } } : one;
}

async function filled(random: Random): Promise<Collection<Document>> {
  const c = server.db().collection('c');
  const documents = Array.from({ length: 300 }, (_, n) => ({
    _id: n as never,
    s: scalar(random),
    t: pick(random, TEXTS),
    n: Math.floor(random() * 4),
    arr: someValue(random),
  }));
  await c.insertMany(documents);
  await c.createIndexes([
    { key: { s: 1, n: -1 }, name: 'caseless', collation: CASELESS },
    { key: { n: 1, s: -1 }, name: 'swedish', collation: { locale: 'sv', strength: 1 } },
    { key: { arr: -1 }, name: 'elements', collation: { locale: 'en', strength: 1 } },
    { key: { t: 1 }, name: 'plain' },
    { key: { s: 1 }, name: 'partial', collation: CASELESS, partialFilterExpression: { n: { $gt: 1 } } },
  ]);
  return c;
}

describe('indexes with and without a collation', () => {
  it('give the same results and order for every query collation', async () => {
    const random = seeded(67);
    const c = await filled(random);
    let used = 0;
    for (let i = 0; i < 150; i++) {
      const filter = someFilter(random);
      const collation = pick(random, COLLATIONS);
      const sort = pick(random, [{ _id: 1 }, { s: 1, _id: 1 }, { n: -1, s: 1, _id: 1 }, { t: -1, _id: 1 }] as const);
      const options = { sort, ...(collation ? { collation } : {}) };
      const ids = async (hint?: Document) =>
        (await c.find(filter, { ...options, ...(hint ? { hint } : {}) }).toArray()).map(({ _id }) => _id).join();
      const scanned = await ids({ $natural: 1 });
      expect([filter, options, await ids()]).toEqual([filter, options, scanned]);
      const counted = await c.countDocuments(filter, collation ? { collation } : {});
      expect(counted).toBe(scanned === '' ? 0 : scanned.split(',').length);
      const plan = await c.find(filter, options).explain('queryPlanner');
      if (JSON.stringify(plan).includes('IXSCAN')) used++;
    }
    expect(used).toBeGreaterThan(30);
    expect(await c.db.command({ validate: 'c' })).toMatchObject({ valid: true });
  });

  it('reject exactly the duplicates of their collation', async () => {
    const random = seeded(71);
    for (const collation of COLLATIONS.slice(1) as CollationOptions[]) {
      const c = server.db().collection<{ s: string; n: number }>('u');
      await c.createIndex({ s: 1, n: 1 }, { unique: true, collation });
      const { compare } = new Intl.Collator(collation.locale, {
        sensitivity: collation.strength === 1 ? 'base' : collation.strength === 2 ? 'accent' : 'variant',
        numeric: collation.numericOrdering === true,
      });
      const kept: { s: string; n: number }[] = [];
      for (let i = 0; i < 90; i++) {
        const next = { s: pick(random, TEXTS) + pick(random, TEXTS), n: Math.floor(random() * 2) };
        const taken = kept.some(({ s, n }) => n === next.n && compare(s, next.s) === 0);
        const outcome = await c.insertOne({ ...next }).then(
          () => 'kept',
          (error: { code?: number }) => error.code,
        );
        expect([next, outcome]).toEqual([next, taken ? 11000 : 'kept']);
        if (!taken) kept.push(next);
      }
      expect(kept.length).toBeGreaterThan(20);
      expect(kept.length).toBeLessThan(90);
    }
  });
});
