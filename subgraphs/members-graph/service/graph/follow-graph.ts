import { delay } from '../../../../shared/clock/timers.js';
import type { LedgerDisposal } from '../../../../shared/contracts/disposal.js';
import type { LedgerFeed, LedgerFollower } from '../../../../shared/contracts/ledger-feed.js';
import { isReservedSourceSystem, type TenantId } from '../../../../shared/ids/tenant.js';
import type { Lease, Outcome, QueueSpec, WorkQueue } from '../../../../shared/jobs/work-queue.js';
import { describeUnexpected } from '../../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import { TELLING_PARTITIONS } from '../../domain/graph/touched-records.js';
import type { GraphCursorRow, GraphCursors } from '../ports/graph-cursors.js';
import { type ProjectDeps, projectEntries } from './project-entries.js';

export interface FollowDeps extends ProjectDeps {
  readonly cursors: GraphCursors;
  readonly ledgerFeed: LedgerFeed;
  readonly ledgerDisposal: Pick<LedgerDisposal, 'facts' | 'tenantIds'>;
  readonly logger: Logger;
}

/** Entries taken in at once: an envelope has up to 256 KiB. */
const PAGE = 200;
/** Chains at work in one process: what is appended just now has the database first. */
const CONCURRENCY = 2;
/** After so long on one chain others of the tenant get their turn. */
const TURN_MS = 400;
/** Between two words about one tenant. */
const GATHER_MS = 100;

export const isFollowed = (sourceSystem: string): boolean =>
  !isReservedSourceSystem(sourceSystem) || (TELLING_PARTITIONS as readonly string[]).includes(sourceSystem);

/** The work behind the graph: a row is a chain, held by one process under a lease; chains of a tenant take turns. */
export const followQueue = (deps: FollowDeps): QueueSpec<GraphCursorRow> => ({
  name: 'graph.follow',
  description: 'Takes what is new in the ledger into the graph: a row is a chain, and how far it is taken in.',
  collection: deps.cursors.collection,
  groupField: 'tenant_id',
  concurrency: CONCURRENCY,
  // One at a time: a record that two chains tell of is not written by two.
  limits: { maxInFlight: 1 },
  wakesOthers: false,
  handle: (row, lease) => follow(deps, row, lease),
  // Nothing is lost: the chain stands where it stood, and is tried again when it is next found behind.
  poison: () => ({}),
});

async function follow(deps: FollowDeps, row: GraphCursorRow, lease: Lease): Promise<Outcome> {
  const { tenant_id: tenantId, generation, source_system } = row;
  const endMs = deps.clock.monotonicMs() + TURN_MS;
  let seq = row.seq;
  // A generation that is no longer read is not kept up.
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
    // The outcome says how far it is: no write of its own for the last page.
    if (!more) return atRest(seq);
    // Another holder goes on from the cursor as it stands; what was taken in here it takes in again.
    if (!(await lease.write({ set: { seq } }))) return { kind: 'done', change: {} };
    // A backlog leaves the database as much time as it takes: those who wait for an answer come first.
    await delay(deps.clock.monotonicMs() - beganMs);
  }
  return { kind: 'again', atMs: deps.clock.nowMs(), change: { set: { seq } } };
}

const atRest = (seq: number): Outcome => ({ kind: 'done', change: { set: { seq }, unset: ['behind_since'] } });

/** Makes chains due that have grown: as the ledger tells it, and by a look of its own at every chain. */
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

  /** Answers at once; false, so that the ledger tells of growth five times a second at most. */
  async grown(tenantId: TenantId, chains: readonly string[]): Promise<boolean> {
    this.#gather(tenantId, chains);
    return false;
  }

  /** Every chain of every tenant: the net under what was told. */
  async lookAll(signal?: AbortSignal): Promise<void> {
    const { ledgerDisposal, ledgerFeed, graph, cursors } = this.#deps;
    for (const tenantId of await ledgerDisposal.tenantIds()) {
      if (signal?.aborted) return;
      const done = new Map(
        (await cursors.of(tenantId, await graph.live(tenantId))).map((head) => [head.source_system, head.sequence]),
      );
      const heads = await ledgerFeed.heads(tenantId);
      const behind = heads.filter(({ source_system, sequence }) => sequence > (done.get(source_system) ?? 0));
      this.#gather(
        tenantId,
        behind.map(({ source_system }) => source_system),
      );
    }
    await this.flush();
  }

  /** What was gathered is due when it resolves. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const flushed = this.#flushed.then(() => this.#flushNow());
    // A failed flush is its caller's; the next one begins all the same.
    this.#flushed = flushed.catch(() => undefined);
    return flushed;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #gather(tenantId: TenantId, chains: readonly string[]): void {
    const followed = chains.filter(isFollowed);
    if (followed.length === 0 || this.#closed) return;
    const known = this.#grown.get(tenantId) ?? new Set();
    for (const chain of followed) known.add(chain);
    this.#grown.set(tenantId, known);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#flushQuietly(), GATHER_MS);
    this.#timer.unref();
  }

  async #flushNow(): Promise<void> {
    const grown = [...this.#grown];
    this.#grown.clear();
    const { graph, cursors, clock } = this.#deps;
    for (const [tenantId, chains] of grown) {
      const generation = await graph.live(tenantId);
      const held = await cursors.makeDue(tenantId, generation, [...chains], clock.nowMs());
      this.#queue.wake([tenantId]);
      // Whether their holder sees what is new is not known: they are told again until nobody holds them.
      this.#gather(tenantId, held);
    }
  }

  async #flushQuietly(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      // The look finds what was lost.
      if (!this.#closed) this.#deps.logger.warn(describeUnexpected(error), 'the graph was not woken');
    }
  }
}
