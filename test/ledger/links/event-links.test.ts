import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { delay } from '../../../shared/clock/timers.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// The route and the consumer in a whole service; test/ledger/links/links.test.ts covers the rules of links.

const DEADLINE_MS = 150_000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

async function posted(http: Http, event_family: string, event_type: string, payload: object): Promise<string> {
  const { event_id } = (await http.post('/v1/events', envelope(event_type, { event_family, event_type, payload })))
    .json;
  return event_id;
}

/** Its links once there are any: they follow the append. */
async function linksOf(http: Http, eventId: string) {
  const endMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const { items } = (await http.get(`/v1/events/${eventId}/links`)).json;
    if (items.length > 0 || performance.now() > endMs) return items;
    await delay(50);
  }
}

it('links a claim and its remittance after their appends, within their tenant', async () => {
  const { http } = await freshTenant(service.operator);
  const other = await freshTenant(service.operator);
  const claim = await posted(http, 'claim', 'claim_submitted', { claim_id: 'ACCT-1' });
  const remittance = await posted(http, 'remittance', 'claim_adjudicated', { claim_id: 'ACCT-1' });
  await posted(other.http, 'remittance', 'claim_adjudicated', { claim_id: 'ACCT-1' });
  expect(await linksOf(http, claim)).toEqual([
    { kind: 'ADJUDICATED_BY', event_id: remittance, event_type: 'claim_adjudicated', via: 'CLAIM' },
  ]);
  expect(await linksOf(http, remittance)).toMatchObject([{ kind: 'ADJUDICATES', event_id: claim }]);
  expect((await other.http.get(`/v1/events/${claim}/links`)).status).toBe(404);
});

it('requires events:read and an existing event', async () => {
  const writer = await freshTenant(service.operator, ['events:write']);
  const id = await posted(writer.http, 'claim', 'claim_submitted', { claim_id: 'ACCT-2' });
  expect((await writer.http.get(`/v1/events/${id}/links`)).json.code).toBe('FORBIDDEN');
  expect((await writer.http.as(null).get(`/v1/events/${id}/links`)).status).toBe(401);
  const reader = await freshTenant(service.operator);
  expect((await reader.http.get('/v1/events/evt_01JQ0000000000000000000001/links')).json.code).toBe('NOT_FOUND');
});
