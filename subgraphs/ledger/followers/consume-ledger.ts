import type { Clock } from '../../../shared/clock/clock.js';
import { delay, runLater } from '../../../shared/clock/timers.js';
import type { Jobs } from '../../../shared/jobs/jobs.js';
import type { Lease, Outcome, WorkQueue } from '../../../shared/jobs/work-queue.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { AppendSignal, LedgerStore } from '../append/index.js';
import type { Chain, ConsumerCursors, ConsumerRow } from './ports.js';
import type { RecentRows } from './recent-rows.js';

const LAST_SEQ = Number.MAX_SAFE_INTEGER;
/** Time during which growing chains are gathered, in ms: a busy chain costs a few small writes per second. */
const GATHER_MS = 100;
/** Longer gathering while chains keep growing: a stream of small appends is followed in fewer, larger batches. */
const BUSY_GATHER_MS = 250;
const BUSY_FOR_MS = 500;
/** Interval of the full look, in ms: it finds growth without a signal, after a crash or by another kind of process. */
const LOOK_EVERY_MS = 60_000;
/** After this time on one chain, other chains of the tenant run. */
const TURN_MS = 5_000;
const CHAINS_A_WRITE = 500;

/** A consumer of the ledger: its name, and what it does with rows. */
interface ConsumerSpec {
  /** `ledger.verb`: the name of the queue and, with `.look`, of the full look. */
  readonly name: string;
  readonly description: string;
  /** Rows passed at once. */
  readonly batchRows: number;
  /** Chains that one process works on at the same time. */
  readonly concurrency: number;
  /** All chains by default. */
  readonly wants?: (sourceSystem: string) => boolean;
  /**
   * Receives rows of one chain in order, each at least once: a crash repeats a batch, possibly with other bounds. When
   * it resolves, its result is durable.
   */
  readonly take: (chain: Chain, rows: readonly LedgerRow[]) => Promise<void>;
}

interface ConsumerDeps {
  readonly store: LedgerStore;
  readonly cursors: ConsumerCursors;
  readonly appended: AppendSignal;
  readonly recent: Pick<RecentRows, 'from'>;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One running consumer of the ledger. */
interface LedgerConsumer {
  readonly queue: WorkQueue;
  /** Looks at every chain once and queues those behind; tests call it in place of signals. */
  lookBehind(signal?: AbortSignal): Promise<void>;
  /** Stops signalling; the full scan finds the gathered signals. */
  close(): void;
}

/**
 * Follows the ledger chain by chain (design.md decision 5). A queue row for each (tenant, partition) holds the cursor.
 * Appends wake it, a look at every chain once a minute backs that up, and after a crash it continues at the cursor.
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
    // Nothing is lost: the cursor did not move, and the next look queues the chain again.
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
    description: `Finds grown chains without a signal for ${spec.name}.`,
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
    // The outcome carries the cursor: the last rows need no extra write.
    if (rows.length < spec.batchRows) return { kind: 'done', change: { set: { seq } } };
    // Another holder continues from the stored cursor and repeats this work.
    if (!(await lease.write({ set: { seq } }))) return { kind: 'done', change: {} };
    // Between batches a backlog pauses as long as it worked, so that requests get the database first.
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

/** Gathers chains that have grown, queues them and wakes the workers. */
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
    this.#timer = runLater(isBusy ? BUSY_GATHER_MS : GATHER_MS, () => void this.#flushQuietly());
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Resolves when everything gathered before is queued, including by a flush that is already running. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const flushed = this.#ended.then(() => this.#flushNow());
    // The caller handles a failed flush; the next one starts in any case.
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
      // It is unknown whether their holder sees the new rows: signal again until no worker holds them.
      for (const chain of held) this.wake(chain);
    }
  }

  async #flushQuietly(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      if (!this.#closed) this.#deps.logger.warn(describeUnexpected(error), 'waking a consumer of the ledger failed');
    }
  }
}
