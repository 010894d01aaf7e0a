import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, peopleOf } from '../../vault/redactions/redaction-kit.js';
import { appended, said } from '../analysis/analysis-kit.js';
import { appendedAll, graph, NPI_A, NPI_B } from './query-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
});

afterAll(async () => service.stop());

const QUERY = `query Q($by: [EventDimension!]!, $measures: [EventMeasure!], $filter: EventFilterInput, $purpose: String) {
  eventAggregate(by: $by, measures: $measures, filter: $filter, purpose: $purpose, limit: 50) {
    events
    cost
    truncated
    withheld { count }
    items { provider carc program family outcome month count sum_billed sum_paid overturn_rate days_to_decision }
  }
}`;

const aggregate = async (http: Http, variables: object) => (await graph(http, QUERY, variables)).eventAggregate;

/** The members of each group that are not null. */
const groups = ({ items }: { items: object[] }) =>
  items.map((item) => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)));

const at = (day: string) => ({ event_effective_timestamp: `2026-${day}T12:00:00.000Z` });
const claim = (id: string, outcome: string, payload: object, day = '03-10') =>
  said(id, { outcome, payload: { claim_id: id, ...payload }, ...at(day) });
const appeal = (id: string, of: string, outcome: string) =>
  said(id, {
    event_family: 'appeal',
    event_type: 'appeal_decided',
    outcome,
    payload: { claim_id: of },
    ...at('04-20'),
  });

// Of NPI_A in March: 100.00 and 250.50 billed, two denials, one of two appeals overturned. Of NPI_B: 30.00 in March, with
// NPI_A, and 5.25 in April.
const EVENTS = [
  claim('a-1', 'DENIED', { npi: NPI_A, carc: ['50'], amounts: { charge: '100.00', paid: '0' } }),
  claim('a-2', 'DENIED', { npi: NPI_A, carc: ['50', '97'], amounts: { charge: '250.50' } }),
  claim('ab', 'PAID', { providers: [{ npi: NPI_A }, { npi: NPI_B }], amounts: { charge: '30', paid: '24.75' } }),
  claim('b-1', 'DENIED', { npi: NPI_B, carc: ['97'], amounts: { charge: '5.25' } }, '04-02'),
  claim('nobody', 'PAID', {}, '04-02'),
  appeal('appeal-1', 'a-1', 'OVERTURNED'),
  appeal('appeal-2', 'a-2', 'UPHELD'),
];

