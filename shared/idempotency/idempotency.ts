import type { Clock } from '../clock/clock.js';
import { delay, type Repeating, repeat, within } from '../clock/timers.js';
import { hmacSha256 } from '../crypto/hash.js';
import type { MasterKey } from '../crypto/master-key.js';
import { type Problem, problem } from '../errors/problem.js';
import { type Ids, ulidIds } from '../ids/ids.js';
import { keyedRandomness } from '../ids/work.js';
import { describeUnexpected } from '../telemetry/describe-error.js';
import type { Logger } from '../telemetry/logger.js';
import { type AnswerStore, type FirstAnswer, isKept } from './answer-store.js';
import type { ClaimRow, ClaimStore } from './claim-store.js';
import { type ClaimId, claimName } from './request-key.js';

/** First answers are kept this long (api.md section 1). */
const KEPT_MS = 24 * 60 * 60_000;
/** A second caller waits this long for the first one's answer. */
const WAIT_MS = 10_000;
/**
 * A lease is renewed while the work runs, and ends soon after its process has: shorter than the wait, so that the request
 * that comes after a crash takes over within its own wait. Two runs at once would be safe too: the work is keyed.
 */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 400;
const RETRY_AFTER_SECONDS = 2;
const SWEEP_MS = 10 * 60_000;

/** A body that is read as it comes; its hash is known at its end. */
export interface StreamedBody {
  /** Null while the end has not been reached. */
  sha256(): string | null;
  /** Reads the rest, and returns the hash of the whole body. */
  drain(): Promise<string>;
}

export interface IdempotentRequest {
  readonly id: ClaimId;
  /** SHA-256 over method, path, query and body; over the first three where the body is streamed. */
  readonly fingerprint: string;
  readonly body: StreamedBody | null;
  /** The answer holds a secret: kept encrypted. */
  readonly secret: boolean;
}

export type IdempotencyOutcome = 'claimed' | 'taken_over' | 'replayed' | 'reused' | 'in_progress' | 'lost';

export interface IdempotencyDeps {
  readonly claims: ClaimStore;
  readonly answers: AnswerStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly masterKey: MasterKey;
  readonly logger: Logger;
  readonly count?: (outcome: IdempotencyOutcome) => void;
}

export interface Outcome {
  readonly answer: FirstAnswer;
  readonly replayed: boolean;
  /** Of a replay: when the work was claimed, and its id. Work that runs again under this id makes nothing twice. */
  readonly first?: FirstWork;
}

interface FirstWork {
  readonly claimedAtMs: number;
  readonly workId: string;
}

/** @param workId names the work; of a streamed body only once that has been read. @throws IDEMPOTENCY_KEY_REUSED */
export type RunWork = (workId: () => Promise<string>) => Promise<FirstAnswer>;

interface Answered {
  readonly fingerprint: string;
  readonly bodySha256: string | null;
  readonly answer: FirstAnswer;
  readonly first: FirstWork;
}

/** What this process is doing about a key; callers that come meanwhile wait for it. */
interface Flight {
  /** Null when it ended without an answer to share. */
  readonly ended: Promise<Answered | null>;
  /** Known once the claim is ours. */
  fingerprint: string | null;
}

/**
 * Runs the work of a request once for its Idempotency-Key, and returns the first answer to every repeat. The claim is
 * durable before the work starts. The work derives ids and secrets from its work id (forWork), so that a crash before
 * the answer repeats nothing: the process that takes over makes the same records and finds them.
 */
