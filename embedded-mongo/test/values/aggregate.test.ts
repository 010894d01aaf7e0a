import { describe, expect, it } from '@jest/globals';
import { Decimal128, Double } from 'bson';
import { compilePipeline } from '../../aggregate/pipeline.js';
import type { Documents } from '../../aggregate/stage.js';
import { mergeDocuments } from '../../aggregate/stages/output.js';
import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, toBson } from '../../bson/value.js';
import { DistinctValues } from '../../commands/read/count-and-distinct.js';
import { compileUpdate } from '../../update/updater.js';
import { seeded } from '../seeded.js';
import { codeOf, envOf, type Literal, raws, run } from './pipeline-kit.js';
import { render } from './render.js';

describe('stages', () => {
  const docs = [
    { _id: 1, g: 'a', n: 1, t: ['x', 'y'] },
    { _id: 2, g: 'b', n: 5n, t: [] },
    { _id: 3, g: 'a', n: Decimal128.fromString('2.5'), t: ['x'] },
    { _id: 4, g: 'a', n: null },
  ];

  it.each<[Literal[], string[]]>([
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

  it('stop the source at a limit', async () => {
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

  it('keep the same documents for a sorted limit as for a full sort', async () => {
    const random = seeded(23);
    const many = Array.from({ length: 5_000 }, (_, i) => ({ _id: i, r: Math.floor(random() * 500) }));
    const all = await run([{ $sort: { r: 1, _id: 1 } }], many);
    expect(await run([{ $sort: { r: 1, _id: 1 } }, { $limit: 7 }], many)).toEqual(all.slice(0, 7));
  });

  it('return the requested number of distinct documents for $sample', async () => {
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

  it('join by equality, arrays by element, missing with null in $lookup', async () => {
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

  it('pass variables to the pipeline of $lookup and narrow by equality', async () => {
    const { env, asked } = envOf(collections);
    const pipeline = [{ $match: { $expr: { $eq: ['$sku', '$$key'] } } }, { $project: { _id: 1, from: '$$key' } }];
    const stages = [{ $lookup: { from: 'items', let: { key: '$k' }, pipeline, as: 'found' } }];
    expect(await run(stages, [{ k: 'b' }, { k: 'z' }], env)).toEqual([
      '{k: "b", found: [{_id: 2, from: "b"}]}',
      '{k: "z", found: []}',
    ]);
    expect(asked).toEqual(['{sku: {$eq: "b"}}', '{sku: {$eq: "z"}}']);
  });

  it('$unionWith, $graphLookup', async () => {
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

  it('write documents and yield none for $out and $merge', async () => {
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

describe('pipelines', () => {
  it.each<[Literal[], number]>([
    [[{ $foo: 1 }], 40_324],
    [[{ $match: 1 }], 15_959],
    [[{ $changeStream: {} }], 40_573],
    [[{ $group: { a: { $sum: 1 } } }], 15_955],
    [[{ $group: { _id: 1, a: { $foo: 1 } } }], 15_952],
    [[{ $limit: 0 }], 15_958],
    [[{ $sort: { a: 2 } }], 15_975],
    [[{ $out: 'x' }, { $match: {} }], 40_601],
    [[{ $unwind: 'a' }], 28_818],
    [[{ $match: {}, $limit: 1 }], 40_323],
    [[{ $facet: { a: [{ $out: 'x' }] } }], 40_600],
    [[{ $replaceRoot: { newRoot: '$a' } }], 40_228],
  ])('rejects %j', async (stages, code) => {
    expect(await codeOf(() => run(stages, [{ a: 1 }]))).toBe(code);
  });

  it('collect distinct values by element, equal numbers once', () => {
    const distinct = new DistinctValues('a.b');
    const docs = raws([{ a: { b: [1, 2] } }, { a: [{ b: 1n }, { b: 'x' }] }, { a: { b: null } }, {}]);
    for (const raw of docs) distinct.add(raw);
    expect(distinct.values().map(render)).toEqual(['1', '2', '"x"', 'null']);
  });

  it('keep types and the id in pipeline updates', () => {
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
