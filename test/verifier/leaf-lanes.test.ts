import { describe, expect, it } from '@jest/globals';
import { sha256 } from '../../shared/crypto/hash.js';
import { Committer } from '../../shared/evidence/commitments.js';
import { buildRecord } from '../../shared/evidence/record.js';
import { LeafLanes } from '../../shared/hashing/leaf-lanes.js';
import { RecordHasher } from '../../shared/hashing/record-hasher.js';
import type { JsonObject, JsonValue } from '../../shared/json/strict-json.js';
import { LineReader } from '../../verifier/archive/line-reader.js';
import { readLedgerRow } from '../../verifier/checks/ledger-row.js';
import { PlainRow } from '../../verifier/checks/plain-row.js';
import { Commitments } from '../../verifier/hashing/commitments.js';
import { TreeHasher } from '../../verifier/hashing/tree.js';
import { TreeLanes } from '../../verifier/hashing/tree-lanes.js';
import { nodePlatform } from '../../verifier/node/node-platform.js';
import { isCanonical } from '../../verifier/text/canonical-scanner.js';
import { seeded } from '../support/random.js';

const LENGTHS = [0, 1, 3, 20, 60, 200, 250, 300, 340, 400, 700, 3000];
const KEYS = ['a', 'a/b~c', '"quoted"', 'ü', '€'.repeat(12), 'k'.repeat(60), 'k'.repeat(130), 'line\nend'];

/** Records of all the shapes that decide between lanes and single hashes: long, wide, deep, and of other scripts. */
function payloadOf(random: () => number, wide: boolean): JsonObject {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const value = (depth: number): JsonValue => {
    const kind = Math.floor(random() * (depth > 3 ? 4 : 6));
    if (kind === 0) return pick(['x', 'ä', '€', '😀', '\\"']).repeat(pick(LENGTHS));
    if (kind === 1) return Math.floor(random() * 1e9) / pick([1, 100, 1e12]);
    if (kind === 2) return pick([true, false, null, '', 0]);
    if (kind === 3) return pick<JsonValue>([{}, []]);
    const inner = Array.from({ length: Math.floor(random() * 5) }, () => value(depth + 1));
    return kind === 4 ? inner : Object.fromEntries(inner.map((one) => [pick(KEYS) + pick(KEYS), one]));
  };
  const members = Array.from({ length: wide ? 900 : 12 }, (_, i) => [`${pick(KEYS)}${i}`, value(1)] as const);
  return Object.fromEntries(members);
}

const made = (commitments: Commitments, seed: Buffer, text: string): ReturnType<Commitments['ofRecord']> =>
  commitments.ofRecord(
    seed.toString('hex'),
    commitments.scanner(text),
    [0, text.length],
    Buffer.from(text),
    () => undefined,
  );

