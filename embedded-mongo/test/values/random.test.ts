import { describe, expect, it } from '@jest/globals';
import { checkDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { findPath } from '../../bson/raw.js';
import { BsonDoc, type BsonValue, toBson } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { compileMatcher } from '../../match/matcher.js';
import { compileUpdate } from '../../update/updater.js';
import { seeded } from '../seeded.js';
import { pick, randomScalar, randomValue } from './generator.js';

const NAMES = ['a', 'b', 'c', '0', '1'];

function randomDoc(random: () => number): BsonDoc {
  const doc = new BsonDoc().append('_id', toBson(Math.floor(random() * 1_000)));
  for (const name of NAMES) {
    if (random() < 0.6)
      doc.append(name, random() < 0.3 ? [randomDocLike(random), randomDocLike(random)] : randomValue(random));
  }
  return doc.append('kept', randomValue(random));
}

function randomDocLike(random: () => number): BsonValue {
  const doc = new BsonDoc();
  for (const name of NAMES) if (random() < 0.4) doc.append(name, randomValue(random, 1));
  return random() < 0.8 ? doc : randomScalar(random);
}

function randomPath(random: () => number): string {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, NAMES)).join('.');
}

/** The outcome, or undefined where a clear refusal was the answer; any other failure is passed on. */
function unlessRefused<R>(act: () => R): R | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof MongoError) return undefined;
    throw error;
  }
}

describe('random updates', () => {
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
    '$bit',
    '$rename',
  ];

  it('keep the id and unchanged fields byte for byte, or fail', () => {
    const random = seeded(31);
    const context = { isUpsertInsert: false, matchedArrayIndex: 0, nowMs: 0 };
    let applied = 0;
    for (let i = 0; i < 4_000; i++) {
      const raw = encodeDocument(randomDoc(random));
      const operator = pick(random, operators);
      const argument = operator === '$rename' ? randomPath(random) : randomValue(random);
      const path = random() < 0.2 ? `${pick(random, NAMES)}.${pick(random, ['$', '$[]'])}` : randomPath(random);
      const update = new BsonDoc([operator], [new BsonDoc([path], [argument])]);
      const result = unlessRefused(() => compileUpdate(update).apply(raw, context));
      if (!result) continue;
      applied++;
      expect(checkDocument(result.raw)).toBe(result.raw.length);
      for (const kept of ['_id', 'kept'])
        expect(findPath(result.raw, kept)?.bytes()).toEqual(findPath(raw, kept)?.bytes());
      expect(result.changed).toBe(!result.raw.equals(raw));
    }
    expect(applied).toBeGreaterThan(1_000);
  });

  it('are idempotent for $set, $unset, $min, $max, $addToSet and $pull', () => {
    const random = seeded(37);
    const context = { isUpsertInsert: false, matchedArrayIndex: -1, nowMs: 0 };
    for (let i = 0; i < 2_000; i++) {
      const operator = pick(random, ['$set', '$unset', '$min', '$max', '$addToSet', '$pull']);
      const update = new BsonDoc([operator], [new BsonDoc([randomPath(random)], [randomValue(random)])]);
      const updater = unlessRefused(() => compileUpdate(update));
      const first = unlessRefused(() => updater?.apply(encodeDocument(randomDoc(random)), context));
      if (updater && first) expect(updater.apply(first.raw, context).changed).toBe(false);
    }
  });
});

describe('random filters', () => {
  const comparisons = ['$eq', '$gt', '$gte', '$lt', '$lte'];

  it('never match with their negation, and $in equals the $or of its values', () => {
    const random = seeded(41);
    const raws = Array.from({ length: 60 }, () => encodeDocument(randomDoc(random)));
    const verdicts = (filter: BsonDoc): boolean[] | undefined => {
      const matcher = unlessRefused(() => compileMatcher(filter));
      return matcher && raws.map((raw) => matcher.matches(raw));
    };
    let compared = 0;
    for (let i = 0; i < 600; i++) {
      const [path, one, two] = [randomPath(random), randomValue(random), randomValue(random)];
      const filter = new BsonDoc([path], [new BsonDoc([pick(random, comparisons)], [one])]);
      const plain = verdicts(filter);
      if (plain) expect(verdicts(new BsonDoc(['$nor'], [[filter]]))).toEqual(plain.map((verdict) => !verdict));
      const anyOf = verdicts(new BsonDoc([path], [new BsonDoc(['$in'], [[one, two]])]));
      const or = verdicts(new BsonDoc(['$or'], [[new BsonDoc([path], [one]), new BsonDoc([path], [two])]]));
      if (!anyOf || !or) continue;
      compared++;
      expect(anyOf).toEqual(or);
    }
    expect(compared).toBeGreaterThan(200);
  });
});
