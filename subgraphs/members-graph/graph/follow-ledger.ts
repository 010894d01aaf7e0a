import { delay, runLater } from '../../../shared/clock/timers.js';
import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { LedgerFeed, LedgerFollower } from '../../../shared/contracts/ledger-feed.js';
import { isReservedSourceSystem, type TenantId } from '../../../shared/ids/tenant.js';
import type { Lease, Outcome, QueueSpec, WorkQueue } from '../../../shared/jobs/work-queue.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { CHANGE_PARTITIONS } from './domain/touched-records.js';
import type { GraphCursorRow, GraphCursors } from './ports.js';
import { type ProjectDeps, projectEntries } from './project-entries.js';

export interface FollowDeps extends ProjectDeps {
  readonly cursors: GraphCursors;
  readonly ledgerFeed: LedgerFeed;
  readonly ledgerDisposal: Pick<LedgerDisposal, 'facts' | 'tenantIds'>;
  readonly logger: Logger;
}

/** Entries of one read: an envelope has up to 256 KiB. */
const PAGE = 200;
/** Chains projected at once in one process; appends have priority on the database. */
const CONCURRENCY = 2;
/** Time on one chain before another chain of the tenant is projected. */
const TURN_MS = 400;
/** Delay that groups notifications. */
const GROUPED_MS = 100;

export const isFollowed = (sourceSystem: string): boolean =>
  !isReservedSourceSystem(sourceSystem) || CHANGE_PARTITIONS.has(sourceSystem);

/** The queue behind the graph: a row is a chain, leased by one process; chains of a tenant take turns. */
export const followQueue = (deps: FollowDeps): QueueSpec<GraphCursorRow> => ({
  name: 'graph.follow',
  description: 'Projects new ledger entries into the graph: a row is a chain and its position.',
  collection: deps.cursors.collection,
  groupField: 'tenant_id',
  concurrency: CONCURRENCY,
  // Two chains may name one record: projecting them one at a time avoids conflicting writes.
  limits: { maxInFlight: 1 },
  wakesOthers: false,
  handle: (row, lease) => follow(deps, row, lease),
  // The chain keeps its position and is retried when the scan next finds it behind.
  poison: () => ({}),
});

async function follow(deps: FollowDeps, row: GraphCursorRow, lease: Lease): Promise<Outcome> {
  const { tenant_id: tenantId, generation, source_system } = row;
  const endMs = deps.clock.monotonicMs() + TURN_MS;
  let seq = row.seq;
  // Stop projecting a generation that readers no longer use.
  if ((await deps.graph.live(tenantId)) !== generation) return atRest(seq);
  while (!lease.signal.aborted && deps.clock.monotonicMs() < endMs) {
    const beganMs = deps.clock.monotonicMs();
    const after = [{ source_system, sequence: seq }];
    const { entries, more } = await deps.ledgerFeed.read(tenantId, {
      after,
      all: false,
      named: [source_system],
      limit: PAGE,
      contents: true,
    });
    const last = entries.at(-1);
    if (!last) return atRest(seq);
    await projectEntries(deps, tenantId, generation, entries);
    seq = last.sequence;
    // The outcome stores the position of the last page.
    if (!more) return atRest(seq);
    // The next holder continues from the stored cursor and repeats this page.
    if (!(await lease.write({ set: { seq } }))) return { kind: 'done', change: {} };
    // A backlog uses the database half of the time: requests have priority.
    await delay(deps.clock.monotonicMs() - beganMs);
  }
  return { kind: 'again', atMs: deps.clock.nowMs(), change: { set: { seq } } };
}

const atRest = (seq: number): Outcome => ({ kind: 'done', change: { set: { seq }, unset: ['behind_since'] } });

/** Makes grown chains due, on notification by the ledger and by scanning every chain. */
export class GraphFollow implements LedgerFollower {
  readonly #deps: FollowDeps;
  readonly #queue: WorkQueue;
  readonly #grown = new Map<TenantId, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #flushed: Promise<void> = Promise.resolve();

  constructor(deps: FollowDeps, queue: WorkQueue) {
    this.#deps = deps;
    this.#queue = queue;
  }

  /** Returns at once; false makes the ledger notify at most five times a second. */
  async grown(tenantId: TenantId, chains: readonly string[]): Promise<boolean> {
    this.#collect(tenantId, chains);
    return false;
  }

  /** Scans every chain of every tenant, in case a notification was lost. */
  async scanAll(signal?: AbortSignal): Promise<void> {
    const { ledgerDisposal, ledgerFeed, graph, cursors } = this.#deps;
    for (const tenantId of await ledgerDisposal.tenantIds()) {
      if (signal?.aborted) return;
      const projected = await cursors.of(tenantId, await graph.live(tenantId));
      const done = new Map(projected.map((head) => [head.source_system, head.sequence]));
      const heads = await ledgerFeed.heads(tenantId);
      const behind = heads.filter(({ source_system, sequence }) => sequence > (done.get(source_system) ?? 0));
      this.#collect(
        tenantId,
        behind.map(({ source_system }) => source_system),
      );
    }
    await this.flush();
  }

  /** Makes the collected chains due. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const flushed = this.#flushed.then(() => this.#flushNow());
    // The caller gets the failure; the next flush runs anyway.
    this.#flushed = flushed.catch(() => undefined);
    return flushed;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #collect(tenantId: TenantId, chains: readonly string[]): void {
    const followed = chains.filter(isFollowed);
    if (followed.length === 0 || this.#closed) return;
    const known = this.#grown.get(tenantId) ?? new Set();
    for (const chain of followed) known.add(chain);
    this.#grown.set(tenantId, known);
    if (this.#timer !== undefined) return;
    this.#timer = runLater(GROUPED_MS, () => void this.#flushQuietly());
  }

  async #flushNow(): Promise<void> {
    const grown = [...this.#grown];
    this.#grown.clear();
    const { graph, cursors, clock } = this.#deps;
    for (const [tenantId, chains] of grown) {
      const generation = await graph.live(tenantId);
      const held = await cursors.makeDue(tenantId, generation, [...chains], clock.nowMs());
      this.#queue.wake([tenantId]);
      // A holder may miss the newest entries: notify again until the chain is free.
      this.#collect(tenantId, held);
    }
  }

  async #flushQuietly(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      // The scan finds these chains later.
      if (!this.#closed) this.#deps.logger.warn(describeUnexpected(error), 'the graph could not mark chains as due');
    }
  }
}
