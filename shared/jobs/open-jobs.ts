import type { Clock } from '../clock/clock.js';
import { type Repeating, repeat } from '../clock/timers.js';
import type { ExceptionDesk } from '../contracts/exceptions.js';
import type { Database } from '../db/database.js';
import type { BackgroundWork } from '../graph/subgraph.js';
import type { Randomness } from '../ids/ids.js';
import type { TenantId } from '../ids/tenant.js';
import { describeUnexpected } from '../telemetry/describe-error.js';
import type { Logger } from '../telemetry/logger.js';
import { AlarmClock } from './alarm-clock.js';
import type { Jobs, RecurringSpec } from './jobs.js';
import { type JobsReport, jobsReport, QueueList } from './jobs-report.js';
import { QueueCounts, type QueueFigures } from './queue-counts.js';
import { QueueRunner } from './queue-runner.js';
import { RowStore } from './row-store.js';
import { CollectionWakeUps, noWakeUps, type WakeUps } from './wake-ups.js';
import type { QueueSpec, WorkQueue, WorkRow } from './work-queue.js';

interface JobsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomness: Randomness;
  readonly exceptions: ExceptionDesk;
}

/** As the process sees it that made them. */
export interface OpenJobs extends Jobs {
  /** What happened in this process; read for metrics. */
  figures(): readonly QueueFigures[];
}

/** One registered queue. */
interface Entry {
  readonly name: string;
  readonly counts: QueueCounts;
  readonly runner: Pick<QueueRunner<WorkRow>, 'start' | 'stop' | 'hear' | 'depth'>;
}

const OWNER_BYTES = 9;
const NOTE_MS = 2_000;

/** @param alone no other process shares the database: wake-ups need not be sent. */
export async function openJobs(deps: JobsDeps, { alone }: { readonly alone: boolean }): Promise<OpenJobs> {
  const { db } = deps.database;
  const owner = Buffer.from(deps.randomness.fill(new Uint8Array(OWNER_BYTES))).toString('base64url');
  if (alone) return new ProcessJobs(deps, owner, noWakeUps);
  const wakeUps = new CollectionWakeUps(db, owner, deps.logger);
  await wakeUps.prepare();
  return new ProcessJobs(deps, owner, wakeUps);
}

class ProcessJobs implements OpenJobs {
  readonly #deps: JobsDeps;
  readonly #owner: string;
  readonly #wakeUps: WakeUps;
  readonly #list: QueueList;
  readonly #entries = new Map<string, Entry>();
  readonly #recurring: RecurringSpec[] = [];

  constructor(deps: JobsDeps, owner: string, wakeUps: WakeUps) {
    this.#deps = deps;
    this.#owner = owner;
    this.#wakeUps = wakeUps;
    this.#list = new QueueList(deps.database.db);
  }

  async queue<Row extends WorkRow>(spec: QueueSpec<Row>): Promise<WorkQueue> {
    if (this.#entries.has(spec.name)) throw new Error(`there is a queue ${spec.name} already`);
    const store = new RowStore<Row>(this.#deps.database.db, spec.collection, spec.groupField, {
      owner: this.#owner,
      alone: this.#wakeUps === noWakeUps,
    });
    const counts = new QueueCounts();
    const wakeOthers = (groups: Iterable<string>): void => this.#wakeUps.post(spec.name, groups);
    const runner = new QueueRunner(spec, { ...this.#deps, counts, owner: this.#owner, wakeOthers }, store);
    this.#entries.set(spec.name, { name: spec.name, counts, runner });
    await store.prepare();
    await this.#list.enter(spec);
    return {
      name: spec.name,
      wake: (groups) => {
        const known = [...groups];
        const isTakenUp = runner.hear(known);
        if (!isTakenUp || spec.wakesOthers !== false) wakeOthers(known);
      },
      runDue: () => runner.runDue(),
    };
  }

  recurring(spec: RecurringSpec): void {
    if (this.#recurring.some(({ name }) => name === spec.name)) throw new Error(`${spec.name} recurs already`);
    this.#recurring.push(spec);
  }

  start(): BackgroundWork {
    for (const { runner } of this.#entries.values()) runner.start();
    const deaf = this.#wakeUps.listen(({ queue, groups }) => this.#entries.get(queue)?.runner.hear(groups));
    const noting = this.#noting();
    const alarms = new AlarmClock({ ...this.#deps, db: this.#deps.database.db, owner: this.#owner }, this.#recurring);
    const ringing = alarms.start();
    return {
      stop: async () => {
        const queues = [...this.#entries.values()].map(({ runner }) => runner.stop());
        await Promise.all([...queues, ringing.stop(), deaf()]);
        await noting.stop();
        // News for operators, no state: a database that is away must not keep a process from ending.
        await this.#note().catch(this.#notNoted);
      },
    };
  }

  figures(): readonly QueueFigures[] {
    return [...this.#entries.values()].map(({ name, counts, runner }) => counts.figures(name, runner.depth));
  }

  report(tenantId: TenantId | null): Promise<JobsReport> {
    return jobsReport(this.#deps.database.db, tenantId, this.#deps.clock.nowMs());
  }

  #noting(): Repeating {
    return repeat(NOTE_MS, () => this.#note(), this.#notNoted);
  }

  readonly #notNoted = (error: unknown): void =>
    this.#deps.logger.warn(describeUnexpected(error), 'the last run of queues was not noted');

  async #note(): Promise<void> {
    for (const { name, counts } of this.#entries.values()) {
      const news = counts.takeNews();
      if (news) await this.#list.note(name, news);
    }
  }
}
