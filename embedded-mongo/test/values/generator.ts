import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import {
  BsonCodeWithScope,
  BsonDate,
  BsonDbPointer,
  BsonDoc,
  BsonUndefined,
  type BsonValue,
} from '../../bson/value.js';

export function pick<V>(random: () => number, from: readonly V[]): V {
  return from[Math.floor(random() * from.length)] as V;
}

const DOUBLES = [0, -0, 1, 1.5, -1, 5, 0.1, 1e300, -1e300, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE];
const WHOLES = [
  '0',
  '1',
  '-1',
  '5',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '4611686018427387905',
];
const DECIMALS = [
  '0',
  '-0',
  '1',
  '1.0',
  '1.5',
  '5E+0',
  '0.1',
  '0.1000000000000000055511151231257827',
  '9007199254740993',
  '9007199254740992.5',
  '-9007199254740993',
  '1E-6176',
  '-1E-6176',
  '9.999999999999999999999999999999999E+6144',
  '-9.999999999999999999999999999999999E+6144',
  '1.797693134862315708145274237317044E+308',
  'NaN',
  'Infinity',
  '-Infinity',
];
const TEXTS = ['', 'a', 'ab', 'b', 'a\0', 'a\0b', 'a\x01', '\x01', 'é', '\uffee', '😀', 'Z', '10', '9'];

export function randomNumber(random: () => number): BsonValue {
  switch (Math.floor(random() * 6)) {
    case 0:
      return new Int32(Math.floor(random() * 11) - 5);
    case 1:
      return new Double(pick(random, [...DOUBLES, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]));
    case 2:
      return new Double((random() - 0.5) * 10 ** Math.floor(random() * 30 - 10));
    case 3:
      return Long.fromString(pick(random, [...WHOLES, '9223372036854775807', '-9223372036854775808']));
    case 4:
      return Long.fromBigInt(BigInt(Math.floor(random() * 2 ** 53)) * BigInt(Math.floor(random() * 2_000) - 1_000));
    default:
      return Decimal128.fromString(pick(random, DECIMALS));
  }
}

export function randomScalar(random: () => number): BsonValue {
  const bytes = Buffer.from(pick(random, TEXTS));
  const id = new ObjectId(Buffer.alloc(12, Math.floor(random() * 3)));
  const makers: (() => BsonValue)[] = [
    () => null,
    () => random() < 0.5,
    () => pick(random, TEXTS),
    () => pick(random, TEXTS),
    () => randomNumber(random),
    () => randomNumber(random),
    () => randomNumber(random),
    () => id,
    () => new Binary(bytes, pick(random, [0, 2, 4, 5, 128])),
    () => new BsonDate(BigInt(Math.floor((random() - 0.5) * 1e13))),
    () => new Timestamp({ t: Math.floor(random() * 2 ** 32), i: Math.floor(random() * 3) }),
    () => new BSONRegExp(pick(random, ['a', 'ab', '^b']), pick(random, ['', 'i', 'im'])),
    () => new MinKey(),
    () => new MaxKey(),
    () => new Code(pick(random, TEXTS)),
    () => new BSONSymbol(pick(random, TEXTS)),
    () => new BsonUndefined(),
    () => new BsonCodeWithScope(pick(random, TEXTS), BsonDoc.of({ a: pick(random, [1, 2]) })),
    () => new BsonDbPointer(pick(random, ['a', 'ab', 'b']), id),
  ];
  return pick(random, makers)();
}

export function randomValue(random: () => number, depth = 2): BsonValue {
  const kind = depth > 0 ? random() : 1;
  const count = Math.floor(random() * 4);
  if (kind < 0.2) return Array.from({ length: count }, () => randomValue(random, depth - 1));
  if (kind < 0.4) {
    const doc = new BsonDoc();
    for (let i = 0; i < count; i++) doc.append(pick(random, ['a', 'b', 'ab', '', '1']), randomValue(random, depth - 1));
    return doc;
  }
  return randomScalar(random);
}
