import { describe, expect, test } from '@jest/globals';
import { sha256 } from '../../shared/crypto/hash.js';
import { Committer } from '../../shared/evidence/commitments.js';
import { buildRecord } from '../../shared/evidence/record.js';
import type { JsonObject, JsonValue } from '../../shared/json/strict-json.js';
import { readLedgerRow } from '../../verifier/checks/ledger-row.js';
import { Commitments, type Committed } from '../../verifier/hashing/commitments.js';
import { LeafLanes } from '../../verifier/hashing/leaf-lanes.js';
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

const made = (commitments: Commitments, seed: Buffer, text: string): Committed | undefined =>
  commitments.ofRecord(
    seed.toString('hex'),
    commitments.scanner(text),
    [0, text.length],
    Buffer.from(text),
    () => undefined,
  );

describe('hashing in lanes', () => {
  test('gives what single hashes give, and what the service committed to', () => {
    const random = seeded(10);
    const lanes = new Commitments(nodePlatform);
    const single = new Commitments(nodePlatform, null);
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

  test('leaves nothing of a record that is not in the form to the next', () => {
    const lanes = new Commitments(nodePlatform);
    const seed = sha256('seed');
    const before = made(lanes, seed, '{"a":1,"b":"x"}');
    expect(made(lanes, seed, '{"a":1,"b":"x",}')).toBeUndefined();
    expect(made(lanes, seed, '{"a":1,"b":"x"}')).toEqual(before);
  });

  test('is there on this machine, and is refused where compiling is forbidden', () => {
    expect(LeafLanes.create()).not.toBeNull();
    const { WebAssembly } = globalThis as { WebAssembly?: { Module: unknown } };
    if (WebAssembly === undefined) throw new Error('the machine of the tests has WebAssembly');
    const { Module } = WebAssembly;
    WebAssembly.Module = class {
      constructor() {
        throw new Error('refused by the policy of the page');
      }
    };
    try {
      expect(LeafLanes.create()).toBeNull();
    } finally {
      WebAssembly.Module = Module;
    }
  });
});

test('a decimal is in the form of RFC 8785 exactly where ECMAScript prints it so', () => {
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

test('a row of ledger.tsv is refused for what its numbers, times and cells must not be', () => {
  const hash = 'ab'.repeat(32);
  const row = (...changed: readonly (readonly [at: number, cell: string])[]): string => {
    const cells = ['evt_1', 'um', '7', '2026-03-02T14:11:10.004Z', hash, hash, hash, hash, hash, '0'];
    for (const [at, cell] of changed) cells[at] = cell;
    return cells.join('\t');
  };
  expect(readLedgerRow(row())).toMatchObject({ event_id: 'evt_1', seq: 7, seed: hash, tree_index: 0 });
  expect(readLedgerRow(row([4, '-'], [1, 'a\\tb']))).toMatchObject({ source_system: 'a\tb', seed: null });
  const refused = [
    [0, '-'],
    [0, ''],
    [1, 'a\\x'],
    [2, '0'],
    [2, '07'],
    [2, '9007199254740993'],
    [3, '2026-03-02'],
    [9, '-1'],
  ];
  for (const [at, cell] of refused) expect(readLedgerRow(row([at as number, cell as string]))).toBeUndefined();
  for (const at of [4, 5, 6, 7, 8]) expect(readLedgerRow(row([at, hash.toUpperCase()]))).toBeUndefined();
  for (const text of [`${row()}\t`, `${row()}\r`, ` ${row([3, ''])}`]) expect(readLedgerRow(text)).toBeUndefined();
});
