import { describe, expect, it } from '@jest/globals';
import { Binary } from 'bson';
import { MongoError } from '../../errors.js';
import { codeOf, envOf, evaluate, type Literal, run } from './pipeline-kit.js';

const day = (n: number): Date => new Date(Date.UTC(2024, 0, n));
const SALES: Literal[] = [
  { _id: 1, s: 'a', t: 1, n: 10 },
  { _id: 2, s: 'b', t: 1, n: 5 },
  { _id: 3, s: 'a', t: 2, n: 20 },
  { _id: 4, s: 'a', t: 4, n: 40 },
  { _id: 5, s: 'b', t: 3, n: 7 },
];

async function column(output: Literal, docs = SALES, sortBy: Literal = { t: 1 }): Promise<string[]> {
  const stages = [
    { $setWindowFields: { partitionBy: '$s', sortBy, output: { v: output } } },
    { $project: { _id: 1, v: 1 } },
  ];
  return (await run(stages, docs)).map((line) => line.replace(/^\{_id: (\d+), v: (.*)\}$/, '$1=$2'));
}

describe('$setWindowFields', () => {
  it.each<[Literal, string]>([
    [{ $sum: '$n' }, '1=70 3=70 4=70 2=12 5=12'],
    [{ $sum: '$n', window: { documents: ['unbounded', 'current'] } }, '1=10 3=30 4=70 2=5 5=12'],
    [{ $avg: '$n', window: { documents: [-1, 0] } }, '1=10d 3=15d 4=30d 2=5d 5=6d'],
    [
      { $push: '$n', window: { documents: ['unbounded', 'current'] } },
      '1=[10] 3=[10, 20] 4=[10, 20, 40] 2=[5] 5=[5, 7]',
    ],
    [{ $push: '$n', window: { range: [-1, 'current'] } }, '1=[10] 3=[10, 20] 4=[40] 2=[5] 5=[7]'],
    [{ $max: '$n', window: { documents: [1, 'unbounded'] } }, '1=40 3=40 4=null 2=7 5=null'],
    [{ $count: {} }, '1=3 3=3 4=3 2=2 5=2'],
    [{ $first: '$n', window: { documents: [-1, 1] } }, '1=10 3=10 4=20 2=5 5=5'],
    [
      { $topN: { n: 1, sortBy: { n: -1 }, output: '$n' }, window: { documents: [-1, 0] } },
      '1=[10] 3=[20] 4=[40] 2=[5] 5=[7]',
    ],
    [{ $median: { input: '$n', method: 'approximate' } }, '1=20d 3=20d 4=20d 2=5d 5=5d'],
    [{ $documentNumber: {} }, '1=1 3=2 4=3 2=1 5=2'],
    [{ $shift: { output: '$n', by: -1, default: 'none' } }, '1="none" 3=10 4=20 2="none" 5=5'],
    [{ $derivative: { input: '$n' }, window: { documents: [-1, 0] } }, '1=null 3=10d 4=10d 2=null 5=1d'],
    [{ $integral: { input: '$n' }, window: { documents: ['unbounded', 'current'] } }, '1=0d 3=15d 4=75d 2=0d 5=12d'],
    [{ $expMovingAvg: { input: '$n', alpha: 0.5 } }, '1=10d 3=15d 4=27.5d 2=5d 5=6d'],
    [{ $covariancePop: ['$t', '$n'] }, '1=15.555555555555557d 3=15.555555555555557d 4=15.555555555555557d 2=1d 5=1d'],
  ])('computes %j as %s', async (output, expected) => {
    expect((await column(output)).join(' ')).toBe(expected);
  });

  it('ranks equal keys the same, with and without gaps', async () => {
    const docs = [1, 2, 2, 3].map((t, i) => ({ _id: i, s: 'a', t }));
    expect(await column({ $rank: {} }, docs)).toEqual(['0=1', '1=2', '2=2', '3=4']);
    expect(await column({ $denseRank: {} }, docs)).toEqual(['0=1', '1=2', '2=2', '3=3']);
  });

  it('takes a unit for ranges of time and for derivatives', async () => {
    const docs = [1, 2, 5].map((n) => ({ _id: n, s: 'a', t: day(n), n: n * 10 }));
    expect(await column({ $push: '$n', window: { range: [-1, 0], unit: 'day' } }, docs)).toEqual([
      '1=[10]',
      '2=[10, 20]',
      '5=[50]',
    ]);
    expect(await column({ $derivative: { input: '$n', unit: 'day' }, window: { documents: [-1, 0] } }, docs)).toEqual([
      '1=null',
      '2=10d',
      '5=10d',
    ]);
  });

  it.each<[Literal, Literal, number]>([
    [{ $rank: {} }, {}, 5_371_602],
    [{ $sum: '$n', window: { documents: [1, -1] } }, { t: 1 }, 5_339_900],
    [{ $sum: '$n', window: { documents: [-1, 0] } }, {}, 5_339_901],
    [{ $sum: '$n', window: { range: [-1, 0] } }, { t: -1 }, 5_339_902],
    [{ $sum: '$n', window: { range: [-1, 0], unit: 'day' } }, { t: 1 }, 5_429_513],
    [{ $nothing: '$n' }, { t: 1 }, 9],
    [{ $mergeObjects: '$n' }, { t: 1 }, 9],
    [{ $rank: {}, window: { documents: [0, 0] } }, { t: 1 }, 5_371_601],
  ])('rejects %j sorted by %j with code %i', async (output, sortBy, code) => {
    const spec = { ...(Object.keys(sortBy).length > 0 ? { sortBy } : {}), output: { v: output } };
    expect(await codeOf(() => run([{ $setWindowFields: spec }], SALES))).toBe(code);
  });
});

