import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, peopleOf } from '../../vault/redactions/redaction-kit.js';
import { appended, asked, records, said } from './analysis-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
});

afterAll(async () => service.stop());

const MARCH = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' };
const NPI_A = '1234567893';
const NPI_B = '1999999984';

const denied = (id: string, claim: string, payload: object = {}, over: object = {}) =>
  said(id, { outcome: 'DENIED', payload: { claim_id: claim, carc: ['50'], ...payload }, ...over });
const appeal = (id: string, claim: string, outcome: string, at = '2026-04-20T12:00:00.000Z') =>
  said(id, {
    event_family: 'appeal',
    event_type: 'appeal_decided',
    source_system: 'appeals',
    event_effective_timestamp: at,
    outcome,
    payload: { claim_id: claim },
  });

describe('the saved question deniedAndAppealed', () => {
  it('lists denials with CARC 50 in the span with their appeals, and says which were overturned', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    await appended(http, [
      denied('d1', 'C-1'),
      denied('d2', 'C-2', {}, { event_effective_timestamp: '2026-03-11T12:00:00.000Z', member_id: 'M-2' }),
      denied('not-appealed', 'C-3'),
      denied('other-code', 'C-4', { carc: ['97'], diagnosis_codes: ['M54.50'] }),
      denied('february', 'C-5', {}, { event_effective_timestamp: '2026-02-28T23:59:59.999Z' }),
      said('paid', { outcome: 'PAID', payload: { claim_id: 'C-6', carc: ['50'] } }),
      appeal('a1-filed', 'C-1', 'RECEIVED', '2026-04-01T12:00:00.000Z'),
      appeal('a1', 'C-1', 'OVERTURNED'),
      appeal('a2', 'C-2', 'UPHELD'),
      appeal('a4', 'C-4', 'OVERTURNED'),
      appeal('a5', 'C-5', 'OVERTURNED'),
      appeal('a6', 'C-6', 'OVERTURNED'),
    ]);
    const { appealedDenials } = await asked(http, 'deniedAndAppealed', MARCH);
    const rows = appealedDenials.items.map((item: { denial: never; appeals: never[]; overturned: boolean }) => [
      records([item.denial])[0],
      records(item.appeals),
      item.overturned,
    ]);
    expect(rows).toEqual([
      ['d2', ['a2'], false],
      ['d1', ['a1-filed', 'a1'], true],
    ]);
    expect(appealedDenials).toMatchObject({ from: '2026-03-01T00:00:00.000Z', truncated: false });
  });

  it('takes the last calendar month in UTC without a span', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const now = new Date();
    const at = (months: number, ms: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months) + ms).toISOString();
    const times = { before: at(-1, -1), first: at(-1, 0), last: at(0, -1), after: at(0, 0) };
    const denials = Object.entries(times).map(([id, time]) => denied(id, id, {}, { event_effective_timestamp: time }));
    await appended(http, [...denials, ...Object.keys(times).map((id) => appeal(`a-${id}`, id, 'UPHELD'))]);
    const { appealedDenials } = await asked(http, 'deniedAndAppealed');
    expect(records(appealedDenials.items.map(({ denial }: { denial: never }) => denial))).toEqual(['last', 'first']);
    expect([appealedDenials.from, appealedDenials.to]).toEqual([times.first, times.after]);
  });

  it('joins nothing by a claim or code that a redaction hides', async () => {
    const all = await peopleOf(service.operator);
    const key = await service.operator.post('/v1/api-keys', {
      tenant_id: all.tenantId,
      name: 'analyst',
      scopes: ['events:read', 'graph:query'],
    });
    const analyst = service.operator.as(key.json.api_key);
    const ids = await appended(all.clerk, [
      denied('hidden-claim', 'C-1'),
      denied('hidden-code', 'C-2'),
      denied('open', 'C-3', { rationale: 'Not needed.' }),
      ...['C-1', 'C-2', 'C-3'].map((claim) => appeal(`a-${claim}`, claim, 'OVERTURNED')),
    ]);
    const hide = (id: string, pointer: string) =>
      applied(all, { subject: { kind: 'EVENT', id: ids[id] }, pointers: [pointer] });
    await hide('hidden-claim', '/payload/claim_id');
    await hide('hidden-code', '/payload/carc/0');
    const { appealedDenials } = await asked(analyst, 'deniedAndAppealed', MARCH);
    expect(records(appealedDenials.items.map(({ denial }: { denial: never }) => denial))).toEqual(['open']);
  });
});

