import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startService, type TestService } from 'evidentiary-audit-service/testing-kit';

let service: TestService;
beforeAll(async () => {
  service = await startService({ now: '2026-03-02T14:00:00.000Z', scopes: ['events:read', 'events:write'] });
}, 60_000);
afterAll(() => service?.stop());

it('records a denial in the ledger at the time that the source system sent', async () => {
  const denial = {
    event_family: 'utilization_management',
    event_type: 'prior_auth.denied',
    source_system: 'um-core',
    source_record_id: 'PA-1001',
    member_id: 'M-1001',
    event_effective_timestamp: '2026-03-02T13:59:00.000Z',
    outcome: 'DENIED',
  };
  const posted = await service.client.POST('/v1/events', { body: denial });
  expect(posted.response.status).toBe(200);

  service.clock?.advance(60_000);
  const found = await service.client.GET('/v1/events', { params: { query: { member_id: 'M-1001' } } });
  expect(found.data?.items).toMatchObject([{ ...denial, received_at: '2026-03-02T14:00:00.000Z' }]);
});

it('shows another tenant none of it', async () => {
  const other = await service.newTenant({ scopes: ['events:read'] });
  const found = await other.client.GET('/v1/events', { params: { query: { member_id: 'M-1001' } } });
  expect(found.data?.items).toEqual([]);
});
