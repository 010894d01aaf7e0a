import type { Clock } from '../../../shared/clock/clock.js';
import { delay } from '../../../shared/clock/timers.js';
import type { Jobs } from '../../../shared/jobs/jobs.js';
import type { Lease, Outcome, WorkQueue } from '../../../shared/jobs/work-queue.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { AppendSignal } from './append-signal.js';
import type { Chain, ConsumerCursors, ConsumerRow } from './ports/consumer-cursors.js';
import type { LedgerStore } from './ports/ledger-store.js';
import type { RecentRows } from './recent-rows.js';

const LAST_SEQ = Number.MAX_SAFE_INTEGER;
/** Chains that grow are gathered this long: a busy one costs a handful of small writes a second. */
const GATHER_MS = 100;
/** While they grow on and on, so that a stream of small appends is followed in fewer, larger batches. */
const BUSY_GATHER_MS = 250;
const BUSY_FOR_MS = 500;
/** The net: growth that no signal told, after a crash or by another kind of process, is found within it. */
const LOOK_EVERY_MS = 60_000;
/** After so long on one chain others of the tenant get their turn. */
const TURN_MS = 5_000;
const CHAINS_A_WRITE = 500;

/** What follows the ledger: its name, and what it makes of the rows. */
export interface ConsumerSpec {
  /** `ledger.verb`: the name of the queue and, with `.look`, of its net. */
  readonly name: string;
  readonly description: string;
  /** Rows handed over at once. */
  readonly batchRows: number;
  /** Chains at work in one process. */
  readonly concurrency: number;
  /** All of them unless told. */
  readonly wants?: (sourceSystem: string) => boolean;
  /**
   * Rows of one chain in order, each at least once: after a crash a batch comes again, cut otherwise perhaps. When it
   * resolves, what it made of them is durable.
   */
  readonly take: (chain: Chain, rows: readonly LedgerRow[]) => Promise<void>;
}