describe('$fill', () => {
  const gaps = [
    { _id: 1, t: 1, n: 10 },
    { _id: 2, t: 2 },
    { _id: 3, t: 4, n: null },
    { _id: 4, t: 5, n: 50 },
    { _id: 5, t: 6 },
  ];

  it('fills by a value, by the last present value, and along a line', async () => {
    const filled = async (rule: Literal) =>
      (await run([{ $fill: { sortBy: { t: 1 }, output: { n: rule } } }, { $project: { _id: 0, n: 1 } }], gaps)).join(
        ' ',
      );
    expect(await filled({ value: 0 })).toBe('{n: 10} {n: 0} {n: 0} {n: 50} {n: 0}');
    expect(await filled({ method: 'locf' })).toBe('{n: 10} {n: 10} {n: 10} {n: 50} {n: 50}');
    expect(await filled({ method: 'linear' })).toBe('{n: 10} {n: 20d} {n: 40d} {n: 50} {n: null}');
  });

  it('rejects an unknown method or option', async () => {
    expect(await codeOf(() => run([{ $fill: { output: { n: { method: 'cubic' } } } }], gaps))).toBe(6_050_202);
    expect(await codeOf(() => run([{ $fill: { output: { n: { value: 1 } }, by: 1 } }], gaps))).toBe(40_415);
  });
});

