import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { redactionOf } from '../../support/records.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { appended, said } from '../analysis/analysis-kit.js';
import { graph, NPI_A, NPI_B } from './query-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_REDACTION_TWO_PEOPLE: 'false' });
});

afterAll(async () => service.stop());

const at = (day: number) => ({ event_effective_timestamp: `2026-03-0${day}T12:00:00.000Z` });
const EVENTS = [
  said('claim', {
    outcome: 'SUBMITTED',
    payload: { claim_id: 'C-1', npi: NPI_A, procedure_codes: ['99213'] },
    ...at(1),
  }),
  said('denial', { outcome: 'DENIED', payload: { claim_id: 'C-1', npi: NPI_A, carc: ['50'] }, ...at(2) }),
  said('other denial', { outcome: 'denied', member_id: 'M-2', payload: { npi: NPI_A, carc: ['50'] }, ...at(3) }),
  said('appeal', { event_family: 'appeal', outcome: 'DENIED', payload: { npi: NPI_A, carc: ['50'] }, ...at(4) }),
  said('remittance', {
    event_family: 'remittance',
    outcome: 'PAID',
    payload: { claim_id: 'C-1', npi: NPI_B, sensitivity: ['42CFR2'] },
    ...at(5),
  }),
];

const QUERY = `query Q($id: String!, $purpose: String) {
  event(event_id: $id) {
    providers { npi denials(purpose: $purpose) { source_record_id } }
    claims { claim_id events(purpose: $purpose) { source_record_id } remittances(purpose: $purpose) { source_record_id } }
    codes { system code denials(purpose: $purpose) { source_record_id } }
  }
}`;

const records = (...names: readonly string[]) => names.map((source_record_id) => ({ source_record_id }));
const eventOf = async (http: Http, id: string | undefined, purpose?: string) =>
  (await graph(http, QUERY, { id, purpose })).event;
const administrator = async (): Promise<Http> => (await freshTenant(service.operator, ['admin'])).http;

describe('what an event names', () => {
  it('leads to the denials of its providers and codes, and to the events and remittances of its claim', async () => {
    const http = await administrator();
    const ids = await appended(http, EVENTS);
    expect(await eventOf(http, ids['denial'])).toEqual({
      providers: [{ npi: NPI_A, denials: records('other denial', 'denial') }],
      claims: [
        {
          claim_id: 'C-1',
          events: records('remittance', 'denial', 'claim'),
          remittances: records('remittance'),
        },
      ],
      codes: [{ system: 'carc', code: '50', denials: records('other denial', 'denial') }],
    });
    const claim = await eventOf(http, ids['claim']);
    expect(claim.codes).toEqual([{ system: 'cpt', code: '99213', denials: [] }]);
  });

  it('leads to no event of another tenant that names the same', async () => {
    const http = await administrator();
    await appended(http, EVENTS);
    const other = await administrator();
    const [, denial] = EVENTS;
    const ids = await appended(other, denial === undefined ? [] : [denial]);
    expect(await eventOf(other, ids['denial'])).toEqual({
      providers: [{ npi: NPI_A, denials: records('denial') }],
      claims: [{ claim_id: 'C-1', events: records('denial'), remittances: [] }],
      codes: [{ system: 'carc', code: '50', denials: records('denial') }],
    });
  });

  it('leads to no event that consent withholds for a stated purpose', async () => {
    const http = await administrator();
    const ids = await appended(http, EVENTS);
    await http.post('/v1/consent', { member_id: 'M-2', decision: 'DENY', purpose: 'MARKETING' });
    const event = await eventOf(http, ids['denial'], 'MARKETING');
    expect(event.providers).toEqual([{ npi: NPI_A, denials: records('denial') }]);
    expect(event.claims).toEqual([{ claim_id: 'C-1', events: records('denial', 'claim'), remittances: [] }]);
  });

  it('is hidden, and leads to nothing, where a redaction hides it', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    const ids = await appended(http, EVENTS);
    const { redaction_id } = (
      await http.post('/v1/redactions', redactionOf({ kind: 'EVENT', id: ids['denial'] ?? '' }))
    ).json;
    expect((await http.post(`/v1/redactions/${redaction_id}/apply`, {})).status).toBe(200);
    const scopes = ['events:read', 'graph:query'];
    const made = await service.operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'reader', scopes });
    const reader = service.operator.as(made.json.api_key);
    expect(await eventOf(reader, ids['denial'])).toEqual({ providers: [], claims: [], codes: [] });
    const other = await eventOf(reader, ids['other denial']);
    expect(other.providers).toEqual([{ npi: NPI_A, denials: records('other denial') }]);
    expect(other.codes).toEqual([{ system: 'carc', code: '50', denials: records('other denial') }]);
  });
});

const ROOTS = `query Q($purpose: String) {
  provider(npi: "${NPI_A}", purpose: $purpose) { id npi denials(purpose: $purpose) { source_record_id } }
  claim(claim_id: "C-1", purpose: $purpose) { id claim_id remittances(purpose: $purpose) { source_record_id } }
  code(system: "carc", value: "CO-50", purpose: $purpose) { id system code denials(purpose: $purpose) { source_record_id } }
}`;

describe('provider, claim and code', () => {
  it('are found by what names them, with their edges, and are null for a tenant without such an event', async () => {
    const http = await administrator();
    await appended(http, EVENTS);
    expect(await graph(http, ROOTS)).toEqual({
      provider: { id: `provider:${NPI_A}`, npi: NPI_A, denials: records('other denial', 'denial') },
      claim: { id: 'claim:C-1', claim_id: 'C-1', remittances: records('remittance') },
      code: { id: 'code:carc/50', system: 'carc', code: '50', denials: records('other denial', 'denial') },
    });
    expect(await graph(await administrator(), ROOTS)).toEqual({ provider: null, claim: null, code: null });
  });

  it('are null where consent withholds each event that names them', async () => {
    const http = await administrator();
    await appended(http, EVENTS);
    for (const member_id of ['M-1', 'M-2']) {
      await http.post('/v1/consent', { member_id, decision: 'DENY', purpose: 'MARKETING' });
    }
    const found = await graph(http, ROOTS, { purpose: 'MARKETING' });
    expect(found).toEqual({ provider: null, claim: null, code: null });
  });

  it('reject a value that is none, with its place, and a key without events:read', async () => {
    const http = await administrator();
    const wrong = await http.post('/graphql', { query: '{ provider(npi: "1234567890") { npi } }' });
    expect(wrong.json.errors[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ path: '/npi' }] });
    const none = await http.post('/graphql', { query: '{ code(system: "none", value: "1") { code } }' });
    expect(none.json.errors[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ path: '/system' }] });
    const { http: other } = await freshTenant(service.operator, ['graph:query']);
    const refused = await other.post('/graphql', { query: ROOTS });
    expect(refused.json.errors[0].extensions).toMatchObject({ code: 'FORBIDDEN' });
  });
});
