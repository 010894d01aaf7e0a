import { describe, expect, it } from '@jest/globals';
import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, toBson } from '../../bson/value.js';
import { type Collation, parseCollation } from '../../compare/collation.js';
import { compareValues } from '../../compare/compare.js';
import { MongoError } from '../../errors.js';
import { candidateKeys, compileSortOrder, encodeCollated } from '../../keystring/collated.js';
import { refOf } from '../../keystring/encode.js';
import { collatedExpressions, compileMatcher } from '../../match/matcher.js';
import { compileUpdate } from '../../update/updater.js';
import { seeded } from '../seeded.js';
import { pick, randomValue } from './generator.js';
import { codeOf, envOf, evaluate, run } from './pipeline-kit.js';
import { render } from './render.js';

const collationOf = (settings: Record<string, unknown>): Collation => {
  const collation = parseCollation(BsonDoc.of(settings));
  if (!collation) throw new Error('a simple collation');
  return collation;
};
const caseless = collationOf({ locale: 'en', strength: 2 });

function refusalOf(settings: Record<string, unknown>): string {
  try {
    parseCollation(BsonDoc.of(settings));
    return 'accepted';
  } catch (error) {
    return error instanceof MongoError ? `${error.code} ${error.message}` : String(error);
  }
}

describe('a collation', () => {
  it.each([
    [{ locale: 'en', strength: 1 }, ['résumé', 'resume', 'RESUME'], []],
    [{ locale: 'en', strength: 1, caseLevel: true }, ['résumé', 'resume'], ['resume', 'RESUME']],
    [{ locale: 'en', strength: 2 }, ['resume', 'RESUME'], ['resume', 'résumé']],
    [{ locale: 'en', strength: 2, caseLevel: true }, ['a', 'a'], ['resume', 'RESUME']],
    [{ locale: 'en' }, ['a', 'a'], ['a', 'A']],
    [{ locale: 'en', alternate: 'shifted' }, ['a-b', 'ab', 'a b'], []],
    [{ locale: 'en', numericOrdering: true }, ['a01', 'a1'], ['a2', 'a10']],
    [{ locale: 'de@collation=phonebook', strength: 1 }, ['ä', 'ae'], []],
  ] as const)('%j equates %j and orders %j', (settings, same, ascending) => {
    const { compare } = collationOf(settings);
    for (const text of same) expect(compare(text, same[0])).toBe(0);
    for (let i = 1; i < ascending.length; i++) {
      expect(compare(ascending[i - 1] ?? '', ascending[i] ?? '')).toBeLessThan(0);
    }
  });

  it('separates all but canonical equivalents at strength 5', () => {
    const { compare } = collationOf({ locale: 'en', strength: 5 });
    expect(compare('a\u00ad', 'a')).not.toBe(0);
    expect(collationOf({ locale: 'en', strength: 3 }).compare('a\u00ad', 'a')).toBe(0);
    expect(compare('é', 'e\u0301')).toBe(0);
  });

  it('sorts capitals first with caseFirst', () => {
    expect(collationOf({ locale: 'en', caseFirst: 'upper' }).compare('A', 'a')).toBeLessThan(0);
    expect(collationOf({ locale: 'en', caseFirst: 'lower' }).compare('A', 'a')).toBeGreaterThan(0);
  });

  it('lists all its settings', () => {
    expect(render(caseless.spec)).toMatch(
      /^\{locale: "en", strength: 2, caseLevel: false, caseFirst: "off", numericOrdering: false, alternate: "non-ignorable"/,
    );
    expect(parseCollation(BsonDoc.of({ locale: 'simple' }))).toBeUndefined();
  });

  it.each([
    [{}, '40414'],
    [{ locale: 'simple', strength: 1 }, '2'],
    [{ locale: 'xx_nowhere' }, '2'],
    [{ locale: 'de@collation=nonsense' }, '2'],
    [{ locale: 'en', strength: 6 }, '2'],
    [{ locale: 'en', caseFirst: 'upper', strength: 1 }, '2'],
    [{ locale: 'en', alternate: 'other' }, '2'],
    [{ locale: 'en', backwards: true }, 'backwards: true'],
    [{ locale: 'en', alternate: 'shifted', strength: 4 }, 'strength 4'],
    [{ locale: 'en', alternate: 'shifted', maxVariable: 'space' }, "maxVariable: 'space'"],
    [{ locale: 'ja', strength: 4 }, 'strength 4'],
    [{ locale: 'en', caseLevel: 1 }, '14'],
    [{ locale: 'en', nonsense: 1 }, '40415'],
  ])('rejects %j with %s', (settings, said) => {
    expect(refusalOf(settings)).toContain(said);
  });
});

describe('the order of values under a collation', () => {
  it('is a total order over all types: sorting by key equals comparing values', () => {
    const random = seeded(53);
    const texts = ['a', 'A', 'á', 'b', 'B', 'ß', 'ss', 'SS', 'æ', 'ae', 'z', '', '10', '9', 'é', 'e\u0301'];
    const mixed = () => (random() < 0.5 ? pick(random, texts) : randomValue(random));
    const { keyOf, compare } = compileSortOrder([{ path: 'v', direction: 1 }], caseless);
    for (let i = 0; i < 2_000; i++) {
      const [a, b] = [mixed(), mixed()];
      if (Array.isArray(a) || Array.isArray(b)) continue;
      const keys = [a, b].map((value) => keyOf(encodeDocument(new BsonDoc(['v'], [value]))));
      const expected = compareValues(a, b, caseless.compare);
      expect(Math.sign(compare(keys[0] as Buffer, keys[1] as Buffer))).toBe(expected);
    }
  });
});

describe('keys of a collated index', () => {
  const locales = [
    'en',
    'fr',
    'de',
    'it',
    'pt',
    'nl',
    'es',
    'ru',
    'el',
    'zh',
    'ja',
    'ko',
    'sv',
    'da',
    'hu',
    'cs',
    'tr',
  ];
  const letters = [
    ...'abcdeghilmnostuyzABCSUZ0123456789 -_.,!ßæœøåäöüéèñłđıİŁ½²٣①ｱアあガАБвёЖαβΓς中文字éKÅﬁ…€😀\u0301\u0308\u00ad\u200d',
  ];

  it.each(locales)('%s: contain every equal text among the candidates', (locale) => {
    const random = seeded(59);
    let equal = 0;
    for (const settings of [
      { strength: 1 },
      { strength: 2 },
      { strength: 3 },
      { strength: 1, numericOrdering: true },
    ]) {
      const collation = collationOf({ locale, ...settings });
      for (let i = 0; i < 1_500; i++) {
        const a = Array.from({ length: Math.floor(random() * 3) }, () => pick(random, letters)).join('');
        const b =
          random() < 0.5
            ? pick(random, [a.toUpperCase(), a.normalize('NFKD'), a.toLowerCase(), `${a}\u200d`, `0${a}`])
            : Array.from({ length: Math.floor(random() * 3) }, () => pick(random, letters)).join('');
        if (collation.compare(a, b) !== 0) continue;
        equal++;
        const [left, right] = [refOf(a), refOf(b)];
        if (!left || !right) throw new Error('no reference');
        for (const direction of [1, -1] as const) {
          const stored = encodeCollated([left], [direction], collation);
          const found = candidateKeys(right, direction, collation).some((key) =>
            stored.subarray(0, key.length).equals(key),
          );
          if (!found) throw new Error(`${JSON.stringify(a)} is not found where ${JSON.stringify(b)} looks`);
        }
      }
    }
    expect(equal).toBeGreaterThan(600);
  });
});

describe('filters under a collation', () => {
  const matches = (filter: Record<string, unknown>, doc: Record<string, unknown>): boolean =>
    compileMatcher(BsonDoc.of(filter), collatedExpressions(caseless)).matches(encodeDocument(BsonDoc.of(doc)));

  it.each([
    [{ a: 'X' }, true],
    [{ a: { $ne: 'X' } }, false],
    [{ a: { $in: ['q', 'X'] } }, true],
    [{ a: { $in: ['1', '2', '3', '4', '5', '6', '7', '8', '9', 'X'] } }, true],
    [{ a: { $gt: 'W' } }, true],
    [{ a: { $gte: 'X', $lte: 'X' } }, true],
    [{ b: { c: 'DEEP' } }, true],
    [{ d: 'TWO' }, true],
    [{ d: { $all: ['ONE', 'TWO'] } }, true],
    [{ e: { $elemMatch: { f: 'G' } } }, true],
    [{ $expr: { $eq: ['$a', 'X'] } }, true],
    [{ a: /^X/ }, false],
  ])('%j is %s', (filter, verdict) => {
    const doc = { a: 'x', b: { c: 'deep' }, d: ['one', 'two'], e: [{ f: 'g' }] };
    expect(matches(filter, doc)).toBe(verdict);
  });
});

describe('updates under a collation', () => {
  const update = (change: Record<string, unknown>, doc: Record<string, unknown>, arrayFilters?: unknown[]): string => {
    const options = {
      expressions: collatedExpressions(caseless),
      ...(arrayFilters ? { arrayFilters: arrayFilters.map(toBson) } : {}),
    };
    const context = { isUpsertInsert: false, matchedArrayIndex: -1, nowMs: 0 };
    const { raw } = compileUpdate(BsonDoc.of(change), options).apply(encodeDocument(BsonDoc.of(doc)), context);
    return render(decodeDocument(raw));
  };

  it.each([
    [{ $pull: { a: 'B' } }, '{a: ["a", "c"]}'],
    [{ $pullAll: { a: ['A', 'C'] } }, '{a: ["b"]}'],
    [{ $addToSet: { a: { $each: ['B', 'd'] } } }, '{a: ["a", "b", "c", "d"]}'],
    [{ $push: { a: { $each: ['B'], $sort: -1 } } }, '{a: ["c", "b", "B", "a"]}'],
  ])('%j gives %s', (change, after) => {
    expect(update(change, { a: ['a', 'b', 'c'] })).toBe(after);
  });

  it('apply to $min, $max and array filters', () => {
    expect(update({ $min: { a: 'B' } }, { a: 'b' })).toBe('{a: "b"}');
    expect(update({ $max: { a: 'C' } }, { a: 'b' })).toBe('{a: "C"}');
    expect(update({ $set: { 'a.$[x]': 0 } }, { a: ['a', 'B'] }, [{ x: 'b' }])).toBe('{a: ["a", 0]}');
  });
});

describe('aggregation under a collation', () => {
  const env = { ...envOf().env, collation: caseless };
  const docs = [{ k: 'b' }, { k: 'A' }, { k: 'B' }, { k: 'a' }];

  it('groups, sorts and compares by the collation', async () => {
    expect(await run([{ $group: { _id: '$k', n: { $sum: 1 } } }, { $sort: { _id: 1 } }], docs, env)).toEqual([
      '{_id: "A", n: 2}',
      '{_id: "b", n: 2}',
    ]);
    expect(await run([{ $sort: { k: -1 } }], docs, env)).toEqual(['{k: "b"}', '{k: "B"}', '{k: "A"}', '{k: "a"}']);
    expect(await run([{ $match: { k: 'B' } }, { $count: 'n' }], docs, env)).toEqual(['{n: 2}']);
    expect(await run([{ $group: { _id: null, s: { $addToSet: '$k' }, most: { $max: '$k' } } }], docs, env)).toEqual([
      '{_id: null, s: ["b", "A"], most: "b"}',
    ]);
    expect(
      await run(
        [{ $project: { _id: 0, same: { $eq: ['$k', 'B'] }, at: { $indexOfArray: [['a', 'b'], '$k'] } } }],
        docs,
        env,
      ),
    ).toEqual(['{same: true, at: 1}', '{same: false, at: 0}', '{same: true, at: 1}', '{same: false, at: 0}']);
  });

  it('is unchanged without a collation', async () => {
    expect(await evaluate({ $eq: ['a', 'A'] })).toBe('false');
    expect(await codeOf(() => run([{ $match: { $where: '1' } }], docs, env))).toBe(2);
  });
});
