import type { Collection } from 'mongodb';
import type { Clock } from '../../../shared/clock/clock.js';
import type { Database } from '../../../shared/db/database.js';
import { type OpenJobs, openJobs } from '../../../shared/jobs/open-jobs.js';
import { dueAt, type Outcome, type QueueSpec, type WorkRow } from '../../../shared/jobs/work-queue.js';
import { ManualClock, RecordingDesk, recordingLogger, seededRandomness } from '../../support/fakes.js';

/** A synthetic kind of work. */
export interface Parcel extends WorkRow {
  readonly group: string;
  readonly status: 'WAITING' | 'SENT' | 'GIVEN_UP' | 'CANCELLED';
  readonly attempt: number;
  readonly handled_by: readonly string[];
}

export const PARCELS = 'parcels';

export interface Bench {
  readonly jobs: OpenJobs;
  readonly rows: Collection<Parcel>;
  readonly desk: RecordingDesk;
  readonly clock: Clock & { advance(ms: number): void };
  readonly lines: string[];
}

let seeds = 0;

/** One process's view of a database: its own owner, clock and log. */
export async function bench(
  database: Database,
  over: Partial<Parameters<typeof openJobs>[0]> = {},
  alone = true,
): Promise<Bench> {
  seeds += 1;
  const { logger, lines } = recordingLogger();
  const clock = new ManualClock();
  const desk = new RecordingDesk();
  const deps = { database, clock, logger, exceptions: desk, randomness: seededRandomness(seeds), ...over };
  const jobs = await openJobs(deps, { alone });
  return { jobs, rows: database.db.collection<Parcel>(PARCELS), desk, clock, lines };
}

export const parcel = (n: number, group: string, atMs: number): Parcel => ({
  _id: `${group}-${String(n).padStart(6, '0')}`,
  tenant_id: `tenant-of-${group}`,
  group,
  status: 'WAITING',
  attempt: 0,
  handled_by: [],
  ...dueAt(atMs),
});

export const sent: Outcome = { kind: 'done', change: { set: { status: 'SENT' }, inc: { attempt: 1 } } };

export const parcels = (over: Partial<QueueSpec<Parcel>> = {}): QueueSpec<Parcel> => ({
  name: 'parcel.send',
  description: 'Synthetic work.',
  collection: PARCELS,
  groupField: 'group',
  concurrency: 8,
  limits: { maxInFlight: 4 },
  handle: async () => sent,
  poison: () => ({ set: { status: 'GIVEN_UP' } }),
  ...over,
});

/** Polls until it holds. @throws after the deadline. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  deadlineMs = 150_000,
): Promise<void> {
  for (const end = Date.now() + deadlineMs; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`${what}: not within ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
