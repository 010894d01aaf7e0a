import type { TenantId } from '../ids/tenant.js';
import { describeUnexpected } from '../telemetry/describe-error.js';
import { inSpan } from '../telemetry/spans.js';
import type { HeldRow } from './held-rows.js';
import type { RowStore, Settlement } from './row-store.js';
import type { RunnerDeps } from './runner-deps.js';
import type { Lease, Outcome, QueueSpec, RowChange, WorkRow } from './work-queue.js';

/** Delay until the next attempt to poison a row, after its exception could not be opened. */
const POISON_AGAIN_MS = 60_000;
const THROWN_BASE_MS = 1_000;
const THROWN_MOST_MS = 300_000;
const THROWN_CLAIMS = 8;

/** 1 s, doubled up to 5 minutes; eight claims without an outcome are enough. */
const defaultRetryThrownMs = (claims: number): number | null =>
  claims >= THROWN_CLAIMS ? null : Math.min(THROWN_BASE_MS * 2 ** (claims - 1), THROWN_MOST_MS);

/** Runs the handler on one row and returns the change to write. */
export class RowHandler<Row extends WorkRow> {
  readonly #spec: QueueSpec<Row>;
  readonly #deps: RunnerDeps;
  readonly #store: RowStore<Row>;
  readonly #retryThrownMs: (claims: number) => number | null;

  constructor(spec: QueueSpec<Row>, deps: RunnerDeps, store: RowStore<Row>) {
    this.#spec = spec;
    this.#deps = deps;
    this.#store = store;
    this.#retryThrownMs = spec.retryThrownMs ?? defaultRetryThrownMs;
  }

  /** Never fails. @returns undefined where the lease is lost already. */
  async handle(held: HeldRow<Row>): Promise<Settlement | undefined> {
    const { row, abort, untilMs } = held;
    if (abort.signal.aborted || untilMs <= this.#deps.clock.nowMs()) return undefined;
    const earlier = claimsOf(row) - 1;
    if (earlier > 0 && this.#retryThrownMs(earlier) === null) return this.#poison(held, 'the holder died');
    try {
      const span = { name: `job ${this.#spec.name}` };
      const outcome = await inSpan(span, () => this.#spec.handle(row, this.#leaseOf(held)));
      return this.#settlementOf(held, outcome);
    } catch (error) {
      return this.#thrown(held, error);
    }
  }

  #settlementOf(held: HeldRow<Row>, outcome: Outcome): Settlement {
    const { counts, clock } = this.#deps;
    counts.add(outcome.kind, 1);
    counts.ran(clock.nowMs());
    const fence = { id: held.row._id, token: held.token, claims: 0 };
    if (outcome.kind === 'done') return { ...fence, change: outcome.change, nextMs: null };
    return { ...fence, change: outcome.kind === 'again' ? outcome.change : {}, nextMs: outcome.atMs };
  }

  async #thrown(held: HeldRow<Row>, error: unknown): Promise<Settlement> {
    const { counts, clock, logger } = this.#deps;
    const { row, token, abort } = held;
    const claims = claimsOf(row);
    const told = { ...describeUnexpected(error), queue: this.#spec.name, row_id: row._id };
    // The handler was aborted: that is no fault of the row.
    if (abort.signal.aborted) {
      logger.info(told, 'a handling was broken off');
      return { id: row._id, token, change: {}, nextMs: clock.nowMs(), claims: claims - 1 };
    }
    counts.add('thrown', 1);
    counts.failed(clock.nowMs(), told.error_name);
    const waitMs = this.#retryThrownMs(claims);
    logger.error({ ...told, claims, retry_ms: waitMs }, 'a handling threw');
    if (waitMs === null) return this.#poison(held, told.error_name);
    return { id: row._id, token, change: {}, nextMs: clock.nowMs() + waitMs, claims };
  }

  /** The exception first: a crash between the two opens it again, which changes nothing. */
  async #poison({ row, token }: HeldRow<Row>, reason: string): Promise<Settlement> {
    const { exceptions, counts, clock, logger } = this.#deps;
    const claims = claimsOf(row);
    const queue = this.#spec.name;
    let change: RowChange;
    try {
      // The domain that wrote the row looked its tenant up.
      await exceptions.open(row.tenant_id as TenantId, {
        kind: 'JOB_POISONED',
        subject: { queue, row_id: row._id },
        detail: { claims, reason },
      });
      change = await this.#spec.poison(row);
    } catch (error) {
      logger.error(
        { ...describeUnexpected(error), queue, row_id: row._id },
        'a row could not be marked as poisoned yet',
      );
      return { id: row._id, token, change: {}, nextMs: clock.nowMs() + POISON_AGAIN_MS, claims };
    }
    counts.add('poisoned', 1);
    logger.error({ queue, row_id: row._id, claims, reason }, 'a row is marked as poisoned');
    const set = { ...change.set, poisoned_at: new Date(clock.nowMs()) };
    return { id: row._id, token, change: { ...change, set }, nextMs: null, claims };
  }

  #leaseOf({ row, token, abort }: HeldRow<Row>): Lease {
    return { token, signal: abort.signal, write: (change) => this.#store.write(row._id, token, change) };
  }
}

const claimsOf = (row: WorkRow): number => row.claims ?? 1;
