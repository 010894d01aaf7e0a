import { Binary, BSON, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb';

/** Numbers below `n`, always the same for a seed. */
export type Random = (n: number) => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

export function message(opCode: number, body: Buffer, length = body.length + 16): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(length, 0);
  header.writeInt32LE(7, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}

export function opMsg(sections: Buffer, flags = 0): Buffer {
  const bits = Buffer.alloc(4);
  bits.writeUInt32LE(flags, 0);
  return message(2013, Buffer.concat([bits, sections]));
}

export function commandFrame(command: Record<string, unknown>): Buffer {
  return opMsg(Buffer.concat([Buffer.from([0]), BSON.serialize({ $db: 'fuzz', ...command })]));
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random(values.length)] as T;
}

/** Values of every type, among them those that are most often handled wrongly. */
function value(random: Random, depth: number): unknown {
  const plain: readonly (() => unknown)[] = [
    () => random(1_000),
    () => -random(2 ** 31),
    () => pick(random, [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e308]),
    () => 'x'.repeat(random(40)),
    () => pick(random, ['', '\u0000', '\ud83d\ude00', '$a', 'a.b', '(a+)+$']),
    () => null,
    () => random(2) === 0,
    () => new Date(random(2 ** 31) * 1_000),
    () => new ObjectId(Buffer.alloc(12, random(256))),
    () => new Binary(Buffer.alloc(random(20)), random(256)),
    () => Long.fromBits(random(2 ** 31), random(2 ** 31)),
    () => Decimal128.fromString(pick(random, ['1', 'NaN', '-1E+6000', '0.1'])),
    () => new Timestamp({ t: random(1_000), i: random(1_000) }),
    () => pick(random, [new MinKey(), new MaxKey()]),
    () => /a|b/i,
  ];
  if (depth > 0 && random(4) === 0) return Array.from({ length: random(4) }, () => value(random, depth - 1));
  if (depth > 0 && random(3) === 0) return document(random, depth - 1);
  return pick(random, plain)();
}

const NAMES = [
  'a',
  'b',
  '_id',
  'n',
  'a.b',
  '$set',
  '$gt',
  '$in',
  '$or',
  '$where',
  '$regex',
  '$elemMatch',
  '$expr',
  '$exists',
  '',
];

function document(random: Random, depth = 3): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: random(4) }, () => [pick(random, NAMES), value(random, depth)]));
}

const templates: readonly ((random: Random) => Record<string, unknown>)[] = [
  (r) => ({ insert: 'c', documents: [document(r), document(r)] }),
  (r) => ({ find: 'c', filter: document(r), sort: { a: 1 }, limit: r(5), projection: document(r, 1) }),
  (r) => ({ update: 'c', updates: [{ q: document(r), u: { $set: document(r) }, upsert: r(2) === 0 }] }),
  (r) => ({ delete: 'c', deletes: [{ q: document(r), limit: r(2) }] }),
  (r) => ({
    aggregate: 'c',
    pipeline: [{ $match: document(r) }, { $group: { _id: '$a', n: { $sum: 1 } } }],
    cursor: {},
  }),
  (r) => ({ findAndModify: 'c', query: document(r), update: { $inc: { n: value(r, 1) } } }),
  (r) => ({ count: 'c', query: document(r) }),
  (r) => ({ distinct: 'c', key: pick(r, NAMES), query: document(r) }),
  (r) => ({ createIndexes: 'c', indexes: [{ key: document(r, 1), name: `i${r(8)}` }] }),
  (r) => ({ getMore: Long.fromNumber(r(100)), collection: 'c' }),
  (r) => ({ explain: { find: 'c', filter: document(r) } }),
  (r) => ({ hello: 1, saslSupportedMechs: value(r, 1), speculativeAuthenticate: document(r) }),
  (r) => ({ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: value(r, 0) }),
  (r) => ({ listCollections: 1, filter: document(r) }),
  (r) => ({ [`unknown${r(50)}`]: value(r, 2) }),
  (r) => ({ ping: 1, [pick(r, NAMES) || 'option']: value(r, 2) }),
  (r) => ({ find: value(r, 1), filter: value(r, 2), batchSize: value(r, 0) }),
];

