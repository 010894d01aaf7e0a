import { describe, expect, it } from '@jest/globals';
import { mintApiKey, readApiKey, shownPartsOf } from '../../../subgraphs/admin/access/domain/api-key-format.js';
import { base62OfBytes, base62OfNumber, randomBase62 } from '../../../subgraphs/admin/access/domain/base62.js';
import { seededRandomness } from '../../support/fakes.js';
import { seeded } from '../../support/random.js';

const SEED = 20260302;
/** The pattern of docs/api-keys.md for secret scanners. */
const API_KEY_PATTERN = 'eas_[a-z]{2,8}_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const fixedRandomness = (byte: number) => ({ fill: (target: Uint8Array) => target.fill(byte) });

describe('base 62', () => {
  it('pads to its width and sorts digits, upper case, lower case', () => {
    expect(base62OfNumber(0, 3)).toBe('000');
    expect(base62OfNumber(61, 3)).toBe('00z');
    expect(base62OfNumber(62, 3)).toBe('010');
    expect(base62OfNumber(36, 1)).toBe('a');
  });

  it('rejects a number that does not fit instead of truncating it', () => {
    expect(base62OfNumber(62 ** 3 - 1, 3)).toBe('zzz');
    expect(() => base62OfNumber(62 ** 3, 3)).toThrow(RangeError);
    expect(() => base62OfBytes(new Uint8Array(32).fill(0xff), 42)).toThrow(RangeError);
  });

  it('holds 256 bits in 43 characters and any CRC-32 in 6', () => {
    const most = base62OfBytes(new Uint8Array(32).fill(0xff), 43);
    expect(most).toHaveLength(43);
    let value = 0n;
    for (const character of most) value = value * 62n + BigInt(BASE62.indexOf(character));
    expect(value).toBe(2n ** 256n - 1n);
    expect(base62OfNumber(2 ** 32 - 1, 6)).toHaveLength(6);
    expect(base62OfBytes(new Uint8Array(0), 2)).toBe('00');
  });

  it('draws all characters about equally often', () => {
    const text = randomBase62(62_000, seededRandomness(SEED));
    const counts = new Map<string, number>();
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // With a modulo bias the first 8 characters would come 25 % more often; 1000 ± 15 % is over 4 sigma.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it('draws again for a byte that would bias the draw', () => {
    const bytes = [255, 248, 247, 0];
    const randomness = { fill: (target: Uint8Array) => target.fill(bytes.shift() ?? 1) };
    expect(randomBase62(2, randomness)).toBe(`${BASE62[247 % 62]}0`);
  });
});

describe('a generated key', () => {
  it('has the published shape', () => {
    const { apiKey, lookupId } = mintApiKey(seededRandomness(SEED));
    expect(apiKey).toMatch(new RegExp(`^${API_KEY_PATTERN}$`));
    expect(apiKey).toMatch(/^eas_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect(apiKey.split('_')[2]).toBe(lookupId);
  });

  it('is read as OURS with its lookup id', () => {
    const randomness = seededRandomness(SEED);
    for (let i = 0; i < 200; i++) {
      const { apiKey, lookupId } = mintApiKey(randomness);
      expect(readApiKey(apiKey)).toEqual({ kind: 'OURS', lookupId });
    }
  });

  it('keeps its length when its random bytes are all zero or all ones', () => {
    expect(mintApiKey(fixedRandomness(0)).apiKey).toHaveLength(71);
    // 0xf7 is the largest byte that the draw of the look-up id takes.
    expect(mintApiKey(fixedRandomness(0xf7)).apiKey).toHaveLength(71);
  });

  it('differs each time', () => {
    const randomness = seededRandomness(SEED);
    const keys = new Set(Array.from({ length: 500 }, () => mintApiKey(randomness).apiKey));
    expect(keys.size).toBe(500);
  });

  it('shows its prefix with the lookup id and its last four characters, but nothing of the secret', () => {
    const { apiKey, lookupId } = mintApiKey(seededRandomness(SEED));
    const shown = shownPartsOf(apiKey);
    expect(shown).toEqual({ prefix: `eas_live_${lookupId}`, last_four: apiKey.slice(-4) });
    // The last four are of the checksum.
    expect(apiKey.slice(22, 65)).not.toContain(shown.last_four);
  });
});

describe('the checksum', () => {
  it('detects every changed character', () => {
    const { apiKey } = mintApiKey(seededRandomness(SEED));
    for (let i = 'eas_live_'.length; i < apiKey.length; i++) {
      if (apiKey[i] === '_') continue;
      const other = apiKey[i] === 'A' ? 'B' : 'A';
      const changed = apiKey.slice(0, i) + other + apiKey.slice(i + 1);
      expect(readApiKey(changed)).toEqual({ kind: 'MISSPELT' });
    }
  });

  it('detects swapped neighbours', () => {
    const { apiKey } = mintApiKey(seededRandomness(SEED));
    const start = 'eas_live_000000000000_'.length;
    for (let i = start; i + 1 < apiKey.length; i++) {
      const [a, b] = [apiKey[i], apiKey[i + 1]];
      if (a === b) continue;
      const swapped = `${apiKey.slice(0, i)}${b}${a}${apiKey.slice(i + 2)}`;
      expect(readApiKey(swapped).kind).toBe('MISSPELT');
    }
  });

  it('covers the environment', () => {
    const { apiKey } = mintApiKey(seededRandomness(SEED));
    expect(readApiKey(apiKey.replace('_live_', '_test_')).kind).toBe('MISSPELT');
  });

  it('rejects random text of the right format', () => {
    const random = seeded(SEED);
    const draw = (length: number): string => Array.from({ length }, () => BASE62[Math.floor(random() * 62)]).join('');
    for (let i = 0; i < 500; i++) expect(readApiKey(`eas_live_${draw(12)}_${draw(49)}`).kind).toBe('MISSPELT');
  });
});

describe('readApiKey', () => {
  it.each([
    ['', 'NO_KEY'],
    ['short', 'NO_KEY'],
    ['x'.repeat(31), 'NO_KEY'],
    ['x'.repeat(32), 'FOREIGN'],
    ['x'.repeat(512), 'FOREIGN'],
    ['x'.repeat(513), 'NO_KEY'],
    ['a key with spaces, brought along by an operator', 'FOREIGN'],
    [`eas_live_${'0'.repeat(12)}_${'0'.repeat(48)}`, 'FOREIGN'],
    [`eas_live_${'0'.repeat(12)}_${'0'.repeat(49)}`, 'MISSPELT'],
  ])('classifies %j as %s', (text, kind) => {
    expect(readApiKey(text).kind).toBe(kind);
  });

  it('shows no prefix for another format', () => {
    expect(shownPartsOf('operator-key-for-tests-0123456789abcdef')).toEqual({ prefix: null, last_four: 'cdef' });
  });

  it('has a pattern that finds keys inside other text', () => {
    const { apiKey } = mintApiKey(seededRandomness(SEED));
    const found = new RegExp(`\\b${API_KEY_PATTERN}\\b`).exec(`export KEY="${apiKey}" # do not commit`);
    expect(found?.[0]).toBe(apiKey);
  });
});
