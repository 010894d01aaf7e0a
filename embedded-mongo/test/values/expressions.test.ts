import { describe, expect, it } from '@jest/globals';
import { Decimal128, ObjectId } from 'bson';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc } from '../../bson/value.js';
import { compileMatcher } from '../../match/matcher.js';
import { codeOf, evaluate, type Literal } from './pipeline-kit.js';

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

  it.each<[unknown, string]>([
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
    [{ $dateFromParts: { isoWeekYear: 2020, isoWeek: 53, isoDayOfWeek: 7 } }, 'date 1609632000000'],
    [{ $dateFromParts: { isoWeekYear: 2021 } }, 'date 1609718400000'],
    [{ $dateFromParts: { isoWeekYear: 2018, isoWeek: 1, hour: 5, timezone: '+02:00' } }, 'date 1514775600000'],
    [{ $dateFromParts: { isoWeekYear: 2021, isoWeek: 0, isoDayOfWeek: 8 } }, 'date 1609718400000'],
    [{ $convert: { input: '1', to: 'array', onError: 'none' } }, '"none"'],
    [{ $dateAdd: { startDate: '$at', unit: 'year', amount: 1 } }, 'date 1740750306789'],
    [{ $dateDiff: { startDate: new Date('2024-01-31'), endDate: new Date('2024-02-01'), unit: 'month' } }, '1L'],
    [{ $dateTrunc: { date: '$at', unit: 'month' } }, 'date 1706745600000'],
    [{ $bitAnd: [12, 10] }, '8'],
  ])('%j is %s', async (expression, expected) => {
    expect(await evaluate(expression, doc)).toBe(expected);
  });

  it.each<[unknown, number]>([
    // In a projection; other places give 168.
    [{ $foo: 1 }, 31_325],
    [{ $add: ['x', 1] }, 14],
    [{ $divide: [1, 0] }, 2],
    ['$$nothing', 17_276],
    [{ $arrayElemAt: ['x', 0] }, 28_689],
    [{ $toInt: 'x' }, 241],
    [{ $size: '$missing' }, 17_124],
    [{ $eq: [1] }, 16_020],
    [{ $filter: { input: [], cond: true, extra: 1 } }, 28_647],
    [{ $hour: { date: '$at', timezone: 'Nowhere' } }, 40_485],
  ])('rejects %j', async (expression, code) => {
    expect(await codeOf(() => evaluate(expression, doc))).toBe(code);
  });

  it('compare fields in filters with $expr', () => {
    const matches = (filter: Literal, target: Literal): boolean =>
      compileMatcher(BsonDoc.of(filter)).matches(encodeDocument(BsonDoc.of(target)));
    expect(matches({ $expr: { $gt: ['$a', '$b'] } }, { a: 2, b: 1n })).toBe(true);
    expect(matches({ $expr: { $gt: ['$a', '$b'] } }, { a: 1, b: 1n })).toBe(false);
  });
});
