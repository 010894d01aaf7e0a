import { afterAll, describe, expect, it } from '@jest/globals';
import { rawId } from '../../bson/raw.js';
import { BsonDoc, type BsonValue, toBson } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { Execution, sortFields } from '../../exec/execution.js';
import { compileSortKey } from '../../keystring/extract.js';
import { compileMatcher } from '../../match/matcher.js';
import type { Access } from '../../planner/plan.js';
import { planQuery } from '../../planner/plan-query.js';
import { shellText } from '../../store/duplicate-key.js';
import { seeded } from '../seeded.js';
import { FilterGenerator } from './filters.js';
import { type World, Worlds } from './plan-worlds.js';

/** EMBEDDED_MONGO_PLAN_CASES: comparisons of an index plan with a full scan; EMBEDDED_MONGO_PLAN_SEED: where to begin. */
const cases = Number(process.env['EMBEDDED_MONGO_PLAN_CASES'] ?? 2_000);
const firstSeed = Number(process.env['EMBEDDED_MONGO_PLAN_SEED'] ?? 1);
const QUERIES_PER_WORLD = 60;

const worlds = new Worlds();
afterAll(() => worlds.close());

interface Query {
  readonly filter: BsonDoc;
  readonly sort: BsonDoc | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
}

interface Outcome {
  readonly access: Access;
  readonly documents: readonly Buffer[];
}

/** Runs a query, pausing now and then as a busy server does. */
function run(
  world: World,
  { filter, sort, skip, limit }: Query,
  hint: BsonValue | undefined,
  random: () => number,
): Outcome {
  const { collection, env, store } = world;
  const matcher = compileMatcher(filter);
  const plan = planQuery({ collection, root: matcher.root, sort: sort ? sortFields(sort) : [], hint });
  const execution = new Execution({ store, data: env.data }, { collection, plan, matcher, sort, skip, limit });
  const documents: Buffer[] = [];
  for (let step = execution.step(); step !== 'done'; step = execution.step()) {
    if (step === 'document') documents.push(Buffer.from(execution.raw));
    if (random() < 0.05) execution.suspend();
  }
  execution.suspend();
  return { access: plan.access, documents };
}

const idOf = (raw: Buffer): string => rawId(raw)?.bytes().toString('hex') ?? '';

/** Same documents; in the same order, as far as the sort tells them apart. */
function difference(query: Query, planned: readonly Buffer[], scanned: readonly Buffer[]): string | undefined {
  if (planned.length !== scanned.length) return `${planned.length} documents instead of ${scanned.length}`;
  const [ours, theirs] = [planned, scanned].map((documents) => documents.map(idOf));
  if (query.sort?.has('_id')) return ours?.join() === theirs?.join() ? undefined : `order ${ours} instead of ${theirs}`;
  if (ours?.toSorted().join() !== theirs?.toSorted().join()) return `documents ${ours} instead of ${theirs}`;
  if (!query.sort) return undefined;
  const keyOf = compileSortKey(sortFields(query.sort));
  const at = planned.findIndex((raw, i) => !keyOf(raw).equals(keyOf(scanned[i] as Buffer)));
  return at < 0 ? undefined : `another order from ${at} on`;
}

function randomQuery(generator: FilterGenerator, random: () => number): Query {
  const filter = generator.filter();
  const limited = random() < 0.4;
  const sort = generator.sort();
  // Which of several equals a limit keeps is anybody's choice, unless the order tells all apart.
  if (limited) (sort ?? new BsonDoc()).set('_id', toBson(random() < 0.5 ? 1 : -1));
  const total = limited && sort?.has('_id') === true;
  return {
    filter,
    sort,
    skip: total && random() < 0.5 ? Math.floor(random() * 5) : 0,
    limit: total ? 1 + Math.floor(random() * 12) : undefined,
  };
}

describe('plans', () => {
  it(`${cases} index plans give what a full scan gives, in the same order`, async () => {
    let compared = 0;
    let unions = 0;
    let orders = 0;
    for (let seed = firstSeed; compared < cases; seed++) {
      // lmdb-js reads ever more slowly where transactions follow each other within one event turn.
      await new Promise((resolve) => setImmediate(resolve));
      const random = seeded(seed);
      const world = worlds.make(random);
      const generator = new FilterGenerator(random, world.pool);
      const hints = world.collection.indexes.filter(({ spec }) => !spec.sparse).map(({ name }) => name);
      for (let n = 0; n < QUERIES_PER_WORLD; n++) {
        const query = randomQuery(generator, random);
        const scanned = unlessRefused(() => run(world, query, toBson({ $natural: 1 }), random));
        if (!scanned) continue;
        for (const hint of [undefined, ...hints]) {
          const planned = unlessRefused(() => run(world, query, hint, random));
          if (!planned || planned.access.kind === 'collection') continue;
          compared += 1;
          if (planned.access.kind === 'union') unions += 1;
          if (query.sort) orders += 1;
          const told = difference(query, planned.documents, scanned.documents);
          if (!told) continue;
          const text = `${shellText(query.filter)} sort ${shellText(query.sort)} skip ${query.skip} limit ${query.limit}`;
          const indexes = world.collection.indexes.map(({ spec }) => `${spec.name} ${shellText(spec.key)}`);
          throw new Error(`seed ${seed}, query ${n}, ${hint ?? 'chosen'} (${indexes}): ${told}: ${text}`);
        }
      }
    }
    expect(compared).toBeGreaterThanOrEqual(cases);
    expect(orders).toBeGreaterThan(cases / 4);
    expect(unions).toBeGreaterThan(0);
  }, 3_600_000);
});

/** A partial index may be unable to answer, and two arrays cannot be sorted by: errors, never wrong answers. */
function unlessRefused<R>(act: () => R): R | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof MongoError && (error.code === 291 || isParallelSort(error))) return undefined;
    throw error;
  }
}

/** A sort by two arrays: BadValue, which other errors share. */
function isParallelSort({ codeName, message }: MongoError): boolean {
  return codeName === 'BadValue' && message === 'cannot sort with keys that are parallel arrays';
}
