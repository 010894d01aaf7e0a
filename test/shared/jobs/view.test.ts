import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { until } from './jobs-kit.js';

let service: WholeService;
let database: Database;

beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

/** A queue that another process of the deployment works on. */
async function foreignQueue(tenantIds: readonly string[]): Promise<void> {
  const { db } = database;
  await db.collection<{ _id: string }>('job_queues').insertOne({
    _id: 'foreign.work',
    description: 'Of another process.',
    collection: 'foreign_rows',
    last_error_class: 'RangeError',
  } as { _id: string });
  const due = new Date(Date.now() - 60_000);
  await db.collection('foreign_rows').insertMany(tenantIds.map((tenant_id) => ({ tenant_id, next_attempt_at: due })));
}

describe('GET /v1/jobs', () => {
  it('shows an operator the deployment, and a tenant its own rows', async () => {
    const one = await freshTenant(service.operator, ['admin']);
    const two = await freshTenant(service.operator, ['admin']);
    await foreignQueue([one.tenantId, two.tenantId, two.tenantId]);
    const foreign = async (http: typeof one.http, query = '') => {
      const { status, json } = await http.get(`/v1/jobs${query}`);
      expect(status).toBe(200);
      return { queue: json.queues.find(({ name }: { name: string }) => name === 'foreign.work'), json };
    };
    expect((await foreign(service.operator)).queue).toMatchObject({ due: 3, last_error_class: 'RangeError' });
    for (const seen of [await foreign(two.http), await foreign(service.operator, `?tenant_id=${two.tenantId}`)]) {
      expect(seen.queue).toMatchObject({ due: 2, scheduled: 0, running: 0, failed: 0, last_error_class: null });
      expect(seen.json.recurring).toEqual([]);
    }
    expect((await foreign(one.http)).queue).toMatchObject({ due: 1 });
  });

  it('shows an operator when recurring work ran', async () => {
    const recurring = async (): Promise<{ name: string; last_finished_at: string | null }[]> =>
      (await service.operator.get('/v1/jobs')).json.recurring;
    await until('both ran', async () => (await recurring()).filter((job) => job.last_finished_at !== null).length >= 2);
    expect((await recurring()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ledger.copy', 'ledger.tally']),
    );
  });

  it('returns 403 for a key without admin', async () => {
    const { http } = await freshTenant(service.operator, ['events:read']);
    expect((await http.get('/v1/jobs')).json).toMatchObject({ code: 'FORBIDDEN', status: 403 });
  });

  it('has figures that are metrics too, without a tenant in any label', async () => {
    const { text } = await service.operator.as(null).get('/metrics');
    expect(text).toContain('eas_job_rows_waiting{queue="foreign.work",state="due"} 3');
    expect(text).toMatch(/eas_job_oldest_due_seconds\{queue="foreign.work"\} \d/);
    expect(text).toContain('eas_job_recurring_failures{job="ledger.copy"} 0');
  });
});
