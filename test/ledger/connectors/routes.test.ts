import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { makeConnector, read } from './connectors-kit.js';

let service: WholeService;
let http: Http;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_DROP_DIR: '/dev/null/drops', SERVICE_CONNECTORS_PER_TENANT: '5' });
  ({ http } = await freshTenant(service.operator, ['admin']));
});

afterAll(() => service.stop());

const ENDPOINT = { kind: 'FHIR', config: { transport: 'ENDPOINT' } };
const post = (body: Readonly<Record<string, unknown>>) =>
  http.post('/v1/connectors', { name: 'A connector', source_system: 'north', ...body });

describe('/v1/connectors', () => {
  it('creates, returns, changes, enables, disables and deletes a connector, with a ledger entry per step', async () => {
    const made = await makeConnector(http, ENDPOINT);
    expect(made).toMatchObject({
      kind: 'FHIR',
      direction: 'INBOUND',
      status: 'DISABLED',
      allowed_actions: ['enable', 'update', 'delete'],
      secrets: [],
      listening: null,
      last_message_at: null,
      last_error: null,
      counters: { messages: 0, accepted: 0 },
      revision: 1,
    });
    const path = `/v1/connectors/${made.connector_id}`;
    const changed = await http.call(path, { method: 'PATCH', body: { name: 'Another name', revision: 1 } });
    expect(changed.json).toMatchObject({ name: 'Another name', revision: 2 });
    expect((await http.call(path, { method: 'PATCH', body: { name: 'x', revision: 1 } })).status).toBe(409);
    expect((await http.post(`${path}/enable`, {})).json.status).toBe('ENABLED');
    // What it is already changes nothing.
    expect((await http.post(`${path}/enable`, {})).json.revision).toBe(3);
    expect((await http.post(`${path}/disable`, {})).json.status).toBe('DISABLED');
    expect((await http.get('/v1/connectors?kind=FHIR')).json.items).toHaveLength(1);
    expect((await http.get('/v1/connectors?status=ENABLED')).json.items).toEqual([]);
    expect((await http.call(path, { method: 'DELETE' })).json.status).toBe('DELETED');
    expect((await http.get(path)).status).toBe(404);
    const entries = (await http.get('/v1/events?source_system=_records&order=asc')).json.items;
    expect(entries.map((entry: { event_type: string }) => entry.event_type)).toEqual([
      'connector.created',
      'connector.updated',
      'connector.enabled',
      'connector.disabled',
      'connector.deleted',
    ]);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a transport of another kind', { kind: 'X12', config: { transport: 'MLLP' } }, '/config/transport'],
    ['a folder outside', { kind: 'X12', config: { folder: '../other' } }, '/config/folder'],
    ['a folder of two steps', { kind: 'X12', config: { folder: 'a/b' } }, '/config/folder'],
    ['a member that is none', { kind: 'X12', config: { folder: 'a', path: '/etc' } }, '/config/path'],
    ['a port out of the range', { kind: 'HL7V2', config: { port: 80 } }, '/config/port'],
    ['a certificate without its key', { kind: 'HL7V2', config: { tls_certificate: 'x' } }, '/config/tls_private_key'],
    [
      'a certificate that is none',
      { kind: 'HL7V2', config: { tls_certificate: 'x', tls_private_key: 'y' } },
      '/config/tls_certificate',
    ],
    [
      'an address block that is none',
      { kind: 'HL7V2', config: { allowed_addresses: ['all'] } },
      '/config/allowed_addresses/0',
    ],
    [
      'a bearer without its token',
      {
        kind: 'FHIR',
        config: {
          transport: 'POLL',
          base_url: 'https://fhir.example/r4',
          resource_types: ['Claim'],
          authorization: 'BEARER',
        },
      },
      '/config/token',
    ],
    ['a reserved source system', { ...ENDPOINT, source_system: '_custody' }, '/source_system'],
  ])('rejects %s with its pointer', async (_what, body, path) => {
    const refused = await post(body);
    expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
    expect(refused.json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('returns CONFLICT for a second connector on one folder and beyond the limit of the tenant', async () => {
    const first = await makeConnector(http, { kind: 'X12', config: { folder: 'one' } });
    expect((await post({ kind: 'NCPDP', config: { folder: 'one' } })).json.code).toBe('CONFLICT');
    const tried = await http.post(`/v1/connectors/${first.connector_id}/test`, {});
    expect(tried.json).toMatchObject({ ok: false, checks: [{ name: 'folder', ok: false }] });
    for (let n = 0; n < 4; n += 1) await makeConnector(http, ENDPOINT);
    const over = await post(ENDPOINT);
    expect(over).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
    await http.call(`/v1/connectors/${first.connector_id}`, { method: 'DELETE' });
    expect((await post({ kind: 'NCPDP', config: { folder: 'one' } })).status).toBe(200);
  });

  it('hides connectors of other tenants and checks the scopes of keys', async () => {
    const { http: other, tenantId } = await freshTenant(service.operator, ['admin']);
    const { connector_id } = await makeConnector(other, ENDPOINT);
    for (const call of [
      () => http.get(`/v1/connectors/${connector_id}`),
      () => http.post(`/v1/connectors/${connector_id}/enable`, {}),
      () => http.post(`/v1/connectors/${connector_id}/test`, {}),
      () => http.call(`/v1/connectors/${connector_id}`, { method: 'DELETE' }),
    ]) {
      expect((await call()).json.code).toBe('NOT_FOUND');
    }
    expect((await read(other, connector_id)).status).toBe('DISABLED');
    const key = await service.operator.post('/v1/api-keys', {
      tenant_id: tenantId,
      name: 'reader',
      scopes: ['connectors:read'],
    });
    const reader = other.as(key.json.api_key);
    expect((await reader.get(`/v1/connectors/${connector_id}`)).status).toBe(200);
    expect((await reader.post(`/v1/connectors/${connector_id}/enable`, {})).json.code).toBe('FORBIDDEN');
  });
});
