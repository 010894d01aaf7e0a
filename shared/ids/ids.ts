import { randomFillSync } from 'node:crypto';

/** Prefixes of identifiers (api.md section 1); one table, so that two resources never share one. */
export const ID_PREFIXES = {
  event: 'evt',
  checkpoint: 'chk',
  document: 'doc',
  bundle: 'bdl',
  bundleLink: 'bln',
  webhook: 'whk',
  delivery: 'dlv',
  message: 'msg',
  key: 'key',
  actor: 'act',
  role: 'rol',
  signingKey: 'sgk',
  exception: 'exc',
  hold: 'hld',
  holdNotice: 'hnt',
  disposal: 'dsp',
  sweep: 'swp',
  matter: 'mat',
  redaction: 'rdx',
  rule: 'rul',
  aiDecision: 'aid',
  aiOverride: 'aio',
  ingest: 'ing',
  blob: 'blb',
  log: 'log',
  custody: 'cus',
  feed: 'fed',
  connector: 'con',
  effect: 'eff',
  request: 'req',
  lead: 'led',
  merge: 'mrg',
  consent: 'cns',
  appointment: 'apt',
  careTeam: 'ctm',
  dataRight: 'drt',
  challenge: 'chl',
  avaRequest: 'avr',
  session: 'ses',
  savedView: 'svw',
  work: 'wrk',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_CHARACTERS = 16;
const ULID_CHARACTERS = 26;

/** Bytes from a cryptographic source; tests pass a seeded one. */
export interface Randomness {
  /** Fills `target` and returns it. */
  fill(target: Uint8Array): Uint8Array;
}

// One system call per 8 KiB: a call per identifier costs 30 times the identifier itself.
const POOL_BYTES = 8192;

export function systemRandomness(): Randomness {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    fill(target) {
      if (target.length > POOL_BYTES / 8) return randomFillSync(target);
      if (used + target.length > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      target.set(pool.subarray(used, used + target.length));
      // Spent bytes are wiped, so that a heap dump does not hold seeds or keys twice.
      pool.fill(0, used, used + target.length);
      used += target.length;
      return target;
    },
  };
}

export interface Ids {
  /** A fresh identifier such as `evt_01JQ…`: prefix and ULID, monotonic within a process. */
  next(kind: IdKind): string;
}

/** Monotonic ULIDs (https://github.com/ulid/spec): within one millisecond the random part is incremented. */
export function ulidIds(nowMs: () => number, randomness: Randomness): Ids {
  let lastMs = -1;
  let timePart = '';
  const digits = new Uint8Array(RANDOM_CHARACTERS);
  const increment = (): void => {
    for (let i = RANDOM_CHARACTERS - 1; i >= 0; i--) {
      const digit = digits[i] ?? 0;
      if (digit < 31) {
        digits[i] = digit + 1;
        return;
      }
      digits[i] = 0;
    }
  };
  return {
    next(kind) {
      const now = Math.max(nowMs(), lastMs);
      if (now === lastMs) {
        increment();
      } else {
        lastMs = now;
        timePart = encodeTime(now);
        randomness.fill(digits);
        for (let i = 0; i < RANDOM_CHARACTERS; i++) digits[i] = (digits[i] ?? 0) & 31;
      }
      let random = '';
      for (let i = 0; i < RANDOM_CHARACTERS; i++) random += CROCKFORD[digits[i] ?? 0];
      return `${ID_PREFIXES[kind]}_${timePart}${random}`;
    },
  };
}

/** The last time that fits into a ULID. */
export const MAX_ID_TIME_MS = 2 ** 48 - 1;

/** The ten time characters of a ULID. */
export function encodeTime(epochMs: number): string {
  let rest = epochMs;
  let text = '';
  for (let i = 0; i < 10; i++) {
    text = `${CROCKFORD[rest % 32]}${text}`;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** The milliseconds that an identifier of ours was made at. */
export function idTimeMs(id: string): number {
  let epochMs = 0;
  for (const character of id.slice(id.length - ULID_CHARACTERS, id.length - RANDOM_CHARACTERS)) {
    epochMs = epochMs * 32 + CROCKFORD.indexOf(character);
  }
  return epochMs;
}

/** The identifier of another kind that is fixed by this one: same time, same random part. */
export const idLike = (kind: IdKind, id: string): string =>
  `${ID_PREFIXES[kind]}_${id.slice(id.length - ULID_CHARACTERS)}`;

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const isUlid = (text: string): boolean => ULID.test(text);

/** True for `<prefix of kind>_<ULID>`; a look-up by anything else is answered as "not found" without a query. */
export function isIdOf(kind: IdKind, text: string): boolean {
  const prefix = `${ID_PREFIXES[kind]}_`;
  return text.startsWith(prefix) && isUlid(text.slice(prefix.length));
}