export class Idempotency {
  readonly #deps: IdempotencyDeps;
  readonly #workSecret: Buffer;
  readonly #flights = new Map<string, Flight>();
  readonly #held = new Map<string, ClaimRow>();
  readonly #timers: readonly Repeating[];

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps;
    this.#workSecret = deps.masterKey.derive('work');
    const report = (error: unknown) => deps.logger.warn(describeUnexpected(error), 'idempotency upkeep failed');
    this.#timers = [
      repeat(RENEW_MS, () => this.#renew(), report),
      repeat(SWEEP_MS, async () => void (await deps.answers.sweep(deps.clock.nowMs())), report),
    ];
  }

  /** @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS, and what the database throws */
  async run(request: IdempotentRequest, work: RunWork): Promise<Outcome> {
    const deadlineMs = this.#deps.clock.monotonicMs() + WAIT_MS;
    const name = claimName(request.id);
    for (;;) {
      const flight = this.#flights.get(name);
      if (!flight) return this.#lead(name, request, work, deadlineMs);
      if (flight.fingerprint !== null && flight.fingerprint !== request.fingerprint) throw this.#reused();
      const ended = await within(deadlineMs - this.#deps.clock.monotonicMs(), flight.ended);
      if (ended === undefined) throw this.#inProgress();
      if (ended !== null) return this.#replay(request, ended);
    }
  }

  /** Number of requests that this process works on. */
  get running(): number {
    return this.#held.size;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) await timer.stop();
  }

  async #lead(name: string, request: IdempotentRequest, work: RunWork, deadlineMs: number): Promise<Outcome> {
    let end: (answered: Answered | null) => void = () => {};
    const flight: Flight = { ended: new Promise((resolve) => (end = resolve)), fingerprint: null };
    this.#flights.set(name, flight);
    let shared: Answered | null = null;
    try {
      const row = await this.#claim(request, deadlineMs);
      if (row.state === 'ANSWERED') {
        shared = await this.#answeredBy(row);
      } else {
        flight.fingerprint = row.fingerprint;
        const { answer, kept } = await this.#perform(name, request, row, work);
        shared = kept;
        return { answer, replayed: false };
      }
    } finally {
      this.#flights.delete(name);
      end(shared);
    }
    return this.#replay(request, shared);
  }

  /** A row that is ours, or that holds the answer. @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS */
  async #claim(request: IdempotentRequest, deadlineMs: number): Promise<ClaimRow> {
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS)) {
      const fresh = this.#freshRow(request);
      if (await this.#deps.claims.insert(fresh)) {
        this.#deps.count?.('claimed');
        return fresh;
      }
      const seen = await this.#deps.claims.read(request.id);
      const taken = seen && (await this.#judge(seen, request, fresh));
      if (taken) return taken;
      if (this.#deps.clock.monotonicMs() + pollMs > deadlineMs) throw this.#inProgress();
      await delay(pollMs);
    }
  }

  /** What the row there means for this request; null to look again. */
  async #judge(seen: ClaimRow, request: IdempotentRequest, fresh: ClaimRow): Promise<ClaimRow | null> {
    const nowMs = this.#deps.clock.nowMs();
    const { claims, count } = this.#deps;
    const same = seen.fingerprint === request.fingerprint;
    if (seen.expires_at.getTime() <= nowMs || (seen.state === 'FREE' && !same)) {
      return (await claims.replace(seen, fresh)) ? fresh : null;
    }
    if (!same) throw this.#reused();
    if (seen.state === 'ANSWERED') return seen;
    if (seen.state === 'CLAIMED' && seen.lease_until.getTime() > nowMs) return null;
    // The attempt before died or gave up: its time of claim, and with it the work id, is kept.
    const { claimed_at, body_sha256 } = seen;
    const taken: ClaimRow = { ...fresh, claimed_at, body_sha256: seen.state === 'FREE' ? null : body_sha256 };
    if (!(await claims.replace(seen, taken))) return null;
    count?.(seen.state === 'FREE' ? 'claimed' : 'taken_over');
    return taken;
  }

  #freshRow({ id, fingerprint }: IdempotentRequest): ClaimRow {
    const nowMs = this.#deps.clock.nowMs();
    return {
      _id: id,
      state: 'CLAIMED',
      fingerprint,
      body_sha256: null,
      owner: this.#deps.ids.next('work'),
      claimed_at: new Date(nowMs),
      lease_until: new Date(nowMs + LEASE_MS),
      expires_at: new Date(nowMs + KEPT_MS),
    };
  }

  async #perform(name: string, request: IdempotentRequest, row: ClaimRow, work: RunWork) {
    const { body } = request;
    this.#held.set(name, row);
    let misused = false;
    const workId = async (): Promise<string> => {
      const sha256 = body === null ? null : body.sha256();
      if (body !== null && sha256 === null) throw new Error('work is named before its body has ended');
      if (row.body_sha256 !== null && row.body_sha256 !== sha256) {
        misused = true;
        throw this.#reused();
      }
      // Written before the work continues: a repeat after a crash must bring the same bytes.
      if (sha256 !== row.body_sha256) await this.#deps.claims.update(row, { body_sha256: sha256 });
      return this.#workIdOf(row, sha256);
    };
    try {
      const answer = await work(workId);
      const complete = body === null || body.sha256() !== null;
      const kept = isKept(answer) && complete && !misused;
      await this.#settle(request, row, kept ? answer : null, misused);
      const bodySha256 = body?.sha256() ?? null;
      const first = this.#firstOf(row, bodySha256);
      return { answer, kept: kept ? { fingerprint: row.fingerprint, bodySha256, answer, first } : null };
    } catch (error) {
      await this.#settle(request, row, null, misused);
      throw error;
    } finally {
      this.#held.delete(name);
    }
  }

  /** The end of an attempt. A failure here costs nothing but the wait for the lease: the work is keyed. */
  async #settle(request: IdempotentRequest, row: ClaimRow, answer: FirstAnswer | null, misused: boolean) {
    const { claims, answers, clock, logger, count } = this.#deps;
    const nowMs = clock.nowMs();
    try {
      if (answer === null) {
        // Another body than the crashed attempt's: that one's claim is handed back, ready to be taken over.
        await claims.update(row, misused ? { lease_until: new Date(nowMs) } : { state: 'FREE' });
        return;
      }
      const expires_at = new Date(nowMs + KEPT_MS);
      const stored = await answers.pack(request.id, answer, request.secret, expires_at);
      const body_sha256 = request.body?.sha256() ?? null;
      if (!(await claims.update(row, { state: 'ANSWERED', answer: stored, expires_at, body_sha256 }))) count?.('lost');
    } catch (error) {
      logger.warn(describeUnexpected(error), 'the answer of a request with an Idempotency-Key was not kept');
    }
  }

  async #answeredBy(row: ClaimRow): Promise<Answered> {
    const { _id, fingerprint, body_sha256: bodySha256, answer } = row;
    if (!answer) throw new Error('an answered claim holds no answer');
    const first = this.#firstOf(row, bodySha256);
    return { fingerprint, bodySha256, answer: await this.#deps.answers.unpack(_id, answer), first };
  }

  async #replay(request: IdempotentRequest, { fingerprint, bodySha256, answer, first }: Answered): Promise<Outcome> {
    const same = fingerprint === request.fingerprint && (await request.body?.drain()) === (bodySha256 ?? undefined);
    if (!same) throw this.#reused();
    this.#deps.count?.('replayed');
    return { answer, replayed: true, first };
  }

  #firstOf(row: ClaimRow, bodySha256: string | null): FirstWork {
    return { claimedAtMs: row.claimed_at.getTime(), workId: this.#workIdOf(row, bodySha256) };
  }

  /** A ULID of the time of the first claim; its random part is a function of who asks what, under which key. */
  #workIdOf({ _id, fingerprint, claimed_at }: ClaimRow, bodySha256: string | null): string {
    const seed = hmacSha256(this.#workSecret, JSON.stringify([claimName(_id), fingerprint, bodySha256]));
    return ulidIds(() => claimed_at.getTime(), keyedRandomness(seed)).next('work');
  }

  async #renew(): Promise<void> {
    await this.#deps.claims.renew([...this.#held.values()], new Date(this.#deps.clock.nowMs() + LEASE_MS));
  }

  #reused(): Problem {
    this.#deps.count?.('reused');
    return problem('IDEMPOTENCY_KEY_REUSED');
  }

  #inProgress(): Problem {
    this.#deps.count?.('in_progress');
    return problem('IDEMPOTENCY_IN_PROGRESS', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
