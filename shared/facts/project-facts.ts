import type { Clock } from '../clock/clock.js';
import type { LedgerDisposal } from '../contracts/disposal.js';
import { DURABLE } from '../db/connection-options.js';
import type { Database } from '../db/database.js';
import type { Jobs } from '../jobs/jobs.js';
import { isIntegrityFailure } from '../records/sound-rows.js';
import type { Facts } from './facts.js';
import { FactGuard, type FactGuardDeps, type ProjectedKind } from './guard.js';

/** Readers write the rows that they meet; the sweep serves the others. */
const INTERVAL_MS = 300_000;
/** Time in ms between the time that a fact states and its place in the ledger, at most: clocks of processes differ. */
const SLACK_MS = 600_000;
/** Subjects of one sweep that are written at once; a store may read them together. */
const MAX_PROJECTED = 100;
/** Time in ms that a process may use a known time of the last sweep. */
const KNOWN_FOR_MS = 10_000;

interface SweptRow {
  readonly _id: string;
  readonly swept_at: Date;
}

interface ProjectorDeps {
  readonly facts: Facts;
  readonly ledgerDisposal: Pick<LedgerDisposal, 'tenantIds'>;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly database: Pick<Database, 'db'>;
}

/** When the last completed sweep of a subgraph began. A row that is still behind older facts was changed by hand. */
export class FactSweeps {
  readonly #db: Database['db'];
  readonly #clock: Clock;
  readonly #name: string;
  #known: { readonly atMs: number; readonly sweptMs: number } | null = null;

  constructor({ db, clock, name }: { readonly db: Database['db']; readonly clock: Clock; readonly name: string }) {
    this.#db = db;
    this.#clock = clock;
    this.#name = name;
  }

  /** True when a sweep has written the rows of every fact of this time. @param atMs the time that the fact states. */
  async hasSwept(atMs: number): Promise<boolean> {
    if (atMs < (await this.settledMs())) return true;
    // A known time may be seconds old. Few rows are behind their facts, so that a "no" may cost one more read.
    this.#known = null;
    return atMs < (await this.settledMs());
  }

  /** Rows of facts before this time, in ms of the epoch, must be written. */
  async settledMs(): Promise<number> {
    return (await this.#lastMs()) - SLACK_MS;
  }

  /** Runs one sweep over the facts since the last one. */
  async sweep(
    { facts, ledgerDisposal }: Pick<ProjectorDeps, 'facts' | 'ledgerDisposal'>,
    kinds: readonly ProjectedKind[],
    signal: AbortSignal,
  ): Promise<void> {
    const startedMs = this.#clock.nowMs();
    const sinceMs = Math.max(0, (await this.#read()) - SLACK_MS);
    const names = kinds.map(({ kind }) => kind);
    for (const tenantId of names.length === 0 ? [] : await ledgerDisposal.tenantIds()) {
      const changed = await facts.changedSince(tenantId, names, sinceMs);
      for (let from = 0; from < changed.length; from += MAX_PROJECTED) {
        if (signal.aborted) return;
        const work = changed.slice(from, from + MAX_PROJECTED);
        await Promise.all(
          work.map(({ kind, id }) => projected(kinds.find((each) => each.kind === kind)?.project(tenantId, id))),
        );
      }
    }
    const change = { $set: { swept_at: new Date(startedMs) } };
    await this.#rows().updateOne({ _id: this.#name }, change, { upsert: true, writeConcern: DURABLE });
  }

  async #lastMs(): Promise<number> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#known === null || nowMs - this.#known.atMs > KNOWN_FOR_MS) {
      this.#known = { atMs: nowMs, sweptMs: await this.#read() };
    }
    return this.#known.sweptMs;
  }

  async #read(): Promise<number> {
    const sweptAt: unknown = (await this.#rows().findOne({ _id: this.#name }))?.swept_at;
    const sweptMs = sweptAt instanceof Date ? sweptAt.getTime() : Number.NaN;
    // An edited time must not condemn rows in flight: the next sweep reads all facts again.
    return sweptMs >= 0 && sweptMs <= this.#clock.nowMs() + SLACK_MS ? sweptMs : 0;
  }

  #rows() {
    return this.#db.collection<SweptRow>('fact_sweeps');
  }
}

/** A row that fails its check is reported and stays; it must not stop the sweep. */
async function projected(work: Promise<unknown> | undefined): Promise<void> {
  await work?.catch((error: unknown) => {
    if (!isIntegrityFailure(error)) throw error;
  });
}

/**
 * Opens the facts of a subgraph, and registers the sweep that writes rows after a crash; it runs in one process of the
 * deployment at a time.
 */
export function openFacts(deps: ProjectorDeps & Omit<FactGuardDeps, 'sweeps' | 'kinds'>, subgraph: string): FactGuard {
  const sweeps = new FactSweeps({ db: deps.database.db, clock: deps.clock, name: subgraph });
  const kinds: ProjectedKind[] = [];
  deps.jobs.recurring({
    name: `${subgraph}.project-facts`,
    description: 'Writes the rows of records that a crash left behind their facts.',
    everyMs: INTERVAL_MS,
    run: (signal) => sweeps.sweep(deps, kinds, signal),
  });
  return new FactGuard({ ...deps, sweeps, kinds });
}
