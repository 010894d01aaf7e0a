import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { redactionOf } from '../../support/records.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { appended, said } from '../analysis/analysis-kit.js';
import { graph, NPI_A } from './query-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_REDACTION_TWO_PEOPLE: 'false' });
});

afterAll(async () => service.stop());

const PROVIDERS = [{ role: 'billing', name: 'Riverside Clinic', npi: NPI_A }];
const EVENTS = [
  said('claim', {
    payload: {
      claim_id: 'C-1',
      amounts: { charge: '1250.5' },
      service_period: { from: '2026-03-02', to: 'March' },
      lines: [{ line: 1, procedure_code: '99213', charge: '125.00' }, 'no line'],
      providers: PROVIDERS,
      procedure_codes: ['99213'],
    },
  }),
  said('remittance', {
    event_family: 'Remittance',
    payload: {
      claim_id: 'C-1',
      carc: ['50'],
      amounts: { charge: 90, paid: '0.00' },
      adjustments: [{ group: 'CO', reason: '50', amount: '90.00', level: 'claim' }],
      payment: { date: '2026-03-20' },
    },
  }),
  said('authorization', {
    event_family: 'prior_authorization',
    payload: { authorization_number: 'A-1', review_actions: ['A3', 7, null], trace_numbers: 'T-1' },
  }),
  said('pharmacy', {
    event_family: 'pharmacy',
    payload: {
      prescription: { number: '0000123', days_supply: '30' },
      amounts: { total_paid: '55.70', patient_pay: '10.00' },
      reject_codes: ['75'],
    },
  }),
  said('clinical', {
    event_family: 'clinical',
    payload: { status: 'final', results: [{ code: '2345-7', name: 'Glucose', value: 83, unit: 'mg/dL' }] },
  }),
  said('letter', { event_family: 'letter', payload: { claim_id: 'C-1' } }),
  said('strange', { payload: { claim_id: ['C-1'], amounts: 'many', lines: { line: 1 }, providers: [[]] } }),
];

const QUERY = `query Q($purpose: String) {
  eventConnection(first: 50, purpose: $purpose) {
    nodes {
      source_record_id
      claim_payload {
        claim_id charge service_from service_to procedure_codes providers { role name npi }
        lines { line procedure_code charge }
      }
      remittance_payload { claim_id charge paid carc payment_date adjustments { group reason amount level line } }
      authorization_payload { authorization_number review_actions trace_numbers }
      pharmacy_payload { prescription_number days_supply total_paid patient_pay gross_due reject_codes medications { ndc } }
      clinical_payload { status results { code name value unit } }
    }
  }
}`;

/** The views that are not null, by source record. */
async function viewsOf(http: Http, purpose?: string): Promise<Readonly<Record<string, object>>> {
  const { nodes } = (await graph(http, QUERY, { purpose })).eventConnection;
  return Object.fromEntries(
    nodes.map(({ source_record_id, ...views }: { source_record_id: string }) => [
      source_record_id,
      Object.fromEntries(Object.entries(views).filter(([, view]) => view !== null)),
    ]),
  );
}

describe('the typed views of the payload', () => {
  it('show the payload of each kind of event, and null for values of another form', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    await appended(http, EVENTS);
    expect(await viewsOf(http)).toEqual({
      claim: {
        claim_payload: {
          claim_id: 'C-1',
          charge: '1250.50',
          service_from: '2026-03-02',
          service_to: null,
          procedure_codes: ['99213'],
          providers: PROVIDERS,
          lines: [{ line: '1', procedure_code: '99213', charge: '125.00' }],
        },
      },
      remittance: {
        remittance_payload: {
          claim_id: 'C-1',
          charge: '90.00',
          paid: '0.00',
          carc: ['50'],
          payment_date: '2026-03-20',
          adjustments: [{ group: 'CO', reason: '50', amount: '90.00', level: 'claim', line: null }],
        },
      },
      authorization: {
        authorization_payload: { authorization_number: 'A-1', review_actions: ['A3', '7'], trace_numbers: ['T-1'] },
      },
      pharmacy: {
        pharmacy_payload: {
          prescription_number: '0000123',
          days_supply: '30',
          total_paid: '55.70',
          patient_pay: '10.00',
          gross_due: null,
          reject_codes: ['75'],
          medications: [],
        },
      },
      clinical: {
        clinical_payload: {
          status: 'final',
          results: [{ code: '2345-7', name: 'Glucose', value: '83', unit: 'mg/dL' }],
        },
      },
      letter: {},
      strange: {
        claim_payload: {
          claim_id: null,
          charge: null,
          service_from: null,
          service_to: null,
          procedure_codes: [],
          providers: [],
          lines: [],
        },
      },
    });
  });

  it('hold no value that a redaction or consent hides from the payload', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    const ids = await appended(http, EVENTS);
    const hidden = ['/payload/claim_id', '/payload/lines'];
    const asked = { ...redactionOf({ kind: 'EVENT', id: ids['claim'] ?? '' }), pointers: hidden };
    const { redaction_id } = (await http.post('/v1/redactions', asked)).json;
    expect((await http.post(`/v1/redactions/${redaction_id}/apply`, {})).status).toBe(200);
    const keyOf = async (scopes: readonly string[]): Promise<Http> => {
      const made = await service.operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'reader', scopes });
      return service.operator.as(made.json.api_key);
    };
    expect((await viewsOf(await keyOf(['events:read', 'graph:query'])))['claim']).toMatchObject({
      claim_payload: { claim_id: null, lines: [], charge: '1250.50' },
    });
    const trusted = await keyOf(['events:read', 'graph:query', 'documents:unredacted']);
    expect((await viewsOf(trusted))['claim']).toMatchObject({ claim_payload: { claim_id: 'C-1' } });
    await http.post('/v1/consent', { member_id: 'M-1', decision: 'DENY', purpose: 'MARKETING' });
    expect(await viewsOf(http, 'MARKETING')).toEqual({});
  });
});