export interface ConsumerDeps {
  readonly store: LedgerStore;
  readonly cursors: ConsumerCursors;
  readonly appended: AppendSignal;
  readonly recent: Pick<RecentRows, 'from'>;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One follower of the ledger at work. */
export interface LedgerConsumer {
  readonly queue: WorkQueue;
  /** Looks at every chain once, and makes due what is behind: the net, and what a test calls in place of signals. */
  lookBehind(signal?: AbortSignal): Promise<void>;
  /** Tells nothing more; what was gathered is told by the net. */
  close(): void;
}

/**
 * Follows the ledger chain by chain (design.md decision 5): a cursor for each (tenant, partition), which is a row of a
 * queue. Woken by appends, kept by a look at every chain once a minute, resumed after a crash where the cursor stands.
 */
export async function consumeLedger(deps: ConsumerDeps, spec: ConsumerSpec): Promise<LedgerConsumer> {
  const wants = spec.wants ?? (() => true);
  const queue = await deps.jobs.queue<ConsumerRow>({
    name: spec.name,
    description: spec.description,
    collection: deps.cursors.collection,
    groupField: 'tenant_id',
    concurrency: spec.concurrency,
    limits: { maxInFlight: spec.concurrency },
    wakesOthers: false,
    handle: (row, lease) => follow(deps, spec, row, lease),
    // Nothing is lost: the chain stands where it stood, and is tried again when it is next found behind.
    poison: () => ({}),
  });
  const waker = new Waker(deps, queue);
  deps.appended.listen((tenantId, sourceSystem) => {
    if (wants(sourceSystem)) waker.wake({ tenantId, sourceSystem });
  });
  const lookBehind = async (signal?: AbortSignal): Promise<void> => {
    for await (const chain of chainsBehind(deps, wants, signal)) waker.wake(chain);
    await waker.flush();
  };
  deps.jobs.recurring({
    name: `${spec.name}.look`,
    description: `Finds chains that have grown unheard, for ${spec.name}.`,
    everyMs: LOOK_EVERY_MS,
    run: lookBehind,
  });
  return { queue, lookBehind, close: () => waker.close() };
}

async function follow(deps: ConsumerDeps, spec: ConsumerSpec, row: ConsumerRow, lease: Lease): Promise<Outcome> {
  const chain = { tenantId: row.tenant_id, sourceSystem: row.source_system };
  const ledger = deps.store.forTenant(chain.tenantId);
  const endMs = deps.clock.monotonicMs() + TURN_MS;
  let seq = row.seq;
  while (!lease.signal.aborted && deps.clock.monotonicMs() < endMs) {
    const beganMs = deps.clock.monotonicMs();
    const fresh = deps.recent.from(chain.tenantId, chain.sourceSystem, seq + 1, spec.batchRows);
    const rows = fresh.length > 0 ? fresh : await ledger.rows(chain.sourceSystem, seq + 1, LAST_SEQ, spec.batchRows);
    const last = rows.at(-1);
    if (!last) return { kind: 'done', change: { set: { seq } } };
    await spec.take(chain, rows);
    seq = last._id.seq;
    // The outcome says how far it is: no write of its own for the last rows.
    if (rows.length < spec.batchRows) return { kind: 'done', change: { set: { seq } } };
    // Another holder goes on from the cursor as it stands; what was taken here it takes again.
    if (!(await lease.write({ set: { seq } }))) return { kind: 'done', change: {} };
    // A backlog leaves the database as much time as it takes: those who wait for an answer come first.
    await delay(deps.clock.monotonicMs() - beganMs);
  }
  return { kind: 'again', atMs: deps.clock.nowMs(), change: { set: { seq } } };
}

async function* chainsBehind(
  { store, cursors }: ConsumerDeps,
  wants: (sourceSystem: string) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<Chain> {
  for await (const tenantId of store.tenantIds()) {
    const ledger = store.forTenant(tenantId);
    const done = new Map((await cursors.ofTenant(tenantId)).map(({ sourceSystem, seq }) => [sourceSystem, seq]));
    for (const sourceSystem of await ledger.sourceSystems()) {
      if (signal?.aborted) return;
      if (!wants(sourceSystem)) continue;
      const head = await ledger.head(sourceSystem);
      if (head && head._id.seq > (done.get(sourceSystem) ?? 0)) yield { tenantId, sourceSystem };
    }
  }
}

/** Gathers chains that have grown, makes their rows due, and wakes the queue. */
class Waker {
  readonly #deps: Pick<ConsumerDeps, 'cursors' | 'clock' | 'logger'>;
  readonly #queue: WorkQueue;
  #gathered = new Map<string, Chain>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #flushedMs = Number.NEGATIVE_INFINITY;
  #ended: Promise<void> = Promise.resolve();

  constructor(deps: Pick<ConsumerDeps, 'cursors' | 'clock' | 'logger'>, queue: WorkQueue) {
    this.#deps = deps;
    this.#queue = queue;
  }

  wake(chain: Chain): void {
    this.#gathered.set(`${chain.tenantId} ${chain.sourceSystem}`, chain);
    if (this.#timer !== undefined || this.#closed) return;
    const isBusy = this.#deps.clock.monotonicMs() - this.#flushedMs < BUSY_FOR_MS;
    this.#timer = setTimeout(() => void this.#flushQuietly(), isBusy ? BUSY_GATHER_MS : GATHER_MS);
    this.#timer.unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** What was gathered before is told when it resolves, also by a flush that is under way already. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const flushed = this.#ended.then(() => this.#flushNow());
    // A failed flush is its caller's; the next one begins all the same.
    this.#ended = flushed.catch(() => undefined);
    return flushed;
  }

  async #flushNow(): Promise<void> {
    this.#flushedMs = this.#deps.clock.monotonicMs();
    const chains = [...this.#gathered.values()];
    this.#gathered.clear();
    for (let from = 0; from < chains.length; from += CHAINS_A_WRITE) {
      const some = chains.slice(from, from + CHAINS_A_WRITE);
      const held = await this.#deps.cursors.makeDue(some, this.#deps.clock.nowMs());
      this.#queue.wake(new Set(some.map(({ tenantId }) => tenantId)));
      // Whether their holder sees what is new is not known: they are told again until nobody holds them.
      for (const chain of held) this.wake(chain);
    }
  }

  async #flushQuietly(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      if (!this.#closed) this.#deps.logger.warn(describeUnexpected(error), 'a consumer of the ledger was not woken');
    }
  }
}
