import { createHash, createHmac } from 'node:crypto';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { BlockHasher, viewOf } from '../../../shared/evidence/block-hasher.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { LaneHasher, MAX_LANE_BLOCKS } from '../../../shared/evidence/lane-hasher.js';
import { LaneText } from '../../../shared/evidence/lane-text.js';
import { LeafLanes } from '../../../shared/evidence/leaf-lanes.js';
import { rebuildRecord } from '../../../shared/evidence/record.js';
import { INITIAL_STATE, type Sha256State } from '../../../shared/evidence/sha256-block.js';
import { sortedDigests } from '../../../shared/evidence/sorted-digests.js';
import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import { seeded } from '../../support/random.js';
import { referenceFields } from './reference-fields.js';

const random = seeded(97);
const below = (limit: number): number => Math.floor(random() * limit);
const randomBytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256)));

const SLOT_BYTES = MAX_LANE_BLOCKS * 64;
const MOST_MESSAGES = 310;

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('this platform has no vector instructions');
  return value;
}

describe('lanes', () => {
  const lanes = present(LaneHasher.create(MOST_MESSAGES, MOST_MESSAGES * (SLOT_BYTES + 32) + 64));
  const text = new LaneText(lanes);
  const slots = Math.ceil(lanes.roomStart / 64) * 64;
  const digests = slots + MOST_MESSAGES * SLOT_BYTES;

  function digestsOf(messages: readonly Buffer[], initial: Sha256State, before: number): string[] {
    messages.forEach((message, i) => {
      const slot = slots + i * SLOT_BYTES;
      lanes.bytes.set(message, slot);
      // Neither alignment nor order of the digests' places is asked for.
      lanes.add(slot, text.pad(slot, slot + message.length, before), digests + i * 32 + 1);
    });
    lanes.run(initial);
    return messages.map((_, i) => lanes.bytes.toString('hex', digests + i * 32 + 1, digests + i * 32 + 33));
  }
  const plain = (message: Buffer): string => createHash('sha256').update(message).digest('hex');

  test('agree with the platform for every length up to 300, all at once', () => {
    const messages = Array.from({ length: 301 }, (_, length) => randomBytes(length));
    expect(digestsOf(messages, INITIAL_STATE, 0)).toEqual(messages.map(plain));
  });

  test('agree with the platform whatever lengths meet in a group of four, full or not', () => {
    for (let length = 0; length <= 300; length++) {
      const others = [below(301), (length * 7) % 301, 300 - length].slice(0, length % 4);
      const messages = [length, ...others].map(randomBytes);
      expect(digestsOf(messages, INITIAL_STATE, 0)).toEqual(messages.map(plain));
    }
  });

  test('hash nothing that was announced before a clearing', () => {
    lanes.add(slots, 1, digests);
    lanes.clear();
    const messages = [3, 70].map(randomBytes);
    expect(digestsOf(messages, INITIAL_STATE, 0)).toEqual(messages.map(plain));
  });

  test('start from a saved state', () => {
    const key = randomBytes(32);
    const saved = new BlockHasher().hmacKey(key);
    const messages = [0, 55, 56, 119, 120, 300].map(randomBytes);
    const inner = digestsOf(messages, saved.inner, 64).map((digest) => Buffer.from(digest, 'hex'));
    expect(digestsOf(inner, saved.outer, 64)).toEqual(
      messages.map((message) => createHmac('sha256', key).update(message).digest('hex')),
    );
  });

  test('tell plain text from what JSON escapes, at every place of a word', () => {
    for (let unit = 0; unit < 0x80; unit++) {
      for (let place = 0; place < 6; place++) {
        const units = Array.from({ length: 6 }, (_, i) => (i === place ? unit : 0x7a));
        const line = String.fromCharCode(...units);
        expect(text.stage(line, slots, 64)).toBe(true);
        expect(text.isPlain(slots, line.length)).toBe(JSON.stringify(line) === `"${line}"`);
      }
    }
    expect(text.stage('é', slots, 64)).toBe(false);
    expect(text.stage('x'.repeat(65), slots, 64)).toBe(false);
  });
});