describe('the field eventAggregate', () => {
  let http: Http;

  beforeAll(async () => {
    ({ http } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']));
    await appended(http, EVENTS);
  });

  it('counts events and sums amounts by provider and month, with an event of two providers in both', async () => {
    const found = await aggregate(http, {
      by: ['PROVIDER', 'MONTH'],
      measures: ['COUNT', 'SUM_BILLED', 'SUM_PAID'],
      filter: { event_family: { is: 'claim' } },
    });
    expect(groups(found)).toEqual([
      { provider: NPI_A, month: '2026-03', count: 3, sum_billed: '380.50', sum_paid: '24.75' },
      { provider: NPI_B, month: '2026-03', count: 1, sum_billed: '30.00', sum_paid: '24.75' },
      { provider: NPI_B, month: '2026-04', count: 1, sum_billed: '5.25' },
      { month: '2026-04', count: 1 },
    ]);
    expect(found).toMatchObject({ events: 5, cost: 5, truncated: false, withheld: null });
  });

  it('measures the share of appealed denials that were overturned', async () => {
    const found = await aggregate(http, {
      by: ['CARC'],
      measures: ['OVERTURN_RATE'],
      filter: { code: { system: 'carc' } },
    });
    expect(groups(found)).toEqual([
      { carc: '50', count: 2, overturn_rate: 0.5 },
      { carc: '97', count: 2, overturn_rate: 0 },
    ]);
  });

  it('makes one group without a dimension, and counts every event without a filter', async () => {
    expect(groups(await aggregate(http, { by: [] }))).toEqual([{ count: 7 }]);
    expect(groups(await aggregate(http, { by: ['FAMILY'] }))).toEqual([
      { family: 'claim', count: 5 },
      { family: 'appeal', count: 2 },
    ]);
    expect(groups(await aggregate(http, { by: [], filter: { program: { is: 'none' } } }))).toEqual([]);
  });

  it('measures the mean days from a request or claim to its decision', async () => {
    const { http: own } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']);
    const authorization = (id: string, event_type: string, day: string, payload: object, over: object = {}) =>
      said(id, { event_family: 'prior_authorization', event_type, payload, ...at(day), ...over });
    const ids = await appended(own, [
      authorization('request', 'authorization_requested', '03-01', { trace_numbers: ['T-1'] }),
      authorization('decision', 'authorization_decided', '03-04', { trace_numbers: ['T-1'] }, { outcome: 'approved' }),
      said('837', { event_type: 'claim_submitted', payload: { claim_id: 'C-1' }, ...at('03-05') }),
      said('835', {
        event_family: 'remittance',
        event_type: 'claim_paid',
        outcome: 'PAID',
        payload: { claim_id: 'C-1' },
        ...at('03-12'),
      }),
    ]);
    const linked = (id: string) => async () => (await own.get(`/v1/events/${ids[id]}/links`)).json.items.length > 0;
    for (const id of ['request', '837']) await eventually(linked(id), (isLinked) => isLinked);
    const measures = ['DAYS_TO_DECISION'];
    expect(groups(await aggregate(own, { by: ['FAMILY'], measures }))).toEqual([
      { family: 'prior_authorization', count: 2, days_to_decision: 3 },
      { family: 'claim', count: 1 },
      { family: 'remittance', count: 1, days_to_decision: 7 },
    ]);
    expect(groups(await aggregate(own, { by: [], measures }))).toEqual([{ count: 4, days_to_decision: 5 }]);
  });

  it('counts nothing of another tenant', async () => {
    const { http: other } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']);
    await appended(other, [claim('own', 'DENIED', { npi: NPI_A, amounts: { charge: '1' } })]);
    const measures = ['SUM_BILLED', 'OVERTURN_RATE'];
    for (const filter of [{}, { provider: { is: `npi:${NPI_A}` } }]) {
      expect(groups(await aggregate(other, { by: [], measures, filter }))).toEqual([{ count: 1, sum_billed: '1.00' }]);
    }
  });

  it('rejects a dimension that repeats, and a key without events:read', async () => {
    const ask = (as: Http, by: string) =>
      as.post('/graphql', { query: `{ eventAggregate(by: [${by}], limit: 1) { events } }` });
    expect((await ask(http, 'MONTH, MONTH')).json.errors[0].extensions.code).toBe('VALIDATION_ERROR');
    const { http: closed } = await freshTenant(service.operator, ['graph:query']);
    expect((await ask(closed, 'MONTH')).json.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('the limit of the field eventAggregate', () => {
  it('refuses an aggregate that examines too many events, and states its cost', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    await appendedAll(
      http,
      Array.from({ length: 2_010 }, (_, i) => said(`e-${i}`, { payload: { carc: ['50'] } })),
    );
    const carc = { code: { is: 'carc:50' } };
    const refused = async (variables: object) => {
      const { json } = await http.post('/graphql', { query: QUERY, variables: { by: [], ...variables } });
      return json.errors[0];
    };
    expect((await aggregate(http, { by: [], filter: carc })).cost).toBe(2_010);
    for (const filter of [carc, {}]) {
      const { message, extensions } = await refused({ filter, purpose: 'AUDIT' });
      expect(message).toContain('would cost');
      expect(message).toContain('10 each. The limit is 20000.');
      expect(extensions.errors).toMatchObject([{ path: '/filter', code: 'cost' }]);
    }
    const { message } = await refused({
      filter: carc,
      measures: ['DAYS_TO_DECISION', 'OVERTURN_RATE'],
      purpose: 'AUDIT',
    });
    expect(message).toContain('15 each');
  });
});

describe('the field eventAggregate and hidden content', () => {
  it('counts no value that a redaction hides', async () => {
    const all = await peopleOf(service.operator);
    const made = await service.operator.post('/v1/api-keys', {
      tenant_id: all.tenantId,
      name: 'analyst',
      scopes: ['events:read', 'graph:query'],
    });
    const analyst = service.operator.as(made.json.api_key);
    const ids = await appended(all.clerk, [
      claim('secret', 'DENIED', { carc: ['50'], amounts: { charge: '100' } }),
      claim('open', 'DENIED', { carc: ['50'], amounts: { charge: '7' } }),
    ]);
    await applied(all, {
      subject: { kind: 'EVENT', id: ids['secret'] },
      pointers: ['/payload/carc/0', '/payload/amounts/charge', '/outcome'],
    });
    for (const purpose of [undefined, 'AUDIT']) {
      const variables = { by: ['CARC', 'OUTCOME'], measures: ['SUM_BILLED'], purpose };
      expect(groups(await aggregate(analyst, { ...variables, filter: { event_family: { is: 'claim' } } }))).toEqual([
        { carc: '50', outcome: 'denied', count: 1, sum_billed: '7.00' },
        { count: 1 },
      ]);
    }
  });

  it('counts and measures nothing that consent withholds for a stated purpose', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const part2 = { sensitivity: ['42CFR2'] };
    await appended(http, [
      claim('c-1', 'DENIED', { amounts: { charge: '100' }, ...part2 }),
      claim('c-2', 'DENIED', { amounts: { charge: '7' } }),
      said('appeal', {
        event_family: 'appeal',
        event_type: 'appeal_decided',
        outcome: 'OVERTURNED',
        payload: { claim_id: 'c-2', ...part2 },
        ...at('04-20'),
      }),
    ]);
    const variables = { by: [], measures: ['SUM_BILLED', 'OVERTURN_RATE'], filter: { member_id: { is: 'M-1' } } };
    const open = await aggregate(http, { ...variables, purpose: 'MARKETING' });
    expect(groups(open)).toEqual([{ count: 1, sum_billed: '7.00' }]);
    expect(open).toMatchObject({ events: 1, withheld: { count: 2 } });
    expect(groups(await aggregate(http, variables))).toEqual([{ count: 3, sum_billed: '107.00', overturn_rate: 1 }]);
  });
});
