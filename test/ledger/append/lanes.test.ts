import { createHash, createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { sha256 } from '../../../shared/crypto/hash.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { rebuildRecord } from '../../../shared/evidence/record.js';
import { LaneHasher, MAX_LANE_BLOCKS } from '../../../shared/hashing/lane-hasher.js';
import { LeafLanes } from '../../../shared/hashing/leaf-lanes.js';
import { RecordHasher } from '../../../shared/hashing/record-hasher.js';
import { INITIAL_STATE } from '../../../shared/hashing/sha256-block.js';
import { ShortHasher } from '../../../shared/hashing/short-hasher.js';
import { sortedDigests } from '../../../shared/hashing/sorted-digests.js';
import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import { seeded } from '../../support/random.js';
import { referenceFields } from './reference-fields.js';

const random = seeded(97);
const below = (limit: number): number => Math.floor(random() * limit);
const randomBytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256)));

const SLOT_BYTES = MAX_LANE_BLOCKS * 64;
const MOST_MESSAGES = 310;

function present<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error('this platform has no vector instructions');
  return value;
}

describe('hash lanes', () => {
  const lanes = present(LaneHasher.create(MOST_MESSAGES, MOST_MESSAGES * (SLOT_BYTES + 32) + 64));
  const slots = Math.ceil(lanes.roomStart / 64) * 64;
  const digests = slots + MOST_MESSAGES * SLOT_BYTES;

  /** FIPS 180-4 section 5.1.1. */
  function padded(message: Buffer, before: number): Buffer {
    const whole = Buffer.alloc(Math.ceil((message.length + 9) / 64) * 64);
    message.copy(whole);
    whole[message.length] = 0x80;
    whole.writeUInt32BE((before + message.length) * 8, whole.length - 4);
    return whole;
  }

  function digestsOf(messages: readonly Buffer[], initial: Int32Array, before: number): string[] {
    messages.forEach((message, i) => {
      const slot = slots + i * SLOT_BYTES;
      const whole = padded(message, before);
      lanes.bytes.set(whole, slot);
      // Neither alignment nor order of the digests' places is asked for.
      lanes.add(slot, whole.length / 64, digests + i * 32 + 1);
    });
    lanes.run(initial);
    return messages.map((_, i) =>
      Buffer.from(lanes.bytes.subarray(digests + i * 32 + 1).subarray(0, 32)).toString('hex'),
    );
  }
  const plain = (message: Buffer): string => createHash('sha256').update(message).digest('hex');

  it('agree with the platform for every length up to 300, all at once', () => {
    const messages = Array.from({ length: 301 }, (_, length) => randomBytes(length));
    expect(digestsOf(messages, INITIAL_STATE, 0)).toEqual(messages.map(plain));
  });

  it('agree with the platform for any mix of lengths in a full or partial group of four', () => {
    for (let length = 0; length <= 300; length++) {
      const others = [below(301), (length * 7) % 301, 300 - length].slice(0, length % 4);
      const messages = [length, ...others].map(randomBytes);
      expect(digestsOf(messages, INITIAL_STATE, 0)).toEqual(messages.map(plain));
    }
  });

  it('start from a saved state', () => {
    const key = randomBytes(32);
    const saved = new ShortHasher().hmacKey(key);
    const messages = [0, 55, 56, 119, 120, 300].map(randomBytes);
    const inner = digestsOf(messages, saved.inner, 64).map((digest) => Buffer.from(digest, 'hex'));
    expect(digestsOf(inner, saved.outer, 64)).toEqual(
      messages.map((message) => createHmac('sha256', key).update(message).digest('hex')),
    );
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
  // Around the size of the buffer in memory, and around the longest pointer and text that a lane takes.
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

  it.each([
    ['in lanes', new Committer(new RecordHasher(sha256))],
    ['one by one', new Committer(new RecordHasher(sha256, null))],
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

  it('uses no lanes, with or without WebAssembly', () => {
    const platform = globalThis as unknown as { WebAssembly: { validate(bytes: Uint8Array): boolean } | undefined };
    const known = present(platform.WebAssembly);
    jest.spyOn(known, 'validate').mockReturnValue(false);
    // Of another size, as the module of the leaves was compiled before and is kept.
    expect(LaneHasher.create(4, 2 ** 20)).toBeNull();
    platform.WebAssembly = undefined;
    try {
      expect(LeafLanes.create()).toBeNull();
    } finally {
      platform.WebAssembly = known;
    }
  });
});

describe('sorting digests', () => {
  it('compares all their bytes, however many leading bytes are equal', () => {
    for (let round = 0; round < 200; round++) {
      const count = 1 + below(70);
      const digests = Array.from({ length: count }, () => {
        const digest = Buffer.alloc(32, 0xf0);
        digest[3] = below(3) + 0x7f;
        digest[below(32)] = below(256);
        return digest;
      });
      const joined = Buffer.concat(digests);
      const order = sortedDigests(joined, count);
      const sorted = [...order].map((index) => joined.subarray(index, index + 32).toString('hex'));
      expect(new Set(order).size).toBe(count);
      expect(sorted).toEqual([...digests].sort(Buffer.compare).map((digest) => digest.toString('hex')));
    }
  });
});
