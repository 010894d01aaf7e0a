import { describe, expect, it } from '@jest/globals';
import { Binary, BSONRegExp, Decimal128, Double, Long, MaxKey, MinKey, ObjectId } from 'bson';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDate, BsonDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { compileMatcher } from '../../match/matcher.js';
import { compileRegex, literalPrefix } from '../../match/regex.js';

type Literal = Record<string, unknown>;

const matches = (filter: Literal, doc: Literal): boolean =>
  compileMatcher(BsonDoc.of(filter)).matches(encodeDocument(BsonDoc.of(doc)));

/** Filter, documents that match it, documents that do not. */
type Case = readonly [filter: Literal, matching: readonly Literal[], others: readonly Literal[]];

function check(name: string, cases: readonly Case[]): void {
  it.each(cases)(`${name}: %j`, (filter, matching, others) => {
    expect(matching.map((doc) => matches(filter, doc))).toEqual(matching.map(() => true));
    expect(others.map((doc) => matches(filter, doc))).toEqual(others.map(() => false));
  });
}

function codeOf(filter: Literal): number | string {
  try {
    compileMatcher(BsonDoc.of(filter));
    return 'accepted';
  } catch (error) {
    return error instanceof MongoError ? error.code : String(error);
  }
}

const UUID = Buffer.alloc(16, 7);
const id = new ObjectId('65a1b2c3d4e5f60718293a4b');

describe('equality', () => {
  check('numbers of all types are one', [
    [{ a: 5 }, [{ a: 5n }, { a: new Double(5) }, { a: Decimal128.fromString('5.0') }], [{ a: '5' }, { a: 6n }]],
    [
      { a: 9007199254740993n },
      [{ a: Decimal128.fromString('9007199254740993') }],
      [{ a: new Double(9007199254740992) }, { a: 9007199254740992n }],
    ],
    [{ a: new Double(Number.NaN) }, [{ a: Decimal128.fromString('NaN') }, { a: [Number.NaN] }], [{ a: 0 }, {}]],
  ]);
  check('null matches null and missing, through arrays of documents too', [
    [{ a: null }, [{ a: null }, {}, { a: [1, null] }], [{ a: 0 }, { a: [] }]],
    [{ 'a.b': null }, [{ a: 4 }, {}, { a: [{ b: 1 }, { c: 1 }] }], [{ a: [{ b: 1 }] }, { a: [] }, { a: [4] }]],
    [{ a: { $ne: null } }, [{ a: 0 }, { a: [] }], [{}, { a: null }]],
  ]);
  check('documents count field order, arrays match whole or by element', [
    [
      { a: { x: 1, y: 2 } },
      [{ a: { x: 1, y: 2n } }, { a: [{ x: 1, y: 2 }] }],
      [{ a: { y: 2, x: 1 } }, { a: { x: 1 } }],
    ],
    [{ a: [1, 2] }, [{ a: [1, 2] }, { a: [[1, 2], 3] }], [{ a: [2, 1] }, { a: [1, 2, 3] }]],
    [{ 'a.0': 5 }, [{ a: [5, 6] }, { a: { 0: 5 } }, { a: [{ 0: 5 }] }], [{ a: [6, 5] }]],
    [{ 'a.b': 5 }, [{ a: [{ b: 4 }, { b: 5 }] }, { a: { b: [5] } }], [{ a: [[{ b: 5 }]] }]],
    [{ 'a.0.b': 5 }, [{ a: [{ b: 5 }] }, { a: [[{ b: 5 }]] }], [{ a: [{ b: 4 }, { b: 5 }] }]],
  ]);
  check('binary counts its subtype, ids and extremes are themselves', [
    [{ a: new Binary(UUID, 4) }, [{ a: new Binary(Buffer.from(UUID), 4) }], [{ a: new Binary(UUID, 0) }]],
    [{ a: id }, [{ a: new ObjectId(id.toHexString()) }], [{ a: id.toHexString() }]],
    [{ a: new MinKey() }, [{ a: new MinKey() }], [{ a: new MaxKey() }, {}]],
  ]);
  check('$in takes values, null and regular expressions', [
    [{ a: { $in: [1, 'x', null] } }, [{ a: 1n }, { a: ['x'] }, {}], [{ a: 2 }]],
    [{ a: { $in: [/^b/, 3] } }, [{ a: 'bc' }, { a: 3 }], [{ a: 'cb' }]],
    [{ a: { $in: Array.from({ length: 40 }, (_, i) => i * 2) } }, [{ a: 38 }, { a: [1, 4] }], [{ a: 39 }, { a: 'x' }]],
    [{ a: { $nin: [1, 2] } }, [{ a: 3 }, {}, { a: [3] }], [{ a: 1 }, { a: [3, 2] }]],
    [{ a: { $in: [] } }, [], [{ a: 1 }, {}]],
  ]);
});

