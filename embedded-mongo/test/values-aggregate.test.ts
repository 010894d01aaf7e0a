import { describe, expect, test } from '@jest/globals';
import { Decimal128, Double, ObjectId } from 'bson';
import { distinctValues } from '../aggregate/distinct.js';
import { bindLet } from '../aggregate/expr/let.js';
import { compilePipeline, splitLeading } from '../aggregate/pipeline.js';
import type { AggregateEnv, CollectionName, Documents, MergeTarget } from '../aggregate/stage.js';
import { mergeDocuments } from '../aggregate/stages/output.js';
import { decodeDocument } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc, type BsonValue, toBson } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { compileMatcher } from '../match/matcher.js';
import { compileUpdate } from '../update/updater.js';
import { seeded } from './values-generator.js';
import { render } from './values-render.js';

type Literal = Record<string, unknown>;

// Objects with a `then` are made from entries, as a literal of that shape would pass for a promise.
const raws = (docs: readonly Literal[]): Buffer[] => docs.map((doc) => encodeDocument(BsonDoc.of(doc)));

async function* stream(documents: readonly Buffer[]): Documents {
  yield* documents;
}

/** A server of a few arrays; `find` scans with the matcher and notes the filters it was asked for. */
function envOf(collections: Record<string, Literal[]> = {}) {
  const asked: string[] = [];
  const written: string[] = [];
  const read = (name: CollectionName): Buffer[] => raws(collections[name.collection] ?? []);
  const drain = async (label: string, documents: Documents): Promise<void> => {
    for await (const raw of documents) written.push(`${label} ${render(decodeDocument(raw))}`);
  };
  const env: AggregateEnv = {
    nowMs: 1_700_000_000_000,
    random: seeded(3),
    readCollection: (name) => stream(read(name)),
    find: (name, filter) => {
      asked.push(render(filter));
      const matcher = compileMatcher(filter);
      return stream(read(name).filter((raw) => matcher.matches(raw)));
    },
    out: (name, documents) => drain(`out ${name.collection}`, documents),
    merge: (target: MergeTarget, documents) => drain(`merge ${target.into.collection}/${target.on.join()}`, documents),
  };
  return { env, asked, written };
}

async function run(stages: Literal[], docs: readonly Literal[], env = envOf().env): Promise<string[]> {
  const pipeline = compilePipeline(stages.map(toBson), env);
  const results: string[] = [];
  for await (const raw of pipeline.run(stream(raws(docs)))) results.push(render(decodeDocument(raw)));
  return results;
}

async function evaluate(expression: unknown, doc: Literal = {}): Promise<string> {
  const [result = ''] = await run([{ $project: { _id: 0, v: expression } }], [doc]);
  return result === '{}' ? 'missing' : result.slice(4, -1);
}

async function codeOf(act: () => Promise<unknown>): Promise<number | string> {
  try {
    await act();
    return 'accepted';
  } catch (error) {
    return error instanceof MongoError ? error.code : String(error);
  }
}