describe('$densify', () => {
  const values = async (range: Literal, docs: Literal[], extra: Literal = {}) =>
    (await run([{ $densify: { field: 'v', range, ...extra } }, { $project: { _id: 0 } }], docs)).join(' ');

  it('fills between the least and the greatest value and keeps values between the steps', async () => {
    expect(await values({ step: 2, bounds: 'full' }, [{ v: 1 }, { v: 4 }, { v: 7 }])).toBe(
      '{v: 1} {v: 3} {v: 4} {v: 5} {v: 7}',
    );
  });

  it('fills between bounds without the second, and dates by a unit', async () => {
    expect(await values({ step: 1, bounds: [0, 3] }, [{ v: 1 }, { v: 9 }])).toBe('{v: 0} {v: 1} {v: 2} {v: 9}');
    const dates = await run(
      [{ $densify: { field: 'v', range: { step: 1, unit: 'month', bounds: 'full' } } }, { $count: 'n' }],
      [{ v: new Date(Date.UTC(2024, 0, 31)) }, { v: new Date(Date.UTC(2024, 3, 30)) }],
    );
    expect(dates).toEqual(['{n: 4}']);
  });

  it('fills each partition over the full range or its own', async () => {
    const docs = [
      { p: 'x', v: 1 },
      { p: 'x', v: 3 },
      { p: 'y', v: 2 },
    ];
    expect(await values({ step: 1, bounds: 'partition' }, docs, { partitionByFields: ['p'] })).toBe(
      '{p: "x", v: 1} {p: "x", v: 2} {p: "x", v: 3} {p: "y", v: 2}',
    );
    expect(await values({ step: 1, bounds: 'full' }, docs, { partitionByFields: ['p'] })).toBe(
      '{p: "x", v: 1} {p: "x", v: 2} {p: "x", v: 3} {p: "y", v: 1} {p: "y", v: 2} {p: "y", v: 3}',
    );
  });

  it.each<[Literal, number]>([
    [{ step: 0, bounds: 'full' }, 5_733_401],
    [{ step: 1, bounds: [3, 1] }, 5_733_402],
    [{ step: 1, bounds: 'some' }, 5_946_802],
    [{ step: 1, unit: 'day', bounds: 'full' }, 6_053_600],
  ])('rejects %j with code %i', async (range, code) => {
    expect(await codeOf(() => run([{ $densify: { field: 'v', range } }], [{ v: 1 }, { v: 2 }]))).toBe(code);
  });
});

describe('$bucketAuto', () => {
  it('makes buckets of about one size and keeps equal values together', async () => {
    const docs = [1, 2, 2, 2, 5, 6].map((n) => ({ n }));
    expect(await run([{ $bucketAuto: { groupBy: '$n', buckets: 3 } }], docs)).toEqual([
      '{_id: {min: 1, max: 5}, count: 4}',
      '{_id: {min: 5, max: 6}, count: 2}',
    ]);
    expect(await run([{ $bucketAuto: { groupBy: '$n', buckets: 1, output: { all: { $push: '$n' } } } }], docs)).toEqual(
      ['{_id: {min: 1, max: 6}, all: [1, 2, 2, 2, 5, 6]}'],
    );
  });

  it('rejects a granularity by name', async () => {
    await expect(run([{ $bucketAuto: { groupBy: '$n', buckets: 2, granularity: 'R5' } }], [])).rejects.toThrow(
      /granularity/,
    );
  });
});

describe('$redact', () => {
  const doc = {
    level: 1,
    open: { level: 1, text: 'a' },
    shut: { level: 9 },
    list: [{ level: 9 }, { level: 1 }, 'plain'],
  };

  it('descends, keeps and prunes by the current sub-document', async () => {
    const rule = { $cond: [{ $lte: ['$level', 1] }, '$$DESCEND', '$$PRUNE'] };
    expect(await run([{ $redact: rule }], [doc])).toEqual([
      '{level: 1, open: {level: 1, text: "a"}, list: [{level: 1}, "plain"]}',
    ]);
    expect(await run([{ $redact: '$$KEEP' }], [{ a: { b: 1 } }])).toEqual(['{a: {b: 1}}']);
    expect(
      await run([{ $redact: { $cond: [{ $eq: ['$$ROOT.level', 1] }, '$$DESCEND', '$$PRUNE'] } }], [doc]),
    ).toHaveLength(1);
    expect(await codeOf(() => run([{ $redact: 'other' }], [doc]))).toBe(17_053);
  });
});

