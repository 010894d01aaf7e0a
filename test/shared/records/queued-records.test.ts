import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RecordStore } from '../../../shared/records/record-store.js';
import { type RecordKind, RecordSteps, serviceTaker } from '../../../shared/records/steps.js';
import type { StepLine, SteppedRow } from '../../../shared/records/stored.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';
import { startTestServer, type TestServer } from '../../support/database.js';

type Status = 'WAITING' | 'DONE';
type Action = 'create' | 'finish' | 'repeat';

interface JobRow extends SteppedRow {
  readonly job_id: string;
  readonly result: string | null;
  readonly progress: number;
  readonly status: Status;
  readonly history: readonly StepLine<Status, Action>[];
}

const scope = 'leads:write' as const;
const KIND: RecordKind<JobRow, 'job_id'> = {
  machine: stateMachine<Status, Action>('job', [
    { from: null, action: 'create', to: 'WAITING', scope, emits: [] },
    { from: 'WAITING', action: 'finish', to: 'DONE', scope, emits: ['job.finished'] },
    { from: 'DONE', action: 'repeat', to: 'WAITING', scope, emits: [] },
  ]),
  idKind: 'lead',
  id: 'job_id',
  noun: 'job',
  family: 'job',
  payload: ({ job_id }, step) => ({ job_id, ...step }),
};

const JOB_ID = 'led_01JQ0000000000000000000001';
const JOBS = declareCollection('jobs_of_test');
const nowMs = 1_000;
const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
const taker = serviceTaker(
  ulidIds(() => nowMs, { fill: (target) => target.fill(7) }),
  'service:test',
);

let server: TestServer;
let database: Database;
let rows: RecordStore<JobRow>;

beforeAll(async () => {
  server = await startTestServer();
  database = await connectDatabase(server.uri);
  const options = {
    collection: JOBS,
    id: 'job_id',
    dueWhen: ({ status }: Pick<JobRow, 'status'>) => status === 'WAITING',
  } as const;
  rows = new RecordStore<JobRow>({ db: database.db, outbox: { relay: async () => {} } }, options, 'acme' as TenantId);
});

afterAll(async () => {
  await database.close();
  await server.stop();
});

const stored = () => database.db.collection<{ readonly _id: string }>(JOBS.name).findOne({ _id: JOB_ID });
describe('records that are rows of a queue', () => {
  it('are due when they are created, under the identifier that the caller fixes', async () => {
    const steps = new RecordSteps(KIND, { clock, taker, rows });
    const job = await steps.create(() => ({ result: null, progress: 0 }), { id: JOB_ID });
    expect(job).toMatchObject({ job_id: JOB_ID, status: 'WAITING' });
    expect(await stored()).toMatchObject({ next_attempt_at: new Date(nowMs), claims: 0 });
    expect(Object.keys((await rows.get(JOB_ID)) ?? {})).not.toContain('claims');
  });

  it('become due again, without their former holder, by a step that makes them wait', async () => {
    const jobs = database.db.collection<{ readonly _id: string }>(JOBS.name);
    await jobs.updateOne(
      { _id: JOB_ID },
      { $set: { status: 'DONE', lease_token: 'x' }, $unset: { next_attempt_at: '' } },
    );
    await new RecordSteps(KIND, { clock, taker, rows }).take(JOB_ID, 'repeat');
    const row = await stored();
    expect(row).toMatchObject({ status: 'WAITING', next_attempt_at: new Date(nowMs), claims: 0 });
    expect(row).not.toHaveProperty('lease_token');
  });
});