describe('expressions', () => {
  const long = 9007199254740993n;
  const id = new ObjectId('65a1b2c3d4e5f60718293a4b');
  const at = new Date('2024-02-29T13:45:06.789Z');
  const doc = {
    a: 1,
    b: { c: [1, 2n, 3.5] },
    l: [{ x: 1 }, { x: 2 }, 5],
    s: 'grün😀',
    n: null,
    long,
    id,
    at,
    arr: [3, 1, 2],
  };

  test.each<[unknown, string]>([
    [{ $add: ['$long', 1] }, '9007199254740994L'],
    [{ $add: [2147483647, 1] }, '2147483648L'],
    [{ $add: [Decimal128.fromString('0.1'), 0.2] }, '0.3m'],
    [{ $add: ['$at', 1000] }, 'date 1709214307789'],
    [{ $subtract: ['$at', '$at'] }, '0L'],
    [{ $subtract: [5, '$missing'] }, 'null'],
    [{ $multiply: [2, 3n] }, '6L'],
    [{ $divide: [7, 2] }, '3.5d'],
    [{ $divide: [Decimal128.fromString('1'), 3] }, '0.3333333333333333333333333333333333m'],
    [{ $mod: [-7, 3] }, '-1'],
    [{ $round: [2.5] }, '2d'],
    [{ $round: [2.345, 2] }, '2.34d'],
    [{ $round: [1234, -2] }, '1200'],
    [{ $trunc: [-2.7] }, '-2d'],
    [{ $abs: -5n }, '5L'],
    [{ $pow: [2, 40] }, '1099511627776L'],
    [{ $sqrt: 9 }, '3d'],
    [{ $cmp: ['$long', Decimal128.fromString('9007199254740993')] }, '0'],
    [{ $gt: ['a', 5] }, 'true'],
    [{ $eq: ['$missing', null] }, 'false'],
    [{ $lt: ['$missing', null] }, 'true'],
    [{ $and: [1, 'x', []] }, 'true'],
    [{ $or: [0, null, '$missing'] }, 'false'],
    [{ $not: [0] }, 'true'],
    [{ $cond: [{ $eq: ['$a', 1] }, 'yes', 'no'] }, '"yes"'],
    [
      {
        $cond: Object.fromEntries([
          ['if', '$n'],
          ['then', 1],
          ['else', 2],
        ]),
      },
      '2',
    ],
    [{ $ifNull: ['$n', '$missing', 7] }, '7'],
    [
      {
        $switch: {
          branches: [
            Object.fromEntries([
              ['case', false],
              ['then', 1],
            ]),
          ],
          default: 2,
        },
      },
      '2',
    ],
    [{ $let: { vars: { x: '$a' }, in: { $add: ['$$x', 1] } } }, '2'],
    ['$l.x', '[1, 2]'],
    ['$b.c', '[1, 2L, 3.5d]'],
    ['$arr.0', '[]'],
    ['$$ROOT.a', '1'],
    ['$$NOW', 'date 1700000000000'],
    ['$$REMOVE', 'missing'],
    [{ $literal: '$a' }, '"$a"'],
    [['$a', '$missing'], '[1, null]'],
    [{ q: '$a', r: '$missing' }, '{q: 1}'],
    [{ $sum: '$b.c' }, '6.5d'],
    [{ $sum: ['$a', 'x', '$long'] }, '9007199254740994L'],
    [{ $avg: [1, 2n] }, '1.5d'],
    [{ $max: ['$a', '$long', null] }, '9007199254740993L'],
    [{ $size: '$arr' }, '3'],
    [{ $arrayElemAt: ['$arr', -1] }, '2'],
    [{ $first: '$arr' }, '3'],
    [{ $slice: ['$arr', 1, 5] }, '[1, 2]'],
    [{ $concatArrays: ['$arr', [9]] }, '[3, 1, 2, 9]'],
    [{ $filter: { input: '$arr', as: 'e', cond: { $gt: ['$$e', 1] } } }, '[3, 2]'],
    [{ $map: { input: '$arr', in: { $multiply: ['$$this', '$a'] } } }, '[3, 1, 2]'],
    [{ $reduce: { input: '$arr', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }, '6'],
    [{ $in: [2n, '$arr'] }, 'true'],
    [{ $indexOfArray: ['$arr', 2] }, '2'],
    [{ $range: [0, 5, 2] }, '[0, 2, 4]'],
    [{ $reverseArray: '$arr' }, '[2, 1, 3]'],
    [{ $sortArray: { input: '$arr', sortBy: -1 } }, '[3, 2, 1]'],
    [{ $zip: { inputs: [[1, 2], ['a']], useLongestLength: true, defaults: [0, 'z'] } }, '[[1, "a"], [2, "z"]]'],
    [{ $objectToArray: { x: 1 } }, '[{k: "x", v: 1}]'],
    [{ $arrayToObject: [[['x', 1]]] }, '{x: 1}'],
    [{ $mergeObjects: [{ x: 1, y: 1 }, null, { y: 2 }] }, '{x: 1, y: 2}'],
    [
      {
        $setUnion: [
          [2, 1],
          [1n, 3],
        ],
      },
      '[1, 2, 3]',
    ],
    [
      {
        $setIntersection: [
          [1, 2],
          [2, 3],
        ],
      },
      '[2]',
    ],
    [{ $setDifference: [[1, 2, 1], [2]] }, '[1]'],
    [{ $setIsSubset: [[1], '$arr'] }, 'true'],
    [{ $getField: { field: 'c', input: '$b' } }, '[1, 2L, 3.5d]'],
    [{ $concat: ['a', 'b', '$n'] }, 'null'],
    [{ $toUpper: '$s' }, '"GRüN😀"'],
    [{ $strLenCP: '$s' }, '5'],
    [{ $strLenBytes: '$s' }, '9'],
    [{ $substrCP: ['$s', 2, 3] }, '"ün😀"'],
    [{ $indexOfCP: ['$s', '😀'] }, '4'],
    [{ $indexOfBytes: ['$s', 'n'] }, '4'],
    [{ $split: ['a,b', ','] }, '["a", "b"]'],
    [{ $trim: { input: ' x ' } }, '"x"'],
    [{ $replaceAll: { input: 'a.a', find: 'a', replacement: { $literal: '$&' } } }, '"$&.$&"'],
    [{ $regexMatch: { input: '$s', regex: '^GR', options: 'i' } }, 'true'],
    [{ $regexFind: { input: 'xay', regex: '(a)(b)?' } }, '{match: "a", idx: 1, captures: ["a", null]}'],
    [{ $type: '$long' }, '"long"'],
    [{ $type: '$id' }, '"objectId"'],
    [{ $type: '$missing' }, '"missing"'],
    [{ $toString: '$id' }, '"65a1b2c3d4e5f60718293a4b"'],
    [{ $toString: '$at' }, '"2024-02-29T13:45:06.789Z"'],
    [{ $eq: [{ $toObjectId: '65a1b2c3d4e5f60718293a4b' }, '$id'] }, 'true'],
    [{ $toDecimal: '1.50' }, '1.50m'],
    [{ $toInt: '12' }, '12'],
    [{ $toLong: 2.9 }, '2L'],
    [{ $toBool: 'false' }, 'true'],
    [{ $toDate: 1000n }, 'date 1000'],
    [{ $convert: { input: 'x', to: 'int', onError: -1 } }, '-1'],
    [{ $year: '$at' }, '2024'],
    [{ $dayOfWeek: '$at' }, '5'],
    [{ $dayOfYear: '$at' }, '60'],
    [{ $isoWeek: '$at' }, '9'],
    [{ $hour: { date: '$at', timezone: 'America/New_York' } }, '8'],
    [{ $hour: { date: '$at', timezone: '+05:30' } }, '19'],
    [
      { $dateToString: { date: '$at', format: '%Y-%m-%d %H:%M:%S.%L %z', timezone: 'Europe/Berlin' } },
      '"2024-02-29 14:45:06.789 +0100"',
    ],
    [
      { $dateFromString: { dateString: '2024-07-01 12:00', format: '%Y-%m-%d %H:%M', timezone: 'Europe/Berlin' } },
      'date 1719828000000',
    ],
    [{ $dateFromParts: { year: 2024, month: 14 } }, 'date 1738368000000'],
    [{ $dateAdd: { startDate: '$at', unit: 'year', amount: 1 } }, 'date 1740750306789'],
    [{ $dateDiff: { startDate: new Date('2024-01-31'), endDate: new Date('2024-02-01'), unit: 'month' } }, '1L'],
    [{ $dateTrunc: { date: '$at', unit: 'month' } }, 'date 1706745600000'],
    [{ $bitAnd: [12, 10] }, '8'],
  ])('%j is %s', async (expression, expected) => {
    expect(await evaluate(expression, doc)).toBe(expected);
  });

  test.each<[unknown, number]>([
    [{ $foo: 1 }, 168],
    [{ $add: ['x', 1] }, 14],
    [{ $divide: [1, 0] }, 2],
    ['$$nothing', 17_276],
    [{ $arrayElemAt: ['x', 0] }, 28_689],
    [{ $toInt: 'x' }, 241],
    [{ $size: '$missing' }, 17_124],
    [{ $eq: [1] }, 16_020],
    [{ $filter: { input: [], cond: true, extra: 1 } }, 9],
    [{ $hour: { date: '$at', timezone: 'Nowhere' } }, 40_485],
  ])('%j is refused', async (expression, code) => {
    expect(await codeOf(() => evaluate(expression, doc))).toBe(code);
  });

  test('$expr compares fields in filters, with variables of the command', () => {
    const matches = (filter: Literal, target: Literal): boolean =>
      compileMatcher(BsonDoc.of(filter)).matches(encodeDocument(BsonDoc.of(target)));
    expect(matches({ $expr: { $gt: ['$a', '$b'] } }, { a: 2, b: 1n })).toBe(true);
    expect(matches({ $expr: { $gt: ['$a', '$b'] } }, { a: 1, b: 1n })).toBe(false);
    const { env, frame } = bindLet(BsonDoc.of({ limit: { $literal: 5 } }), {});
    const matcher = compileMatcher(BsonDoc.of({ $expr: { $lt: ['$a', '$$limit'] } }), {
      env,
      frame: (root) => frame.around(root),
    });
    expect(raws([{ a: 4 }, { a: 6 }]).map((raw) => matcher.matches(raw))).toEqual([true, false]);
  });
});

describe('stages', () => {
  const docs = [
    { _id: 1, g: 'a', n: 1, t: ['x', 'y'] },
    { _id: 2, g: 'b', n: 5n, t: [] },
    { _id: 3, g: 'a', n: Decimal128.fromString('2.5'), t: ['x'] },
    { _id: 4, g: 'a', n: null },
  ];

  test.each<[Literal[], string[]]>([
    [
      [{ $match: { g: 'a' } }, { $project: { n: 1 } }],
      ['{_id: 1, n: 1}', '{_id: 3, n: 2.5m}', '{_id: 4, n: null}'],
    ],
    [
      [{ $group: { _id: '$g', sum: { $sum: '$n' }, avg: { $avg: '$n' }, ids: { $push: '$_id' }, c: { $count: {} } } }],
      ['{_id: "a", sum: 3.5m, avg: 1.75m, ids: [1, 3, 4], c: 3}', '{_id: "b", sum: 5L, avg: 5d, ids: [2], c: 1}'],
    ],
    [
      [
        {
          $group: {
            _id: null,
            first: { $first: '$_id' },
            last: { $last: '$g' },
            max: { $max: '$n' },
            set: { $addToSet: '$g' },
          },
        },
      ],
      ['{_id: null, first: 1, last: "a", max: 5L, set: ["a", "b"]}'],
    ],
    [
      [
        {
          $group: {
            _id: '$g',
            top: { $top: { sortBy: { n: -1 }, output: '$_id' } },
            two: { $maxN: { input: '$_id', n: 2 } },
          },
        },
      ],
      ['{_id: "a", top: 3, two: [4, 3]}', '{_id: "b", top: 2, two: [2]}'],
    ],
    [
      [{ $sort: { n: -1 } }, { $limit: 2 }, { $project: { _id: 1 } }],
      ['{_id: 2}', '{_id: 3}'],
    ],
    [[{ $sort: { g: 1, _id: -1 } }, { $skip: 1 }, { $limit: 1 }, { $project: { g: 1 } }], ['{_id: 3, g: "a"}']],
    [
      [{ $unwind: '$t' }, { $project: { t: 1 } }],
      ['{_id: 1, t: "x"}', '{_id: 1, t: "y"}', '{_id: 3, t: "x"}'],
    ],
    [
      [
        { $match: { _id: { $gte: 2 } } },
        { $unwind: { path: '$t', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } },
        { $unset: ['g', 'n'] },
      ],
      ['{_id: 2, i: null}', '{_id: 3, t: "x", i: 0L}', '{_id: 4, i: null}'],
    ],
    [
      [{ $match: { _id: 1 } }, { $set: { n: { $add: ['$n', 1] }, 'deep.x': '$g' } }, { $unset: 't' }],
      ['{_id: 1, g: "a", n: 2, deep: {x: "a"}}'],
    ],
    [[{ $match: { _id: 1 } }, { $replaceWith: { v: '$n' } }], ['{v: 1}']],
    [[{ $count: 'all' }], ['{all: 4}']],
    [[{ $sortByCount: '$g' }], ['{_id: "a", count: 3}', '{_id: "b", count: 1}']],
    [
      [{ $bucket: { groupBy: '$_id', boundaries: [0, 2, 4], default: 'more', output: { n: { $sum: 1 } } } }],
      ['{_id: 0, n: 1}', '{_id: 2, n: 2}', '{_id: "more", n: 1}'],
    ],
    [
      [{ $facet: { few: [{ $limit: 1 }, { $project: { g: 1 } }], all: [{ $count: 'n' }] } }],
      ['{few: [{_id: 1, g: "a"}], all: [{n: 4}]}'],
    ],
    [[{ $match: { none: 1 } }, { $count: 'n' }], []],
  ])('%j', async (stages, expected) => {
    expect(await run(stages, docs)).toEqual(expected);
  });

  test('a limit stops the source', async () => {
    let read = 0;
    async function* endless(): Documents {
      for (;;) {
        read++;
        yield encodeDocument(BsonDoc.of({ a: read }));
      }
    }
    const found: string[] = [];
    const pipeline = compilePipeline([toBson({ $match: { a: { $gt: 2 } } }), toBson({ $limit: 3 })], envOf().env);
    for await (const raw of pipeline.run(endless())) found.push(render(decodeDocument(raw)));
    expect(found).toEqual(['{a: 3}', '{a: 4}', '{a: 5}']);
    expect(read).toBe(5);
  });

  test('a sorted limit keeps the same documents as sorting all of them', async () => {
    const random = seeded(23);
    const many = Array.from({ length: 5_000 }, (_, i) => ({ _id: i, r: Math.floor(random() * 500) }));
    const all = await run([{ $sort: { r: 1, _id: 1 } }], many);
    expect(await run([{ $sort: { r: 1, _id: 1 } }, { $limit: 7 }], many)).toEqual(all.slice(0, 7));
  });

  test('$sample gives as many different documents as asked', async () => {
    const sampled = await run([{ $sample: { size: 3 } }], docs);
    expect(new Set(sampled).size).toBe(3);
  });
});

describe('stages over other collections', () => {
  const collections = {
    items: [
      { _id: 1, sku: 'a', tags: ['p'] },
      { _id: 2, sku: 'b', tags: ['p', 'q'] },
      { _id: 3, sku: null },
      { _id: 4 },
    ],
    nodes: [
      { _id: 1, to: 2 },
      { _id: 2, to: 3 },
      { _id: 3, to: 1 },
    ],
  };

  test('$lookup joins by equality, arrays by element, missing with null', async () => {
    const { env, asked } = envOf(collections);
    const stages = [{ $lookup: { from: 'items', localField: 'k', foreignField: 'sku', as: 'found' } }];
    const result = await run(stages, [{ _id: 1, k: 'a' }, { _id: 2, k: ['a', 'b'] }, { _id: 3 }], env);
    expect(result).toEqual([
      '{_id: 1, k: "a", found: [{_id: 1, sku: "a", tags: ["p"]}]}',
      '{_id: 2, k: ["a", "b"], found: [{_id: 1, sku: "a", tags: ["p"]}, {_id: 2, sku: "b", tags: ["p", "q"]}]}',
      '{_id: 3, found: [{_id: 3, sku: null}, {_id: 4}]}',
    ]);
    expect(asked[0]).toBe('{sku: {$in: ["a"]}}');
  });

  test('$lookup with let and pipeline sees its variables and asks by equality', async () => {
    const { env, asked } = envOf(collections);
    const pipeline = [{ $match: { $expr: { $eq: ['$sku', '$$key'] } } }, { $project: { _id: 1, from: '$$key' } }];
    const stages = [{ $lookup: { from: 'items', let: { key: '$k' }, pipeline, as: 'found' } }];
    expect(await run(stages, [{ k: 'b' }, { k: 'z' }], env)).toEqual([
      '{k: "b", found: [{_id: 2, from: "b"}]}',
      '{k: "z", found: []}',
    ]);
    expect(asked).toEqual(['{sku: {$eq: "b"}}', '{sku: {$eq: "z"}}']);
  });

  test('$unionWith, $graphLookup', async () => {
    const { env } = envOf(collections);
    const union = [
      { $project: { _id: 1 } },
      { $unionWith: { coll: 'items', pipeline: [{ $match: { _id: 1 } }, { $project: { _id: 1 } }] } },
    ];
    expect(await run(union, [{ _id: 9 }], env)).toEqual(['{_id: 9}', '{_id: 1}']);
    const graph = {
      from: 'nodes',
      startWith: '$s',
      connectFromField: 'to',
      connectToField: '_id',
      as: 'path',
      depthField: 'd',
      maxDepth: 1,
    };
    expect(await run([{ $graphLookup: graph }], [{ s: 1 }], env)).toEqual([
      '{s: 1, path: [{_id: 1, to: 2, d: 0L}, {_id: 2, to: 3, d: 1L}]}',
    ]);
  });

  test('$out and $merge hand the documents on and yield none', async () => {
    const { env, written } = envOf();
    expect(await run([{ $project: { _id: 1 } }, { $out: 'copy' }], [{ _id: 1, a: 1 }], env)).toEqual([]);
    expect(await run([{ $merge: { into: 'target', on: 'k' } }], [{ k: 1 }], env)).toEqual([]);
    expect(written).toEqual(['out copy {_id: 1}', 'merge target/k {k: 1}']);
    const [a, b] = raws([
      { _id: 1, x: 1, y: 1 },
      { y: 2, z: 3 },
    ]);
    expect(render(decodeDocument(mergeDocuments(a as Buffer, b as Buffer)))).toBe('{_id: 1, x: 1, y: 2, z: 3}');
  });
});

describe('around pipelines', () => {
  test.each<[Literal[], number]>([
    [[{ $foo: 1 }], 40_324],
    [[{ $match: 1 }], 15_959],
    [[{ $changeStream: {} }], 40_324],
    [[{ $group: { a: { $sum: 1 } } }], 15_955],
    [[{ $group: { _id: 1, a: { $foo: 1 } } }], 15_952],
    [[{ $limit: 0 }], 15_958],
    [[{ $sort: { a: 2 } }], 15_975],
    [[{ $out: 'x' }, { $match: {} }], 40_601],
    [[{ $unwind: 'a' }], 28_818],
    [[{ $match: {}, $limit: 1 }], 40_323],
    [[{ $facet: { a: [{ $out: 'x' }] } }], 40_600],
    [[{ $replaceRoot: { newRoot: '$a' } }], 40_228],
  ])('%j is refused', async (stages, code) => {
    expect(await codeOf(() => run(stages, [{ a: 1 }]))).toBe(code);
  });

  test('what a find can do first is split off', () => {
    const stages = [
      { $match: { a: 1 } },
      { $match: { b: 1 } },
      { $sort: { c: 1 } },
      { $skip: 2 },
      { $limit: 3 },
      { $count: 'n' },
    ];
    const leading = splitLeading(stages.map(toBson));
    expect(render(leading.filter)).toBe('{$and: [{a: 1}, {b: 1}]}');
    expect([leading.sort?.keys, leading.skip, leading.limit, leading.rest.length]).toEqual([['c'], 2, 3, 1]);
  });

  test('distinct values: elements one by one, equal numbers once', async () => {
    const docs = raws([{ a: { b: [1, 2] } }, { a: [{ b: 1n }, { b: 'x' }] }, { a: { b: null } }, {}]);
    const values: BsonValue[] = await distinctValues(stream(docs), 'a.b');
    expect(values.map(render)).toEqual(['1', '2', '"x"', 'null']);
  });

  test('pipeline updates keep types and the id', () => {
    const updater = compileUpdate(
      [{ $set: { n: { $add: ['$n', 1] } } }, { $unset: 'x' }, { $replaceWith: { n: '$n' } }].map(toBson),
    );
    const [raw] = raws([{ _id: 1, n: 5n, x: new Double(1) }]);
    const context = { isUpsertInsert: false, matchedArrayIndex: -1, nowMs: 0 };
    expect(render(decodeDocument(updater.apply(raw as Buffer, context).raw))).toBe('{_id: 1, n: 6L}');
    expect(() => compileUpdate([toBson({ $group: { _id: 1 } })])).toThrow(
      '$group is not allowed to be used within an update',
    );
  });
});