describe('the saved question denialsByProviderCodeProgramMonth', () => {
  it('counts denials, appeals and overturned appeals in each group', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const at = (provider: string, program: string) => ({ providers: [{ npi: provider }], program });
    await appended(http, [
      denied('1', 'C-1', at(NPI_A, 'Medicare')),
      denied('2', 'C-2', at(NPI_A, 'MEDICARE')),
      denied('3', 'C-3', at(NPI_A, 'Medicare')),
      denied('4', 'C-4', { ...at(NPI_B, 'Medicaid'), carc: ['50', '97'] }),
      denied('5', 'C-5', { carc: [] }, { event_effective_timestamp: '2026-02-10T12:00:00.000Z' }),
      appeal('a1', 'C-1', 'OVERTURNED'),
      appeal('a2', 'C-2', 'UPHELD'),
      appeal('denied-appeal', 'C-9', 'DENIED', '2026-03-12T12:00:00.000Z'),
    ]);
    const span = { from: '2026-02-01T00:00:00Z', to: '2026-04-01T00:00:00Z' };
    const { denialSummary } = await asked(http, 'denialsByProviderCodeProgramMonth', span);
    const none = { appealed: 0, overturned: 0, overturn_rate: null };
    expect(denialSummary).toMatchObject({ denials: 5, truncated: false });
    const group = { provider: NPI_A, code: '50', program: 'medicare', month: '2026-03' };
    expect(denialSummary.items).toEqual([
      { ...group, denials: 3, appealed: 2, overturned: 1, overturn_rate: 0.5 },
      { provider: NPI_B, code: '50', program: 'medicaid', month: '2026-03', denials: 1, ...none },
      { provider: NPI_B, code: '97', program: 'medicaid', month: '2026-03', denials: 1, ...none },
      { provider: null, code: null, program: null, month: '2026-02', denials: 1, ...none },
    ]);
  });
});

describe('the saved question unmatchedRemittances', () => {
  it('counts remittances without a claim by provider', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const remit = (id: string, payload: object, over: object = {}) =>
      said(id, { event_family: 'remittance', event_type: 'claim_paid', outcome: 'PAID', payload, ...over });
    const ids = await appended(http, [
      said('claim-1', { event_type: 'claim_submitted', payload: { claim_id: 'C-1', payer_claim_id: 'P-1' } }),
      said('status-2', { event_type: 'claim_status_reported', payload: { claim_id: 'C-2' } }),
      remit('matched', { claim_id: 'C-1', provider: { npi: NPI_A } }),
      remit('by-payer', { claim_id: 'C-8', payer_claim_id: 'P-1', provider: { npi: NPI_A } }),
      remit('only-status', { claim_id: 'C-2', provider: { npi: NPI_A } }),
      remit('unknown-1', { claim_id: 'C-3', provider: { npi: NPI_B } }),
      remit('unknown-2', { provider: { npi: NPI_B } }, { event_effective_timestamp: '2026-03-12T12:00:00.000Z' }),
      remit('nobody', { claim_id: 'C-4' }),
    ]);
    const isLinked = async () => (await http.get(`/v1/events/${ids['by-payer']}/links`)).json.items.length > 0;
    await eventually(isLinked, (linked) => linked);
    const { unmatchedRemittances } = await asked(http, 'unmatchedRemittances');
    expect(unmatchedRemittances).toMatchObject({ remittances: 4, truncated: false });
    const at = '2026-03-10T12:00:00.000Z';
    expect(unmatchedRemittances.items).toEqual([
      {
        provider: NPI_B,
        remittances: 2,
        oldest_at: at,
        newest_at: '2026-03-12T12:00:00.000Z',
        event_ids: [ids['unknown-2'], ids['unknown-1']],
      },
      { provider: null, remittances: 1, oldest_at: at, newest_at: at, event_ids: [ids['nobody']] },
      { provider: NPI_A, remittances: 1, oldest_at: at, newest_at: at, event_ids: [ids['only-status']] },
    ]);
  });
});