describe('ranges', () => {
  check('stay within the type of their operand', [
    [{ a: { $gt: 5 } }, [{ a: 6n }, { a: Decimal128.fromString('5.1') }, { a: [1, 9] }], [{ a: 5 }, { a: '9' }, {}]],
    [{ a: { $lt: 5 } }, [{ a: -1 }], [{ a: Number.NaN }, { a: null }, { a: false }, {}]],
    [{ a: { $gte: null } }, [{ a: null }, {}], [{ a: 0 }]],
    [{ a: { $gt: null } }, [], [{ a: null }, {}, { a: 1 }]],
    [{ a: { $gte: Number.NaN } }, [{ a: Number.NaN }], [{ a: 1 }]],
    [{ a: { $gt: 'Z' } }, [{ a: 'a' }], [{ a: 1 }, { a: 'A' }]],
    [{ a: { $gt: '\uffee' } }, [{ a: '😀' }], []],
    [{ a: { $lt: new Date(10) } }, [{ a: new Date(9) }], [{ a: 9 }]],
    [{ a: { $gt: [1] } }, [{ a: [1, 0] }], [{ a: [1] }, { a: 2 }]],
    [{ a: { $gt: { x: 1 } } }, [{ a: { x: 2 } }], [{ a: { x: 1 } }, { a: 5 }]],
    [{ a: { $gt: new MinKey() } }, [{ a: 1 }, { a: null }, {}], [{ a: new MinKey() }]],
    [{ a: { $gt: 1, $lt: 3 } }, [{ a: 2 }, { a: [0, 5] }], [{ a: [0, 1] }]],
  ]);
});

describe('element operators', () => {
  check('$exists, $type, $size, $mod', [
    [{ a: { $exists: true } }, [{ a: null }], [{}]],
    [{ 'a.b': { $exists: false } }, [{}, { a: [] }, { a: 1 }], [{ a: [{ b: 1 }, {}] }]],
    [{ a: { $type: 'objectId' } }, [{ a: id }], [{ a: 'x' }]],
    [{ a: { $type: ['decimal', 'long'] } }, [{ a: Decimal128.fromString('1') }, { a: 1n }], [{ a: 1 }]],
    [{ a: { $type: 'number' } }, [{ a: 1 }, { a: ['x', 2n] }], [{ a: 'x' }]],
    [{ a: { $type: 'array' } }, [{ a: [] }], [{ a: 1 }]],
    [{ a: { $type: 5 } }, [{ a: new Binary(UUID, 4) }], [{ a: 1 }]],
    [{ a: { $size: 2 } }, [{ a: [1, [2]] }], [{ a: [1] }, { a: 2 }, {}]],
    [
      { a: { $mod: [4, 1] } },
      [{ a: 5 }, { a: 5n }, { a: 5.5 }, { a: [2, 9] }],
      [{ a: 4 }, { a: 'x' }, { a: Number.NaN }],
    ],
  ]);
  check('bits', [
    [{ a: { $bitsAllSet: [0, 2] } }, [{ a: 5 }, { a: 7n }, { a: -1 }], [{ a: 4 }, { a: 5.5 }, { a: 'x' }]],
    [{ a: { $bitsAnyClear: 3 } }, [{ a: 1 }], [{ a: 3 }]],
    [
      { a: { $bitsAllClear: new Binary(Buffer.from([1]), 0) } },
      [{ a: 2 }, { a: new Binary(Buffer.from([4]), 0) }],
      [{ a: 1 }],
    ],
    [{ a: { $bitsAnySet: [100] } }, [{ a: -1 }], [{ a: 1 }]],
  ]);
  check('$elemMatch binds all conditions to one element; $all lets each choose', [
    [{ a: { $elemMatch: { $gt: 1, $lt: 3 } } }, [{ a: [0, 2] }], [{ a: [0, 5] }, { a: 2 }]],
    [{ a: { $elemMatch: { b: 1, c: 2 } } }, [{ a: [{ b: 1, c: 2 }] }], [{ a: [{ b: 1 }, { c: 2 }] }]],
    [{ a: { $elemMatch: { $or: [{ b: 1 }, { c: 1 }] } } }, [{ a: [{ c: 1 }] }], [{ a: [{ b: 2 }] }]],
    [{ a: { $elemMatch: { $ne: 1 } } }, [{ a: [1, 2] }], [{ a: [1] }, { a: [] }]],
    [{ a: { $all: [1, 2] } }, [{ a: [2, 3, 1] }], [{ a: [1] }]],
    [{ a: { $all: [1] } }, [{ a: 1 }], [{ a: 2 }]],
    [{ a: { $all: [] } }, [], [{ a: [] }]],
    [
      { a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } },
      [{ a: [{ b: 1 }, { b: 2 }] }],
      [{ a: [{ b: 1 }] }],
    ],
  ]);
});

