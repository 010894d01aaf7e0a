// One worker on the compiled code, until it is killed or stopped. Arguments: database URI, database name, own name.
// It drains the same queue as the other worker. Each handling writes a mark to a collection before its outcome.

import { systemClock } from '../../../dist/shared/clock/clock.js';
import { connectDatabase } from '../../../dist/shared/db/database.js';
import { systemRandomness } from '../../../dist/shared/ids/ids.js';
import { openJobs } from '../../../dist/shared/jobs/open-jobs.js';
import { createLogger } from '../../../dist/shared/telemetry/logger.js';

const [uri, name, own] = process.argv.slice(2);
const database = await connectDatabase(uri, name);
const exceptions = {
  open: async (_tenant, exception) => {
    await database.db.collection('exceptions').insertOne({ ...exception });
  },
};
const jobs = await openJobs(
  { database, clock: systemClock, logger: createLogger('silent'), randomness: systemRandomness(), exceptions },
  { alone: false },
);
const marks = database.db.collection('marks');
await jobs.queue({
  name: 'parcel.send',
  description: 'Synthetic work.',
  collection: 'parcels',
  groupField: 'group',
  concurrency: 8,
  limits: { maxInFlight: 4 },
  leaseMs: 1_000,
  handle: async ({ _id, attempt }, lease) => {
    await marks.insertOne({ row: _id, token: lease.token, by: own });
    // Three attempts each, so that rows also pass from one process to the other between attempts.
    if (attempt < 2)
      return { kind: 'again', atMs: Date.now() + 20, change: { inc: { attempt: 1 }, push: { tokens: lease.token } } };
    return { kind: 'done', change: { set: { status: 'SENT' }, inc: { attempt: 1 }, push: { tokens: lease.token } } };
  },
  // A kill is no fault of the row's: it is claimed as often as it must be.
  retryThrownMs: () => 1,
  poison: () => ({ set: { status: 'GIVEN_UP' } }),
});
jobs.recurring({ name: 'test.tick', description: 'Ticks.', everyMs: 500, run: async () => {} });
const work = jobs.start();
process.stdout.write('ready\n');

// Nothing but what runs keeps the process alive after this: it ends by itself or not at all.
process.on('SIGTERM', async () => {
  await work.stop();
  await database.close();
  const left = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'Immediate');
  process.stdout.write(`left: ${left.join(' ')}\n`);
});