describe('hashing in lanes', () => {
  it('equals single hashes, and the commitments of the service', () => {
    const random = seeded(10);
    const lanes = new Commitments(nodePlatform);
    const single = new Commitments(nodePlatform, new RecordHasher(nodePlatform.sha256, null));
    const committer = new Committer();
    for (let i = 0; i < 120; i++) {
      const envelope = { event_type: 'x', source_system: 's', payload: payloadOf(random, i % 10 === 0) };
      const { text, leaves } = buildRecord(envelope, {
        event_id: `evt_${i}`,
        tenant_id: 't',
        received_at: '2026-03-02T12:00:00.000Z',
      });
      const seed = sha256(`seed ${i}`);
      const { commit, fields } = committer.commit(seed, Buffer.from(text), leaves);
      expect([i, made(lanes, seed, text)]).toEqual([i, { commit, fields }]);
      expect([i, made(single, seed, text)]).toEqual([i, { commit, fields }]);
    }
  });

  it('carries nothing over from a malformed record to the next', () => {
    const lanes = new Commitments(nodePlatform);
    const seed = sha256('seed');
    const before = made(lanes, seed, '{"a":1,"b":"x"}');
    expect(made(lanes, seed, '{"a":1,"b":"x",}')).toBeUndefined();
    expect(made(lanes, seed, '{"a":1,"b":"x"}')).toEqual(before);
  });

  it('rejects members out of order and repeated members, whatever came before', () => {
    const lanes = new Commitments(nodePlatform);
    const seed = sha256('seed');
    const good = ['{"a":1,"b":2,"c":{"a":1}}', '{"a":1,"c":3}', '{"b":2,"c":3,"d":4}', '{"a":1,"b":2,"c":{"a":1}}'];
    const first = good.map((text) => made(lanes, seed, text));
    const bad = [
      '{"b":2,"a":1}',
      '{"a":1,"a":1}',
      '{"a":1,"c":3,"b":2}',
      '{"a":1,"b":2,"b":2}',
      '{"a":1,"b":2,"c":{"b":1,"a":1}}',
      '{"a":1"b":2}',
      '{"a":1,}',
    ];
    expect(bad.map((text) => made(lanes, seed, text))).toEqual(bad.map(() => undefined));
    expect(good.map((text) => made(lanes, seed, text))).toEqual(first);
    expect(good.map((text) => made(new Commitments(nodePlatform), seed, text))).toEqual(first);
  });

  it('is available on this machine, and is rejected where compiling is forbidden', () => {
    expect(LeafLanes.create()).not.toBeNull();
    const { WebAssembly } = globalThis as { WebAssembly?: { Module: unknown; Instance: unknown } };
    if (WebAssembly === undefined) throw new Error('the machine of the tests has WebAssembly');
    const { Module, Instance } = WebAssembly;
    // Both, as the module was compiled before and is kept.
    WebAssembly.Module = WebAssembly.Instance = class {
      constructor() {
        throw new Error('refused by the policy of the page');
      }
    };
    try {
      expect(LeafLanes.create()).toBeNull();
    } finally {
      Object.assign(WebAssembly, { Module, Instance });
    }
  });
});

it('accepts a decimal as RFC 8785 exactly if ECMAScript prints it so', () => {
  const random = seeded(41);
  const digits = (most: number): string => String(Math.floor(random() * 10 ** Math.floor(random() * (most + 1))));
  const literals = Array.from({ length: 20_000 }, () => {
    const fraction = '0'.repeat(Math.floor(random() * 7)) + digits(9);
    return `${random() < 0.5 ? '-' : ''}${digits(14)}.${fraction}`;
  });
  const differing = literals.filter((literal) => isCanonical(literal) !== (String(Number(literal)) === literal));
  expect(differing).toEqual([]);
  expect(literals.filter(isCanonical).length).toBeGreaterThan(1_000);
});

it('rejects a row of ledger.tsv with invalid numbers, times or cells', () => {
  const hash = 'ab'.repeat(32);
  const row = (...changed: readonly (readonly [at: number, cell: string])[]): string => {
    const cells = ['evt_1', 'um', '7', '2026-03-02T14:11:10.004Z', hash, hash, hash, '-', hash, hash, '0'];
    for (const [at, cell] of changed) cells[at] = cell;
    return cells.join('\t');
  };
  expect(readLedgerRow(row())).toMatchObject({
    event_id: 'evt_1',
    seq: 7,
    seed: hash,
    member_tag: null,
    tree_index: 0,
  });
  expect(readLedgerRow(row([7, hash]))).toMatchObject({ member_tag: hash });
  expect(readLedgerRow(row([4, '-'], [1, 'a\\tb']))).toMatchObject({ source_system: 'a\tb', seed: null });
  const refused = [
    [0, '-'],
    [0, ''],
    [1, 'a\\x'],
    [2, '0'],
    [2, '07'],
    [2, '9007199254740993'],
    [3, '2026-03-02'],
    [10, '-1'],
  ];
  for (const [at, cell] of refused) expect(readLedgerRow(row([at as number, cell as string]))).toBeUndefined();
  for (const at of [4, 5, 6, 7, 8, 9]) expect(readLedgerRow(row([at, hash.toUpperCase()]))).toBeUndefined();
  for (const text of [`${row()}\t`, `${row()}\r`, ` ${row([3, ''])}`]) expect(readLedgerRow(text)).toBeUndefined();
});

