import type { Collection, Db, Filter } from 'mongodb';
import type { TenantId } from '../ids/tenant.js';
import { ALARMS, type AlarmDocument } from './alarm-clock.js';
import type { LastRun } from './queue-counts.js';
import type { QueueSpec, WorkRow } from './work-queue.js';

/** Counts above it are reported as it: the exact length of a long queue is not needed, and counting takes time. */
const COUNT_LIMIT = 10_000;

/** One queue: counts and times alone, nothing of any row. */
export interface QueueReport {
  readonly name: string;
  readonly description: string;
  readonly due: number;
  readonly scheduled: number;
  readonly running: number;
  readonly failed: number;
  readonly oldest_due_at: Date | null;
  readonly next_at: Date | null;
  /** Of all tenants together: null in a tenant's own report. */
  readonly last_run_at: Date | null;
  readonly last_error_at: Date | null;
  readonly last_error_class: string | null;
}

/** Work that comes round by the clock. */
export interface RecurringReport {
  readonly name: string;
  readonly description: string;
  readonly every_seconds: number;
  readonly running: boolean;
  readonly last_run_at: Date | null;
  readonly last_finished_at: Date | null;
  readonly next_run_at: Date | null;
  readonly failures: number;
  readonly last_error_at: Date | null;
  readonly last_error_class: string | null;
}

export interface JobsReport {
  readonly queues: readonly QueueReport[];
  readonly recurring: readonly RecurringReport[];
}

/** @param tenantId tenant of the counted rows; null counts all tenants and the deployment's own rows. */
export async function jobsReport(db: Db, tenantId: TenantId | null, nowMs: number): Promise<JobsReport> {
  const queues = await new QueueList(db).all();
  return {
    queues: await Promise.all(queues.map((queue) => queueReport(db, queue, tenantId, nowMs))),
    recurring: tenantId === null ? await recurringReport(db) : [],
  };
}

async function queueReport(db: Db, queue: ListedQueue, tenantId: TenantId | null, nowMs: number): Promise<QueueReport> {
  const rows = db.collection<WorkRow>(queue.collection);
  const now = new Date(nowMs);
  const own = tenantId === null ? {} : { tenant_id: tenantId };
  const due = { next_attempt_at: { $exists: true, $lte: now }, ...own };
  const scheduled = { next_attempt_at: { $exists: true, $gt: now }, ...own };
  const count = (filter: Filter<WorkRow>): Promise<number> => rows.countDocuments(filter, { limit: COUNT_LIMIT });
  const first = async (filter: Filter<WorkRow>): Promise<Date | null> => {
    const [row] = await rows
      .find(filter)
      .sort({ next_attempt_at: 1 })
      .limit(1)
      .project<WorkRow>({ next_attempt_at: 1 })
      .toArray();
    return row?.next_attempt_at ?? null;
  };
  return {
    name: queue._id,
    description: queue.description,
    due: await count(due),
    scheduled: await count(scheduled),
    running: await count({ lease_until: { $exists: true }, ...own }),
    failed: await count({ poisoned_at: { $exists: true }, ...own }),
    oldest_due_at: await first(due),
    next_at: await first(scheduled),
    ...(tenantId === null ? lastOf(queue) : NOT_TOLD),
  };
}

const NOT_TOLD = { last_run_at: null, last_error_at: null, last_error_class: null } as const;

const lastOf = ({ last_run_at, last_error_at, last_error_class }: ListedQueue) => ({
  last_run_at: last_run_at ?? null,
  last_error_at: last_error_at ?? null,
  last_error_class: last_error_class ?? null,
});

async function recurringReport(db: Db): Promise<readonly RecurringReport[]> {
  const alarms = await db.collection<AlarmDocument>(ALARMS).find().sort({ name: 1 }).toArray();
  return alarms.map((alarm) => ({
    name: alarm.name,
    description: alarm.data?.description ?? '',
    every_seconds: Math.round((alarm.repeatInterval ?? 0) / 1_000),
    running: alarm.lockedAt !== null,
    last_run_at: alarm.lastRunAt ?? null,
    last_finished_at: alarm.lastFinishedAt ?? null,
    next_run_at: alarm.nextRunAt,
    failures: alarm.failCount ?? 0,
    last_error_at: alarm.failedAt ?? null,
    last_error_class: alarm.failReason ?? null,
  }));
}

/** A queue as any process may read of it, whether or not it works on it. */
interface ListedQueue extends LastRun {
  readonly _id: string;
  readonly description: string;
  readonly collection: string;
}

/** The queues of the deployment: where their rows are, when they last ran. */
export class QueueList {
  readonly #queues: Collection<ListedQueue>;

  constructor(db: Db) {
    this.#queues = db.collection<ListedQueue>('job_queues', {
      writeConcern: { w: 1 },
      readConcern: { level: 'local' },
    });
  }

  async enter<Row extends WorkRow>({ name, description, collection }: QueueSpec<Row>): Promise<void> {
    await this.#queues.updateOne({ _id: name }, { $set: { description, collection } }, { upsert: true });
  }

  async note(name: string, news: LastRun): Promise<void> {
    await this.#queues.updateOne({ _id: name }, { $set: news });
  }

  all(): Promise<readonly ListedQueue[]> {
    return this.#queues.find().sort({ _id: 1 }).toArray();
  }
}
