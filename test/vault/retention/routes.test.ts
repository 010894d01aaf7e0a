import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../../support/envelopes.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const OLD = { event_effective_timestamp: '2010-03-02T14:11:09.123Z', event_family: 'claims' };

describe('retention of old records over HTTP', () => {
  it('disposes of an event of 2010 that was recorded today under a policy of six years, unless it is held', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const put = (body: unknown) => http.call('/v1/retention-policies', { method: 'PUT', body });
    const post = async (name: string, over: object = {}): Promise<string> =>
      (await http.post('/v1/events', envelope(name, { ...OLD, ...over }))).json.event_id;
    const statusOf = async (id: string) => (await http.get(`/v1/events/${id}`)).status;
    const old = await post('old');
    const held = await post('held');
    const unnamed = await post('unnamed', { event_family: 'appeals' });
    const hold = { name: 'Doe v. Acme', scope: { event_ids: [held] }, reason: 'Complaint served.' };
    const { hold_id } = (await http.post('/v1/legal-holds', hold)).json;

    expect((await http.get('/v1/retention-policies')).json.default_counts_from).toBe('LATER');
    expect((await http.post('/v1/retention/sweep', { dry_run: true })).json.events.past_age).toBe(0);
    await put({ policies: [{ event_family: 'claims', years: 6, counts_from: 'LATER' }] });
    expect((await http.post('/v1/retention/sweep', { dry_run: true })).json.events.past_age).toBe(0);
    const set = await put({ policies: [{ event_family: 'claims', years: 6 }] });
    expect(set.json.policies).toEqual([{ event_family: 'claims', years: 6, counts_from: 'EFFECTIVE' }]);

    const counts = { past_age: 2, disposed: 1, held: 1, damaged: 0 };
    expect((await http.post('/v1/retention/sweep', { dry_run: true })).json.events).toEqual(counts);
    expect(await statusOf(old)).toBe(200);
    expect((await http.get(`/v1/legal-holds/${hold_id}`)).json.counts.refused_deletions).toBe(0);
    const swept = await http.call('/v1/retention/sweep', { method: 'POST' });
    expect([swept.status, swept.json.dry_run, swept.json.events]).toEqual([200, false, counts]);

    const gone = await http.get(`/v1/events/${old}`);
    expect([gone.status, gone.json.code]).toEqual([410, 'DISPOSED']);
    for (const answer of [
      await http.get(`/v1/advocacy/explain/${old}`),
      await http.get(`/v1/advocacy/guideline/${old}`),
      await http.get(`/v1/advocacy/guideline/${old}?record=true&purpose=appeal_support`),
      await http.post(`/v1/advocacy/recode/${old}`, {}),
    ]) {
      expect([answer.status, answer.json.code]).toEqual([410, 'DISPOSED']);
    }
    expect([await statusOf(held), await statusOf(unnamed)]).toEqual([200, 200]);
    const { items } = (await http.get(`/v1/legal-holds/${hold_id}/tombstones`)).json;
    expect(items).toEqual([expect.objectContaining({ id: held })]);
    // The daily job leaves rules alone that were set today.
    expect(items[0].refused_deletions).toBe(1);
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
    const custody = await http.get(`/v1/custody?subject_kind=EVENT&subject_id=${old}`);
    expect(custody.json.items).toContainEqual(
      expect.objectContaining({
        action: 'DISPOSE',
        detail: expect.objectContaining({ stage: 'DISPOSED', policies: ['event_family:claims=6y/EFFECTIVE'] }),
      }),
    );
  });
});