it('parses a row from its bytes as from its text, or leaves it to the text parser', () => {
  const random = seeded(43);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const hash = (): string => sha256(String(random())).toString('hex');
  const plain = new PlainRow();
  const inBytes = (text: string) => {
    // Between other lines, as in ledger.tsv.
    const bytes = Buffer.from(`before\n${text}\nafter\t1`);
    const isAscii = bytes.length === text.length + 15;
    return plain.read(bytes, 7, bytes.length - 8) && isAscii ? plain.values(bytes.toString('latin1')) : undefined;
  };
  let read = 0;
  for (let i = 0; i < 20_000; i++) {
    const [seq, place] = [Math.floor(random() * 10 ** Math.floor(random() * 17)), Math.floor(random() * 1e6)];
    const cells = [`evt_${i}`, pick(['um', 'rx "retail"', 'a\tb', '-', 'ü']), seq, '2026-03-02T14:11:10.004Z'];
    const tag = random() < 0.5 ? '-' : hash();
    let text = [...cells, hash(), hash(), hash(), tag, hash(), hash(), place].join('\t');
    const at = Math.floor(random() * text.length);
    if (random() < 0.5)
      text = text.slice(0, at) + pick(['', '-', '0', 'A', '\t', '\\', ' ', 'é', '"', 'z']) + text.slice(at + 1);
    const found = inBytes(text);
    if (found === undefined) continue;
    read++;
    expect({ text, ...found }).toEqual({ text, ...readLedgerRow(text) });
  }
  expect(read).toBeGreaterThan(3_000);
});

it('reads the same lines for every split of the bytes', async () => {
  const random = seeded(44);
  for (let round = 0; round < 200; round++) {
    const lines = Array.from({ length: 30 }, () => 'é€x\u{1f600}'.repeat(Math.floor(random() ** 3 * 8)));
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    let at = 0;
    const next = async () => {
      const piece = bytes.subarray(at, at + 1 + Math.floor(random() * 60));
      at += piece.length;
      return piece.length === 0 ? undefined : piece;
    };
    const reader = new LineReader({ next }, nodePlatform.isUtf8);
    const read: (string | undefined)[] = [];
    while (await reader.fill()) {
      const { asciiText, start, end } = reader;
      const inText = asciiText?.slice(start, end);
      read.push(reader.takeText());
      if (inText !== undefined) expect(inText).toBe(read.at(-1));
    }
    expect({ read, fault: reader.fault }).toEqual({ read: lines, fault: undefined });
  }
});

it('reports bytes that are not UTF-8, and reads nothing after them', async () => {
  const readAll = async (...pieces: readonly (string | Buffer)[]) => {
    const waiting = pieces.map((piece) => Buffer.from(piece));
    const reader = new LineReader({ next: async () => waiting.shift() }, nodePlatform.isUtf8);
    const lines: unknown[] = [];
    for (let line = await reader.line(); line !== undefined; line = await reader.line()) lines.push(line);
    return [...lines, reader.fault];
  };
  const bad = Buffer.from([0xc3, 0x0a]);
  expect(await readAll('a\nb', 'c\nd\n')).toEqual(['a', 'bc', 'd', undefined]);
  expect(await readAll('a\nb', 'c')).toEqual(['a', 'UNENDED']);
  expect(await readAll('a\nb', bad, 'd\n')).toEqual(['a', 'ENCODING']);
  // Of a piece that is not UTF-8 throughout no line is taken, not even the one that ends before.
  expect(await readAll('a\nb', Buffer.concat([Buffer.from('c\n'), bad]), 'd\n')).toEqual(['a', 'ENCODING']);
});

it('computes the same node over a block of leaves four at a time', () => {
  const lanes = TreeLanes.create(256);
  if (lanes === null) throw new Error('the machine of the tests has vector instructions');
  const hasher = new TreeHasher(nodePlatform);
  for (let round = 0; round < 3; round++) {
    const entries = Array.from({ length: 256 }, (_, i) => sha256(`entry ${round} ${i}`));
    let level: Uint8Array[] = entries.map((entry) => hasher.leaf(entry));
    while (level.length > 1) {
      const below = level;
      level = Array.from({ length: below.length / 2 }, (_, i) =>
        hasher.node(below[2 * i] as Uint8Array, below[2 * i + 1] as Uint8Array),
      );
    }
    expect(Buffer.from(lanes.root(Buffer.concat(entries)))).toEqual(Buffer.from(level[0] as Uint8Array));
  }
});