describe('the saved question claimConversation', () => {
  const day = (n: number) => ({ event_effective_timestamp: `2026-03-0${n}T12:00:00.000Z` });
  const EVENTS = [
    said('278-request', {
      event_family: 'prior_authorization',
      event_type: 'authorization_requested',
      payload: { trace_numbers: ['T-1'] },
      ...day(1),
    }),
    said('278-response', {
      event_family: 'prior_authorization',
      event_type: 'authorization_decided',
      outcome: 'approved',
      payload: { trace_numbers: ['T-1'], authorization_number: 'AUTH-1' },
      ...day(2),
    }),
    said('837', {
      event_type: 'claim_submitted',
      payload: { claim_id: 'C-1', prior_authorizations: ['AUTH-1'] },
      ...day(3),
    }),
    said('277', { event_type: 'claim_status_reported', payload: { claim_id: 'C-1' }, ...day(4) }),
    said('835', {
      event_family: 'remittance',
      event_type: 'claim_denied',
      outcome: 'denied',
      payload: { claim_id: 'C-1', carc: ['50'] },
      ...day(5),
    }),
    said('appeal', { event_family: 'appeal', event_type: 'appeal_filed', payload: { claim_id: 'C-1' }, ...day(6) }),
    said('other-claim', {
      event_type: 'claim_submitted',
      payload: { claim_id: 'C-2', prior_authorizations: ['AUTH-1'] },
      ...day(7),
    }),
    said('unrelated', { payload: { claim_id: 'C-10' } }),
  ];

  it('lists authorization, claim, status, remittance and appeal in order, without another claim', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const ids = await appended(http, EVENTS);
    const isLinked = async () => (await http.get(`/v1/events/${ids['278-request']}/links`)).json.items.length > 0;
    await eventually(isLinked, (linked) => linked);
    const look = async () => (await asked(http, 'claimConversation', { claim: 'C-1' })).claimConversation;
    const found = await eventually(look, ({ events }) => events.length === 6);
    expect(records(found.events)).toEqual(['278-request', '278-response', '837', '277', '835', 'appeal']);
    const name = (id: string) => Object.keys(ids).find((key) => ids[key] === id);
    const links = found.links.map((link: { from: string; kind: string; to: string }) =>
      [name(link.from), link.kind, name(link.to)].join(' '),
    );
    expect(links.sort()).toEqual([
      '277 REPORTS_ON 837',
      '278-response ANSWERS 278-request',
      '835 ADJUDICATES 837',
      '837 AUTHORIZED_BY 278-response',
    ]);
  });

  it("shows nothing of another tenant's claim", async () => {
    const { http: a } = await freshTenant(service.operator, ['admin']);
    const { http: b } = await freshTenant(service.operator, ['admin']);
    await appended(a, EVENTS);
    await appended(b, [said('own', { payload: { claim_id: 'C-2' } })]);
    const { claimConversation } = await asked(b, 'claimConversation', { claim: 'C-1' });
    expect(claimConversation).toMatchObject({ events: [], links: [] });
    expect((await asked(b, 'denialsByProviderCodeProgramMonth', MARCH)).denialSummary.denials).toBe(0);
    expect((await asked(b, 'unmatchedRemittances')).unmatchedRemittances.remittances).toBe(0);
    expect((await asked(b, 'withinTwoHops', { member_id: 'M-1' })).memberNeighborhood?.nodes.length ?? 0).toBeLessThan(
      5,
    );
  });
});