describe('logic', () => {
  check('$and, $or, $nor, $not', [
    [{ $or: [{ a: 1 }, { b: 1 }] }, [{ b: 1 }], [{ c: 1 }]],
    [{ $nor: [{ a: 1 }, { b: 1 }] }, [{ c: 1 }], [{ b: 1 }]],
    [{ $and: [{ a: 1 }, { b: 1 }] }, [{ a: 1, b: 1 }], [{ a: 1 }]],
    [{ a: { $not: { $gt: 1 } } }, [{ a: 1 }, {}, { a: 'x' }], [{ a: 2 }, { a: [0, 2] }]],
    [{ a: { $not: /^x/ } }, [{ a: 'y' }, {}], [{ a: 'xy' }]],
    [{ $comment: 'why', a: 1 }, [{ a: 1 }], [{ a: 2 }]],
    [{}, [{}, { a: 1 }], []],
  ]);
});

describe('regular expressions', () => {
  check('follow PCRE', [
    [{ a: /^ab/ }, [{ a: 'abc' }, { a: ['x', 'ab'] }], [{ a: 'cab' }, { a: 5 }]],
    [{ a: { $regex: 'AB', $options: 'i' } }, [{ a: 'xab' }], []],
    [{ a: { $regex: '(?i)AB' } }, [{ a: 'ab' }], []],
    [{ a: new BSONRegExp('a b # comment', 'x') }, [{ a: 'ab' }], [{ a: 'a b' }]],
    [{ a: { $regex: 'b$' } }, [{ a: 'b\n' }, { a: 'ab' }], [{ a: 'b\r' }]],
    [{ a: { $regex: '^b', $options: 'm' } }, [{ a: 'a\nb' }], [{ a: 'a\rb' }]],
    [{ a: { $regex: 'a.c' } }, [{ a: 'a\rc' }], [{ a: 'a\nc' }]],
    [{ a: { $regex: '^\\Qa.b\\E[[:digit:]]\\z' } }, [{ a: 'a.b5' }], [{ a: 'axb5' }, { a: 'a.b5\n' }]],
    [{ a: { $regex: '[a\\-_]-\\x{1F600}' } }, [{ a: '--😀' }], []],
    [{ a: { $regex: '^.$' } }, [{ a: '😀' }], []],
    [{ a: { $regex: '{x}]' } }, [{ a: '{x}]' }], []],
  ]);

  it('match a stored identical regular expression', () => {
    expect(matches({ a: new BSONRegExp('x', 'i') }, { a: new BSONRegExp('x', 'i') })).toBe(true);
  });

  it.each(['(?>a)', 'a++', '(?R)', '(', '[a', '\\K', '(?i:a)', '(?(1)a)'])('reject %s with 51091', (pattern) => {
    expect(() => compileRegex(pattern, '')).toThrow(expect.objectContaining({ code: 51_091 }));
  });

  it('give a prefix for index ranges when anchored', () => {
    expect(literalPrefix('^abc', '')).toBe('abc');
    expect(literalPrefix('^a\\.b.*', '')).toBe('a.b');
    expect(literalPrefix('^abc?', '')).toBe('ab');
    expect(literalPrefix('^a|b', '')).toBeUndefined();
    expect(literalPrefix('^abc', 'i')).toBeUndefined();
    expect(literalPrefix('abc', '')).toBeUndefined();
  });
});