/** `{ a: { a: { … } } }` or arrays in arrays, deeper than anybody may send. */
function nested(random: Random): Buffer {
  const type = random(2) === 0 ? 3 : 4;
  let inner: Buffer = Buffer.from([5, 0, 0, 0, 0]);
  for (let depth = 50 + random(600); depth > 0; depth--) {
    const outer = Buffer.alloc(inner.length + 8);
    outer.writeInt32LE(outer.length, 0);
    outer[4] = type;
    outer[5] = 0x30;
    inner.copy(outer, 7);
    inner = outer;
  }
  const body = BSON.serialize({ insert: 'c', $db: 'fuzz' });
  const element = Buffer.concat([body.subarray(4, -1), Buffer.from('\x03deep\0', 'latin1'), inner, Buffer.from([0])]);
  const length = Buffer.alloc(4);
  length.writeInt32LE(element.length + 4, 0);
  return opMsg(Buffer.concat([Buffer.from([0]), length, element]));
}

function sequenceFrame(random: Random): Buffer {
  const documents = Array.from({ length: random(5) }, () => BSON.serialize(document(random)));
  const content = Buffer.concat([Buffer.from(`${pick(random, ['documents', 'updates', 'ops', 'x'])}\0`), ...documents]);
  const head = Buffer.alloc(5);
  head[0] = 1;
  head.writeInt32LE(content.length + 4, 1);
  const body = Buffer.concat([Buffer.from([0]), BSON.serialize({ insert: 'c', $db: 'fuzz' })]);
  return opMsg(Buffer.concat([body, head, content]), random(4) === 0 ? 2 : 0);
}

/** Bytes changed, lengths made wrong, ends cut off or added. */
function mutated(random: Random, frame: Buffer): Buffer {
  const bytes = Buffer.from(frame);
  const at = () => 16 + random(Math.max(1, bytes.length - 16));
  const mutations: readonly (() => Buffer)[] = [
    () => {
      for (let n = random(4); n >= 0; n--) bytes[at()] = random(256);
      return bytes;
    },
    () => {
      // A 32-bit length somewhere becomes huge, negative, or off by one.
      const offset = Math.min(at(), bytes.length - 4);
      bytes.writeInt32LE(pick(random, [0x7fffffff, -1, 0, 4, bytes.readInt32LE(offset) + 1, random(2 ** 31)]), offset);
      return bytes;
    },
    () => {
      // Cut inside the message, with a header that matches the remaining length.
      const cut = bytes.subarray(0, Math.max(16, at()));
      cut.writeInt32LE(cut.length, 0);
      return cut;
    },
    () => {
      bytes.writeInt32LE(pick(random, [0, 15, 48_000_001, -5, bytes.length + 1 + random(50), bytes.length - 1]), 0);
      return bytes;
    },
    () => {
      // Bytes that are no UTF-8, in the middle of a text or name.
      bytes.set([0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80].slice(random(5)), Math.min(at(), bytes.length - 6));
      return bytes;
    },
    () => Buffer.concat([bytes, Buffer.from(Array.from({ length: random(30) }, () => random(256)))]),
    () => {
      bytes.writeInt32LE(pick(random, [1, 2001, 2004, 2010, 2012, 2013, random(5_000)]), 12);
      return bytes;
    },
  ];
  return pick(random, mutations)();
}

/** One frame: well formed but odd, or broken in one of many ways. */
export function fuzzFrame(random: Random): Buffer {
  const kind = random(20);
  if (kind === 0) return Buffer.from(Array.from({ length: random(200) }, () => random(256)));
  if (kind === 1) return nested(random);
  const frame = kind < 5 ? sequenceFrame(random) : commandFrame(pick(random, templates)(random));
  return random(4) === 0 ? frame : mutated(random, frame);
}
