import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BSONRegExp, Decimal128, Double, Int32, Long, MaxKey, MinKey } from 'bson';
import { BSON, type Document, MongoClient } from 'mongodb';
import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, BsonUndefined, type BsonValue } from '../../bson/value.js';
import { parseCollation } from '../../compare/collation.js';
import { compareRaw, compareValues, equalRaw } from '../../compare/compare.js';
import { MongoError } from '../../errors.js';
import { compileSortOrder } from '../../keystring/collated.js';
import { type Direction, encodeKey, refOf } from '../../keystring/encode.js';
import { compileMatcher } from '../../match/matcher.js';
import { compileUpdate } from '../../update/updater.js';
import { seeded } from '../seeded.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { pick, randomValue } from './generator.js';
import { naiveCompare, naiveMatches } from './oracle.js';
import { naiveUpdate, Refused, Unsure } from './oracle-update.js';
import { render } from './render.js';

/** How many cases of each kind, and from which seed; a failure names its case, and the seed finds it again. */
const cases = Number(process.env['EMBEDDED_MONGO_DIFF_CASES'] ?? 1_000);
const seed = Number(process.env['EMBEDDED_MONGO_DIFF_SEED'] ?? 20_240_601);

const TIMEOUT_MS = 900_000;

type Random = () => number;

/** Few values, of many types, so that they meet. */
function closeValue(random: Random, depth = 2): BsonValue {
  const n = Math.floor(random() * 4);
  const makers: (() => BsonValue)[] = [
    () => new Int32(n),
    () => new Double(n),
    () => Long.fromNumber(n),
    () => Decimal128.fromString(pick(random, [`${n}`, `${n}.0`])),
    () => pick(random, ['a', 'b', '']),
    () => null,
    () => random() < 0.5,
    () => Array.from({ length: n }, () => (depth > 0 ? closeValue(random, depth - 1) : null)),
    () => closeDoc(random, depth - 1),
    () => randomValue(random, 1),
  ];
  return pick(random, depth > 0 ? makers : makers.slice(0, 7))();
}

const NAMES = ['a', 'b', 'c', '0', '1'];

function closeDoc(random: Random, depth: number): BsonDoc {
  const doc = new BsonDoc();
  for (const name of NAMES) if (random() < 0.4) doc.append(name, closeValue(random, depth));
  return doc;
}

function stored(random: Random): BsonDoc {
  const doc = new BsonDoc(['_id'], [new Int32(Math.floor(random() * 1_000))]);
  for (const [key, value] of closeDoc(random, 2)) doc.append(key, value);
  return doc;
}

const pathOf = (random: Random): string =>
  Array.from({ length: 1 + Math.floor(random() * 2.5) }, () => pick(random, NAMES)).join('.');

/** Operands the manual defines no plain comparison for. */
const isPlain = (value: BsonValue): boolean =>
  Array.isArray(value)
    ? value.every(isPlain)
    : !(
        value instanceof BSONRegExp ||
        value instanceof BsonUndefined ||
        value instanceof MinKey ||
        value instanceof MaxKey
      ) && !(value instanceof BsonDoc && value.keys[0]?.startsWith('$'));

function operand(random: Random): BsonValue {
  for (;;) {
    const value = closeValue(random);
    if (isPlain(value)) return value;
  }
}