const ALPHABETS = ['abcdefghijklmnop_0123456789', 'ab/~"\\\n\u0001\u007f', 'aéü€ß', 'x😀'];

/** Mostly plain; the last alphabets are rare, so that a whole event is often without them. */
function randomText(most: number, wild: boolean): string {
  const letters = [...(ALPHABETS[wild ? below(ALPHABETS.length) : 0] as string)];
  return Array.from({ length: below(most) }, () => letters[below(letters.length)]).join('');
}

function randomValue(depth: number, wild: boolean): JsonValue {
  const kind = below(depth > 0 ? 8 : 5);
  if (kind === 0) return [null, true, false][below(3)] as JsonValue;
  if (kind === 1) return below(1e6) / 4;
  if (kind < 5) return randomText(random() < 0.05 ? 900 : 60, wild);
  if (kind === 5) return Array.from({ length: below(7) }, () => randomValue(depth - 1, wild));
  return randomMembers(below(9), depth - 1, wild);
}

function randomMembers(count: number, depth: number, wild: boolean): JsonObject {
  const name = (i: number): string => `${randomText(random() < 0.05 ? 130 : 20, wild)}${i}`;
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), randomValue(depth, wild)]));
}

describe('fields commitments', () => {
  const events = Array.from({ length: 250 }, (_, i) => randomMembers(1 + below(24), 4, i % 3 === 0));
  // Around the size of what stands in memory at a time, and around the longest pointer and text a lane takes.
  const edges: JsonObject[] = [
    ...[1, 7, 8, 9, 63, 64, 65, 128, 129, 1000].map((count) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`field_${i}`, i])),
    ),
    ...['x', 'é', '"', '€'].map((letter) =>
      Object.fromEntries(Array.from({ length: 130 }, (_, i) => [letter.repeat(i + 1), i])),
    ),
    ...['x', 'é', '"', '€'].map((letter) =>
      Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`f${i}`, letter.repeat(i)])),
    ),
    Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`"${i}`, 'x'.repeat(290 + i)])),
  ];

  test.each([
    ['in lanes', new Committer(present(LeafLanes.create()))],
    ['one by one', new Committer(null)],
    ['as the platform allows', new Committer()],
  ])('equal the definition for events of every shape, hashed %s', (_, committer) => {
    for (const event of [...events, ...edges]) {
      const seed = randomBytes(32);
      const { text, leaves } = rebuildRecord(event);
      const made = committer.commit(seed, Buffer.from(text), leaves);
      expect(made.fields).toBe(referenceFields(seed, event));
    }
  });
});

describe('a platform without vector instructions', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('gets no lanes, whether it knows WebAssembly or not', () => {
    const platform = globalThis as unknown as { WebAssembly: { validate(bytes: Uint8Array): boolean } | undefined };
    const known = present(platform.WebAssembly);
    jest.spyOn(known, 'validate').mockReturnValue(false);
    expect(LeafLanes.create()).toBeUndefined();
    platform.WebAssembly = undefined;
    try {
      expect(LeafLanes.create()).toBeUndefined();
    } finally {
      platform.WebAssembly = known;
    }
  });
});

describe('sorting digests', () => {
  test('goes by all their bytes, however many begin alike', () => {
    for (let round = 0; round < 200; round++) {
      const count = 1 + below(70);
      const digests = Array.from({ length: count }, () => {
        const digest = Buffer.alloc(32, 0xf0);
        digest[3] = below(3) + 0x7f;
        digest[below(32)] = below(256);
        return digest;
      });
      const joined = Buffer.concat(digests);
      const order = sortedDigests(viewOf(joined), count);
      const sorted = [...order].map((index) => (digests[index] as Buffer).toString('hex'));
      expect(new Set(order).size).toBe(count);
      expect(sorted).toEqual([...digests].sort(Buffer.compare).map((digest) => digest.toString('hex')));
    }
  });
});
