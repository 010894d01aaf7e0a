import { RateLimiterRes, RLWrapperTimeouts } from 'rate-limiter-flexible';
import type { Clock } from '../clock/clock.js';
import type { Database } from '../db/database.js';
import { Drawn, MemoryBucketLimiter, MongoBucketLimiter, prepareLimits, untilFullMs } from './buckets.js';

/** The rate limit as the answer's headers report it. */
interface RateDecision {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** Set on a refusal alone. */
  readonly retryAfterSeconds: number | null;
}

/** Requests per minute of a name: a tenant or an operator's key. */
export interface RateLimits {
  take(name: string, perMinute: number): Promise<RateDecision>;
}

function decisionOf(drawn: Drawn, perMinute: number, ahead = 0): RateDecision {
  return {
    limit: perMinute,
    // The library overwrites the remainder with an unrounded difference.
    remaining: Math.floor(drawn.remainingPoints) + ahead,
    resetSeconds: Math.ceil(untilFullMs(drawn.used, perMinute) / 1000),
    retryAfterSeconds: drawn.granted > 0 ? null : Math.max(1, Math.ceil(drawn.msBeforeNext / 1000)),
  };
}

/** The library resolves a take and rejects a refusal with the same kind of value. */
async function drawnOf(taking: Promise<RateLimiterRes>): Promise<Drawn> {
  const result = await taking.catch((refusal: unknown) => refusal);
  if (result instanceof Drawn) return result;
  throw result;
}

/** Limiters by their limit: the library's have one each. */
function byLimit<T>(make: (perMinute: number) => T): (perMinute: number) => T {
  const made = new Map<number, T>();
  return (perMinute) => {
    const known = made.get(perMinute);
    if (known !== undefined) return known;
    const limiter = make(perMinute);
    made.set(perMinute, limiter);
    return limiter;
  };
}

/** For a single process: exact, and nothing leaves it. */
export function memoryRateLimits(clock: Clock): RateLimits {
  const limiterOf = byLimit((perMinute) => new MemoryBucketLimiter(perMinute, clock));
  return {
    take: async (name, perMinute) => decisionOf(await drawnOf(limiterOf(perMinute).consume(name)), perMinute),
  };
}

/** A slower store counts as absent: rate limits must not cause an outage. */
const STORE_TIMEOUT_MS = 500;
/** Pause before an absent store is used again; meanwhile each process limits alone. */
const STORE_REST_MS = 2_000;
/** Tokens are fetched in lots, so that a busy tenant needs one update for many requests. */
const LOTS_PER_MINUTE = 600;
const LOT_AGE_MS = 1_000;
const MAX_LOTS = 10_000;

interface Lot {
  readonly drawn: Drawn;
  readonly untilMs: number;
  left: number;
}

interface SharedRateLimitsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly storeTimeoutMs?: number;
  /** Called when the store is too slow or absent. */
  readonly onStoreAway?: () => void;
}

/** For several processes over one database. */
export async function sharedRateLimits(deps: SharedRateLimitsDeps): Promise<RateLimits> {
  await prepareLimits(deps.database.db);
  return new SharedRateLimits(deps);
}

class SharedRateLimits implements RateLimits {
  readonly #deps: SharedRateLimitsDeps;
  readonly #lots = new Map<string, Lot>();
  readonly #fetching = new Map<string, Promise<Lot>>();
  readonly #storeOf: (perMinute: number) => RLWrapperTimeouts;
  readonly #insuranceOf: (perMinute: number) => Insurance;
  #awayUntilMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SharedRateLimitsDeps) {
    this.#deps = deps;
    const away = () => {
      this.#awayUntilMs = deps.clock.monotonicMs() + STORE_REST_MS;
      deps.onStoreAway?.();
    };
    this.#insuranceOf = byLimit((perMinute) => new Insurance(perMinute, deps.clock, away));
    this.#storeOf = byLimit((perMinute) => {
      const limiter = new MongoBucketLimiter(deps.database.db, perMinute, deps.clock);
      const insuranceLimiter = this.#insuranceOf(perMinute);
      return new RLWrapperTimeouts({ limiter, timeoutMs: deps.storeTimeoutMs ?? STORE_TIMEOUT_MS, insuranceLimiter });
    });
  }

  async take(name: string, perMinute: number): Promise<RateDecision> {
    const key = `${perMinute}:${name}`;
    for (;;) {
      const lot = this.#lots.get(key);
      if (lot && this.#deps.clock.monotonicMs() < lot.untilMs && (lot.left > 0 || lot.drawn.granted === 0)) {
        if (lot.left > 0) lot.left--;
        return decisionOf(lot.drawn, perMinute, lot.left);
      }
      await (this.#fetching.get(key) ?? this.#fetch(key, name, perMinute));
    }
  }

  #fetch(key: string, name: string, perMinute: number): Promise<Lot> {
    const fetching = this.#lotOf(name, perMinute).then((lot) => {
      if (this.#lots.size >= MAX_LOTS) this.#lots.clear();
      this.#lots.set(key, lot);
      return lot;
    });
    const done = fetching.finally(() => this.#fetching.delete(key));
    this.#fetching.set(key, done);
    return done;
  }

  async #lotOf(name: string, perMinute: number): Promise<Lot> {
    const wanted = Math.max(1, Math.floor(perMinute / LOTS_PER_MINUTE));
    const rests = this.#deps.clock.monotonicMs() < this.#awayUntilMs;
    const taking = rests
      ? this.#insuranceOf(perMinute).alone(name, wanted)
      : this.#storeOf(perMinute).consume(name, wanted);
    const drawn = await drawnOf(taking);
    // A refusal is remembered until the next token is due, so that a client that hammers costs the store nothing.
    const ageMs = drawn.granted > 0 ? LOT_AGE_MS : Math.min(LOT_AGE_MS, drawn.msBeforeNext);
    return { drawn, left: drawn.granted, untilMs: this.#deps.clock.monotonicMs() + Math.max(1, ageMs) };
  }
}

/** The library's fallback when the store fails: a bucket in this process. */
class Insurance extends MemoryBucketLimiter {
  readonly #away: () => void;

  constructor(perMinute: number, clock: Clock, away: () => void) {
    super(perMinute, clock);
    this.#away = away;
  }

  override consume(key: string, points = 1): Promise<RateLimiterRes> {
    this.#away();
    return super.consume(key, points);
  }

  /** While the store is known to be away. */
  alone(key: string, points: number): Promise<RateLimiterRes> {
    return super.consume(key, points);
  }
}