function randomCondition(random: Random, depth: number): BsonDoc {
  const list = (): BsonValue[] => Array.from({ length: 1 + Math.floor(random() * 3) }, () => operand(random));
  const makers: (() => [string, BsonValue])[] = [
    () => [pick(random, ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte']), operand(random)],
    () => [pick(random, ['$in', '$nin', '$all']), list()],
    () => ['$exists', random() < 0.5],
    () => ['$size', new Int32(Math.floor(random() * 3))],
    () => ['$not', randomCondition(random, 0)],
    () => ['$elemMatch', random() < 0.5 ? randomCondition(random, 0) : randomFilter(random, 0)],
  ];
  const [operator, argument] = pick(random, depth > 0 ? makers : makers.slice(0, 3))();
  return new BsonDoc([operator], [argument]);
}

function randomFilter(random: Random, depth: number): BsonDoc {
  if (depth > 0 && random() < 0.2) {
    return new BsonDoc(
      [pick(random, ['$and', '$or', '$nor'])],
      [[randomFilter(random, depth - 1), randomFilter(random, depth - 1)]],
    );
  }
  const value = random() < 0.3 ? operand(random) : randomCondition(random, depth);
  return new BsonDoc([pathOf(random)], [value]);
}

/** Every difference is an error that shows the case. */
function differs(kind: string, at: number, ...parts: BsonValue[]): Error {
  return new Error(`${kind} differs in case ${at} of seed ${seed}: ${parts.map(render).join('  |  ')}`);
}

describe(`${cases} random cases of each kind, seed ${seed}`, () => {
  it(
    'keys, undecoded and decoded values are ordered as the manual orders them',
    () => {
      const random = seeded(seed);
      for (let i = 0; i < cases; i++) {
        const [a, b] =
          random() < 0.5 ? [randomValue(random), randomValue(random)] : [closeValue(random), closeValue(random)];
        const direction: Direction = random() < 0.5 ? 1 : -1;
        const order = naiveCompare(a, b);
        const [left, right] = [refOf(a), refOf(b)];
        if (!left || !right) throw new Error('no reference');
        const keys = Buffer.compare(encodeKey([a], [direction]), encodeKey([b], [direction]));
        const after = Buffer.compare(encodeKey([b, a], [1, direction]), encodeKey([b, b], [1, direction]));
        if (keys !== order * direction + 0) throw differs('the order of keys', i, a, b);
        if (after !== order * direction + 0) throw differs('the order of compound keys', i, a, b);
        if (Math.sign(compareRaw(left, right)) !== order) throw differs('the order of bytes', i, a, b);
        if (compareValues(a, b) !== order) throw differs('the order of values', i, a, b);
        if (equalRaw(left, right) !== (order === 0)) throw differs('equality', i, a, b);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'under a collation sort keys are ordered as values are, and never against the order of types',
    () => {
      const random = seeded(seed + 1);
      const collation = parseCollation(BsonDoc.of({ locale: 'en', strength: 1 }));
      if (!collation) throw new Error('no collation');
      for (let i = 0; i < cases; i++) {
        const direction: Direction = random() < 0.5 ? 1 : -1;
        const { keyOf, compare } = compileSortOrder([{ path: 'v', direction }], collation);
        const [a, b] = [closeValue(random), closeValue(random)];
        if (Array.isArray(a) || Array.isArray(b)) continue;
        const [left, right] = [a, b].map((value) => keyOf(encodeDocument(new BsonDoc(['v'], [value])))) as [
          Buffer,
          Buffer,
        ];
        const order = compareValues(a, b, collation.compare);
        if (compare(left, right) !== order * direction + 0) throw differs('the order under a collation', i, a, b);
        // The texts here differ in no letter that strength 1 would equate but by case; types never mix.
        if (
          order !== 0 &&
          Math.sign(naiveCompare(a, b)) !== order &&
          render(a).toLowerCase() === render(b).toLowerCase()
        ) {
          throw differs('the order of types under a collation', i, a, b);
        }
      }
    },
    TIMEOUT_MS,
  );

  it(
    'keeps bytes identical when decoding, and in an update of other fields',
    () => {
      const random = seeded(seed + 2);
      const context = { isUpsertInsert: false, matchedArrayIndex: -1, nowMs: 0 };
      const beside = compileUpdate(BsonDoc.of({ $set: { beside: 1 } }));
      const away = compileUpdate(BsonDoc.of({ $unset: { beside: 1 } }));
      for (let i = 0; i < cases; i++) {
        const doc = stored(random).append('any', randomValue(random, 3));
        const raw = encodeDocument(doc);
        if (!encodeDocument(decodeDocument(raw)).equals(raw)) throw differs('decoding', i, doc);
        const changed = beside.apply(raw, context).raw;
        if (!away.apply(changed, context).raw.equals(raw)) throw differs('an update beside', i, doc);
        // The driver's own library reads the same bytes the same way.
        const read = BSON.deserialize(raw, { promoteValues: false, bsonRegExp: true });
        if (BSON.calculateObjectSize(read, { ignoreUndefined: false }) < 0) throw differs('the driver', i, doc);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'filters hold where the oracle says so',
    () => {
      const random = seeded(seed + 3);
      let held = 0;
      for (let i = 0; i < cases; i++) {
        const [filter, doc] = [randomFilter(random, 2), stored(random)];
        const expected = naiveMatches(filter, doc);
        if (expected) held++;
        if (compileMatcher(filter).matches(encodeDocument(doc)) !== expected)
          throw differs('a filter', i, filter, doc, expected);
      }
      expect(held).toBeGreaterThan(cases / 10);
    },
    TIMEOUT_MS,
  );

  it(
    'updates do what the oracle does, with the same types, or are refused as there',
    () => {
      const random = seeded(seed + 4);
      const context = { isUpsertInsert: false, matchedArrayIndex: -1, nowMs: 0 };
      const operators = [
        '$set',
        '$unset',
        '$inc',
        '$mul',
        '$min',
        '$max',
        '$push',
        '$addToSet',
        '$pull',
        '$pop',
        '$rename',
      ];
      let applied = 0;
      for (let i = 0; i < cases; i++) {
        const [operator, doc] = [pick(random, operators), stored(random)];
        const path = operator === '$rename' ? pick(random, ['a', 'b']) : pathOf(random);
        const argument = argumentOf(operator, random);
        const update = new BsonDoc([operator], [new BsonDoc([path], [argument])]);
        const expected = unless(() => naiveUpdate(doc, operator, path, argument));
        if (expected === 'unsure') continue;
        const found = unless(() => decodeDocument(compileUpdate(update).apply(encodeDocument(doc), context).raw));
        if (render(textual(expected)) !== render(textual(found)))
          throw differs('an update', i, update, doc, textual(expected), textual(found));
        if (expected instanceof BsonDoc) applied++;
      }
      expect(applied).toBeGreaterThan(cases / 4);
    },
    TIMEOUT_MS,
  );
});

function argumentOf(operator: string, random: Random): BsonValue {
  if (operator === '$rename') return pick(random, ['c', '0', 'new']);
  if (operator === '$pop') return new Int32(random() < 0.5 ? 1 : -1);
  if (operator === '$inc' || operator === '$mul') {
    const big = () => Long.fromString(pick(random, ['9223372036854775807', '-9223372036854775808', '4294967296']));
    return pick(random, [
      () => new Int32(2_147_483_647),
      () => new Int32(-3),
      () => new Double(0.5),
      big,
      () => closeValue(random, 0),
    ])();
  }
  for (;;) {
    const value = operand(random);
    // Of $pull a document is a filter, and so is one in $push that begins with an operator.
    if (operator !== '$pull' || !(value instanceof BsonDoc)) return value;
  }
}

const textual = (outcome: BsonDoc | string): BsonValue => outcome;

function unless(act: () => BsonDoc): BsonDoc | 'refused' | 'unsure' {
  try {
    return act();
  } catch (error) {
    if (error instanceof Unsure) return 'unsure';
    if (error instanceof Refused || error instanceof MongoError) return 'refused';
    throw error;
  }
}

/** A document as the driver's objects, unless those would change it: they put numeric names in front, for one. */
function asDriverSends(doc: BsonDoc): Document | undefined {
  const raw = encodeDocument(doc);
  const object = BSON.deserialize(raw, { promoteValues: false, bsonRegExp: true });
  return Buffer.from(BSON.serialize(object, { ignoreUndefined: false })).equals(raw) ? object : undefined;
}

/** The same filters asked of a whole server: our own, or any other that TEST_MONGODB_URI names. */
describe('filters on a server', () => {
  const uri = process.env['TEST_MONGODB_URI'];
  let server: TestServer | undefined;
  let client: MongoClient;
  beforeAll(async () => {
    if (uri) client = await MongoClient.connect(uri);
    else {
      server = await startTestServer();
      client = server.client;
    }
  });
  afterAll(async () => {
    if (server) await server.stop();
    else await client.close();
  });

  it(
    'over documents of all types, with and without an index',
    async () => {
      const random = seeded(seed + 5);
      const c = client.db(`differential${seed}`).collection('values');
      await c.drop();
      const docs = Array.from({ length: 200 }, (_, i) => stored(random).set('_id', new Int32(i)));
      const plain = docs.filter((doc) => isPlain(doc.values) && asDriverSends(doc) !== undefined);
      await c.insertMany(plain.flatMap((doc) => asDriverSends(doc) ?? []));
      const rounds = Math.min(1_000, Math.ceil(cases / 20));
      for (let i = 0; i < rounds; i++) {
        if (i === Math.ceil(rounds / 2))
          await c.createIndexes([{ key: { a: 1 } }, { key: { b: -1 } }, { key: { c: 1 } }]);
        const filter = randomFilter(random, 1);
        const sent = asDriverSends(filter);
        if (!sent) continue;
        const matcher = compileMatcher(filter);
        const expected = plain
          .filter((doc) => matcher.matches(encodeDocument(doc)))
          .map((doc) => Number(doc.get('_id')));
        const found = await c.find(sent, { projection: { _id: 1 } }).toArray();
        const ids = found.map(({ _id }) => Number(_id)).sort((a, b) => a - b);
        if (ids.join() !== expected.join())
          throw differs('the answer of the server', i, filter, ids.join(), expected.join());
      }
      await c.drop();
    },
    TIMEOUT_MS,
  );
});
