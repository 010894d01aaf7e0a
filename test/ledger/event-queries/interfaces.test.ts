import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { upload } from '../../vault/vault-kit.js';
import { said } from '../analysis/analysis-kit.js';
import { appendedAll, graph } from './query-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
});

afterAll(async () => service.stop());

const PARTS = `
fragment Entry on LedgerEntry { __typename id tenant_id sequence recorded_at prev_hash entry_hash }
fragment Revised on Record { __typename id tenant_id revision created_at updated_at allowed_actions }
fragment Named on Node { __typename id }`;

const QUERY = `query Q {
  eventConnection(first: 1) {
    nodes {
      ...Entry
      event_id
      member { ...Revised ...Named }
      documents { ...Revised document_id custody { ...Entry custody_id seq } }
      providers { ...Named }
      codes { ...Named }
    }
  }
}${PARTS}`;

const HASH = expect.stringMatching(/^[0-9a-f]{64}$/);
const TIME = expect.stringMatching(/^20\d\d-/);

describe('the interfaces of the graph', () => {
  it('show records of several subgraphs and entries of the ledger by the same fields', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    const name = { family: 'Inter', given: ['Ida'] };
    await http.post('/v1/members', { member_id: 'M-1', name, birth_date: '1970-01-01' });
    await appendedAll(http, [said('claim', { payload: { providers: [{ npi: '1234567893' }], carc: ['50'] } })]);
    const [{ event_id }] = (await http.get('/v1/events')).json.items;
    const { json: document } = await upload(http, 'letter', { title: 'letter', event_ids: [event_id] });

    const [event] = (await graph(http, QUERY)).eventConnection.nodes;
    const entry = { tenant_id: tenantId, recorded_at: TIME, prev_hash: HASH, entry_hash: HASH };
    const record = { tenant_id: tenantId, created_at: TIME, updated_at: TIME, allowed_actions: expect.any(Array) };
    expect(event).toMatchObject({ ...entry, __typename: 'EventRecord', id: event_id, sequence: 1 });
    expect(event.member).toEqual({ ...record, __typename: 'Member', id: 'member:M-1', revision: 1 });
    expect(event.documents).toMatchObject([{ ...record, __typename: 'Document', id: document.document_id }]);
    expect(event.providers).toEqual([{ __typename: 'Provider', id: 'provider:1234567893' }]);
    expect(event.codes).toContainEqual({ __typename: 'Code', id: 'code:carc/50' });
    const [act] = event.documents[0].custody;
    expect(act).toMatchObject({ ...entry, __typename: 'CustodyEntry', id: act.custody_id, sequence: act.seq });
  });

  it('are implemented by each type that has their fields, in whatever subgraph', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const typesOf = '{ possibleTypes { name } }';
    const found = await graph(
      http,
      `{ Record: __type(name: "Record") ${typesOf} LedgerEntry: __type(name: "LedgerEntry") ${typesOf} Node: __type(name: "Node") ${typesOf} }`,
    );
    const names = (type: string): string[] =>
      found[type].possibleTypes.map(({ name }: { name: string }) => name).sort();
    expect(names('LedgerEntry')).toEqual(['CustodyEntry', 'EventRecord']);
    expect(names('Record')).toEqual([
      'Appointment',
      'BundleLink',
      'CareTeamEntry',
      'Connector',
      'Consent',
      'CreatedBundleLink',
      'DataRight',
      'Document',
      'Exception',
      'HoldNotice',
      'Lead',
      'LegalHold',
      'LegalMatter',
      'Member',
      'Redaction',
      'SharedHoldNotice',
      'SourceFeed',
      'Webhook',
      'WebhookWithSecret',
    ]);
    expect(names('Node')).toEqual(
      expect.arrayContaining([...names('Record'), ...names('LedgerEntry'), 'Claim', 'Actor']),
    );
  });
});