describe('$jsonSchema', () => {
  const schema = {
    $jsonSchema: {
      bsonType: 'object',
      required: ['name', 'at'],
      properties: {
        name: { bsonType: 'string', minLength: 2, pattern: '^[a-z]+$' },
        at: { bsonType: 'date' },
        count: { bsonType: ['int', 'long'], minimum: 0, maximum: 10, exclusiveMaximum: true },
        tags: { bsonType: 'array', items: { enum: ['x', 'y'] }, uniqueItems: true, maxItems: 2 },
      },
      additionalProperties: false,
    },
  };
  const at = BsonDate.fromMs(5);
  check('checks types, bounds and shapes', [
    [
      schema,
      [
        { name: 'ab', at },
        { name: 'ab', at, count: 9n, tags: ['y', 'x'] },
      ],
      [
        { name: 'ab' },
        { name: 'a', at },
        { name: 'AB', at },
        { name: 'ab', at, count: 10 },
        { name: 'ab', at, count: 1.5 },
        { name: 'ab', at, tags: ['x', 'x'] },
        { name: 'ab', at, tags: ['z'] },
        { name: 'ab', at, other: 1 },
      ],
    ],
    [{ $jsonSchema: { not: { required: ['a'] } } }, [{ b: 1 }], [{ a: 1 }]],
    [{ $jsonSchema: { oneOf: [{ required: ['a'] }, { required: ['b'] }] } }, [{ a: 1 }], [{ a: 1, b: 1 }, {}]],
  ]);

  it('names an unknown keyword', () => {
    expect(() => compileMatcher(BsonDoc.of({ $jsonSchema: { $ref: 'x' } }))).toThrow(
      "$jsonSchema keyword '$ref' is not currently supported",
    );
  });
});

describe('refusals', () => {
  it.each<[Literal, number]>([
    [{ $where: 'true' }, 2],
    [{ a: { $near: [1, 2] } }, 2],
    [{ a: { $geoWithin: {} } }, 2],
    [{ $foo: 1 }, 2],
    [{ a: { $foo: 1 } }, 2],
    [{ a: { $gt: 1, b: 2 } }, 2],
    [{ $or: [] }, 2],
    [{ $and: [1] }, 2],
    [{ a: { $in: 5 } }, 2],
    [{ a: { $in: [{ $gt: 1 }] } }, 2],
    [{ a: { $mod: [0, 1] } }, 2],
    [{ a: { $type: 'nothing' } }, 2],
    [{ a: { $size: -1 } }, 2],
    [{ a: { $options: 'i' } }, 2],
    [{ a: { $gt: /x/ } }, 2],
    [{ a: { $regex: 'x', $options: 'q' } }, 51_108],
  ])('%j', (filter, code) => {
    expect(codeOf(filter)).toBe(code);
  });
});

describe('matchPosition', () => {
  const position = (filter: Literal, doc: Literal): number =>
    compileMatcher(BsonDoc.of(filter)).matchPosition(encodeDocument(BsonDoc.of(doc))).arrayIndex;

  it('reports the outermost array', () => {
    expect(position({ a: 3 }, { a: [1, 2, 3] })).toBe(2);
    expect(position({ 'a.b': 3 }, { a: [{ b: [0] }, { b: [1, 2, 3] }] })).toBe(1);
    expect(position({ a: { $elemMatch: { b: 2 } } }, { a: [{ b: 1 }, { b: 2 }] })).toBe(1);
    expect(position({ b: 1, a: { $gt: 1 } }, { a: [1, 2], b: 1 })).toBe(1);
    expect(position({ a: 3 }, { a: 3 })).toBe(-1);
  });

  it('exposes the parsed tree to planners', () => {
    const { root } = compileMatcher(BsonDoc.of({ a: 1, $and: [{ b: { $gt: new Long(2) } }, { c: { $in: [1] } }] }));
    expect(root).toMatchObject({
      kind: 'and',
      children: [{ kind: 'eq', path: 'a' }, { kind: 'range' }, { kind: 'in' }],
    });
  });
});