describe('pipelines without a collection', () => {
  it('start with $documents, also inside $unionWith and $lookup', async () => {
    expect(await run([{ $documents: [{ a: 1 }, { a: { $add: [1, 1] } }] }], [])).toEqual(['{a: 1}', '{a: 2}']);
    expect(await run([{ $unionWith: { pipeline: [{ $documents: [{ a: 9 }] }] } }], [{ a: 1 }])).toEqual([
      '{a: 1}',
      '{a: 9}',
    ]);
    expect(await run([{ $lookup: { as: 'j', pipeline: [{ $documents: [{ k: 1 }] }] } }], [{ a: 1 }])).toEqual([
      '{a: 1, j: [{k: 1}]}',
    ]);
    expect(await codeOf(() => run([{ $limit: 1 }, { $documents: [] }], []))).toBe(40_602);
    expect(await codeOf(() => run([{ $facet: { a: [{ $documents: [] }] } }], []))).toBe(40_600);
    expect(await codeOf(() => run([{ $unionWith: { coll: 'x', pipeline: [{ $collStats: {} }] } }], []))).toBe(40_600);
  });
});

describe('$merge with a pipeline', () => {
  it('reads the incoming document as $$new, or the variables of let', async () => {
    const merged: string[] = [];
    const { env } = envOf();
    const merge: NonNullable<typeof env.merge> = async ({ whenMatched }, documents) => {
      if (typeof whenMatched !== 'function') throw new Error('no pipeline');
      for await (const raw of documents) merged.push(whenMatched(raw, raw).toString('latin1'));
    };
    const into = { into: 'x', whenMatched: [{ $set: { n: { $add: ['$n', '$$new.n'] } } }] };
    await run([{ $merge: into }], [{ n: 1 }], { ...env, merge });
    expect(merged).toHaveLength(1);
    expect(Buffer.from(merged[0] ?? '', 'latin1').readInt32LE(7)).toBe(2);
    const code = await codeOf(() => run([{ $merge: { into: 'x', let: { a: 1 }, whenMatched: 'merge' } }], []));
    expect(code).toBe(51_199);
  });
});

describe('expressions', () => {
  it.each<[unknown, string]>([
    [{ $sinh: 0 }, '0d'],
    [{ $atan2: [1, 1] }, `${Math.PI / 4}d`],
    [{ $percentile: { input: [1, 2, 3, 4], p: [0.5, 1], method: 'approximate' } }, '[2d, 4d]'],
    [{ $median: { input: [3, 1, 2], method: 'approximate' } }, '2d'],
    [{ $median: { input: ['x'], method: 'approximate' } }, 'null'],
    [{ $getField: { field: { $concat: ['a', '.b'] }, input: { $literal: { 'a.b': 7 } } } }, '7'],
    [
      { $convert: { input: 'aGk=', to: { type: 'binData', subtype: 0 }, format: 'base64' } },
      JSON.stringify(new Binary(Buffer.from('hi'))),
    ],
    [{ $convert: { input: new Binary(Buffer.from('hi')), to: 'string', format: 'utf8' } }, '"hi"'],
    [{ $convert: { input: new Binary(Buffer.from('hi')), to: 'string', format: 'hex' } }, '"6869"'],
    [{ $convert: { input: 'zz', to: 'binData', format: 'hex', onError: 'bad' } }, '"bad"'],
    [
      { $convert: { input: { $toUUID: '01234567-89ab-cdef-0123-456789abcdef' }, to: 'string', format: 'auto' } },
      '"01234567-89ab-cdef-0123-456789abcdef"',
    ],
  ])('%j is %s', async (expression, expected) => {
    expect(await evaluate(expression)).toBe(expected);
  });

  it('pass the share of $sampleRate and never run code', async () => {
    const docs = Array.from({ length: 400 }, (_, n) => ({ n }));
    const kept = await run([{ $match: { $sampleRate: 0.25 } }], docs);
    expect(kept.length).toBeGreaterThan(60);
    expect(kept.length).toBeLessThan(140);
    for (const operator of ['$function', '$accumulator', '$meta']) {
      const failure = await evaluate({ [operator]: {} }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(MongoError);
      expect(String(failure)).toContain(operator);
    }
  });
});
