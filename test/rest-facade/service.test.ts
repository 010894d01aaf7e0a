import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { readContract } from '../../rest-facade/contract.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import type { Contract } from '../../shared/graph/validator.js';
import { envelope } from '../support/envelopes.js';
import { type Answer, freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService;
let contract: Contract;
let operator: Http;

beforeAll(async () => {
  service = await startWholeService();
  contract = await readContract(repositoryFile('rest-facade/contract.json'));
  operator = service.operator;
});
afterAll(() => service.stop());

/** Expects a 200 with a body that fits the declared schema of the route. */
function expectAnswer(answer: Answer, method: string, path: string): Answer['json'] {
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  const route = makeRoutes(contract.document).find((it) => it.method === method && it.path === path);
  expect(contract.compile(route?.response.schema ?? { not: {} })(answer.json)).toEqual([]);
  return answer.json;
}

function expectError(answer: Answer, status: number, code: string): Answer['json'] {
  expect([answer.status, answer.json?.code]).toEqual([status, code]);
  expect(answer.json.request_id).toBe(answer.headers.get('x-request-id'));
  return answer.json;
}

/** Heads of the partitions with the tenant's own events; its creation and its keys are in `_platform`. */
async function headsOf(http: Http): Promise<unknown[]> {
  const heads = (await http.get('/v1/ledger/partitions')).json.items as { source_system: string }[];
  return heads.filter(({ source_system }) => !source_system.startsWith('_'));
}

describe('events', () => {
  it('are accepted singly and in batches, and returned in their chain', async () => {
    const { http, tenantId } = await freshTenant(operator);
    const one = expectAnswer(await http.post('/v1/events', envelope(1)), 'POST', '/v1/events');
    expect(one).toMatchObject({ status: 'ACCEPTED', tenant_id: tenantId, sequence: 1 });
    const batch = expectAnswer(
      await http.post('/v1/events', { events: [envelope(1), envelope(2), envelope(3, { outcome: 5 })] }),
      'POST',
      '/v1/events',
    );
    expect(batch).toMatchObject({ accepted: 1, duplicated: 1, rejected: 1 });
    expect(batch.results[0]).toMatchObject({ status: 'DUPLICATE', event_id: one.event_id, sequence: 1 });
    expect(batch.results[1]).toMatchObject({ status: 'ACCEPTED', sequence: 2, prev_hash: one.entry_hash });
    expect(batch.results[2]).toMatchObject({ index: 2, status: 'REJECTED', error: { code: 'VALIDATION_ERROR' } });

    const event = expectAnswer(await http.get(`/v1/events/${one.event_id}`), 'GET', '/v1/events/{id}');
    expect(event).toMatchObject({ ...envelope(1), event_id: one.event_id, state: 'INCLUDED' });
    const page = expectAnswer(await http.get('/v1/events?limit=1&order=asc'), 'GET', '/v1/events');
    expect(page.items).toHaveLength(1);
    const rest = await http.get(`/v1/events?limit=1&order=asc&cursor=${page.next_cursor}`);
    expect(rest.json.items[0].event_id).not.toBe(page.items[0].event_id);
    const heads = expectAnswer(await http.get('/v1/ledger/partitions'), 'GET', '/v1/ledger/partitions');
    expect(await headsOf(http)).toMatchObject([{ source_system: 'um-core', sequence: 2 }]);
    expect(heads.items).toContainEqual(expect.objectContaining({ source_system: '_platform' }));
    const verdict = expectAnswer(await http.get('/v1/ledger/verify?source_system=um-core'), 'GET', '/v1/ledger/verify');
    expect(verdict).toMatchObject({ valid: true, checked: 2, breaks: [] });
  });

  it('omit in every answer the optional members that were not sent', async () => {
    const { http } = await freshTenant(operator);
    const { member_id: _m, outcome: _o, payload: _p, ...least } = envelope(1);
    const { event_id } = (await http.post('/v1/events', least)).json;
    for (const event of [
      (await http.get(`/v1/events/${event_id}`)).json,
      (await http.get('/v1/events')).json.items[0],
    ]) {
      for (const name of ['member_id', 'outcome', 'payload']) expect(event).not.toHaveProperty(name);
    }
  });

  it('are returned with their payload unchanged, odd names included', async () => {
    const { http } = await freshTenant(operator);
    // In the canonical order of RFC 8785, in which records are kept.
    const payload = '{"":"","$set":{"a.b":[1,null,{}]},"__proto__":{"x":null},"constructor":{"prototype":1},"n":-0.5}';
    const { payload: _, ...rest } = envelope(1);
    const sent = JSON.stringify(rest).replace('}', `,"payload":${payload}}`);
    const json = { 'content-type': 'application/json' };
    const { event_id } = expectAnswer(await http.post('/v1/events', sent, json), 'POST', '/v1/events');
    expect((await http.get(`/v1/events/${event_id}`)).text).toContain(`"payload":${payload}`);
    const verdict = await http.get('/v1/ledger/verify?source_system=um-core');
    expect(verdict.json).toMatchObject({ valid: true, checked: 1 });
  });

  it('can be validated without being stored', async () => {
    const { http } = await freshTenant(operator);
    const good = await http.post('/v1/events/validate', envelope(1));
    expect(expectAnswer(good, 'POST', '/v1/events/validate')).toMatchObject({ valid: true, errors: [] });
    const bad = (await http.post('/v1/events/validate', envelope(1, { source_system: '_custody' }))).json;
    expect(bad).toMatchObject({ valid: false, errors: [{ path: '/source_system' }] });
    expect((await http.get('/v1/events')).json.items).toEqual([]);
  });

  it('of a reserved source system or naming another tenant are rejected', async () => {
    const { http } = await freshTenant(operator);
    for (const name of ['_custody', '_x', 'ai-provenance']) {
      const answer = await http.post('/v1/events', envelope(1, { source_system: name }));
      expect(expectError(answer, 400, 'VALIDATION_ERROR').errors).toMatchObject([{ path: '/source_system' }]);
    }
    const batch = await http.post('/v1/events', [envelope(1, { tenant_id: 'someone-else' })]);
    expect(expectError(batch, 400, 'VALIDATION_ERROR').errors).toMatchObject([{ path: '/0/tenant_id' }]);
    expect(await headsOf(http)).toEqual([]);
  });

  it('of another tenant return the same bytes as missing events', async () => {
    const [mine, theirs] = [await freshTenant(operator), await freshTenant(operator)];
    const { event_id } = (await mine.http.post('/v1/events', envelope(1))).json;
    const headers = { 'x-request-id': 'same' };
    const foreign = await theirs.http.get(`/v1/events/${event_id}`, headers);
    const missing = await theirs.http.get('/v1/events/evt_01JQ0000000000000000000001', headers);
    expectError(foreign, 404, 'NOT_FOUND');
    expect(foreign.text).toBe(missing.text);
    expectError(await theirs.http.get(`/v1/events?tenant_id=${mine.tenantId}`), 403, 'TENANT_MISMATCH');
    const named = await operator.get(`/v1/events/${event_id}?tenant_id=${mine.tenantId}`);
    expect(named.json.event_id).toBe(event_id);
  });

  it('may repeat the tenant in the body of any route, which names it for an operator', async () => {
    const { http, tenantId } = await freshTenant(operator, ['admin']);
    const note = { action: 'NOTED', subject: { kind: 'EVENT', id: 'evt_01JQ0000000000000000000001' } };
    const unknown = { allow_unknown: true };
    expect((await http.post('/v1/custody', { ...note, ...unknown, tenant_id: tenantId })).json).toMatchObject(note);
    expect((await operator.post('/v1/custody', { ...note, ...unknown, tenant_id: tenantId })).json.tenant_id).toBe(
      tenantId,
    );
    expectError(await http.post('/v1/custody', { ...note, tenant_id: 'another' }), 403, 'TENANT_MISMATCH');
    const typed = await http.post('/v1/custody', { ...note, tenant_id: 7 });
    expect(expectError(typed, 400, 'VALIDATION_ERROR').errors).toMatchObject([{ path: '/tenant_id' }]);
  });

  it('are readable over GraphQL as over REST', async () => {
    const { http } = await freshTenant(operator, ['events:read', 'events:write', 'graph:query']);
    await http.post('/v1/events', envelope(1));
    const query = 'query Q($limit: Int) { events(limit: $limit) { items { source_record_id payload } next_cursor } }';
    const answer = await http.post('/graphql', { query, variables: { limit: 5 } });
    expect(answer.json.data.events.items).toMatchObject([
      { source_record_id: 'PA-1', payload: { program: 'Commercial' } },
    ]);
    const over = await http.post('/graphql', { query, variables: { limit: 501 } });
    expect(over.json.errors).toMatchObject([{ extensions: { code: 'VALIDATION_ERROR', status: 400 } }]);
  });
});

describe('raw messages', () => {
  const x12 = { 'content-type': 'application/edi-x12' };
  const file = (name: string) => readFile(repositoryFile(`app/demo/files/${name}`));

  it('become events, and add nothing when posted again', async () => {
    const { http } = await freshTenant(operator);
    const bytes = await file('claims-837p.edi');
    const first = expectAnswer(await http.post('/v1/ingest/raw', bytes, x12), 'POST', '/v1/ingest/raw');
    expect(first).toMatchObject({ format: 'x12', rejected: 0, duplicated: 0 });
    expect(first.accepted).toBeGreaterThan(0);
    const again = (await http.post('/v1/ingest/raw', bytes, x12)).json;
    expect(again).toMatchObject({ accepted: 0, duplicated: first.accepted });
    const wrapped = await http.post('/v1/ingest/raw', { format: 'X12', content_base64: bytes.toString('base64') });
    expect(wrapped.json).toMatchObject({ accepted: 0, duplicated: first.accepted });

    const kept = await http.get(`/v1/ingest/${first.ingest_id}`);
    expect(expectAnswer(kept, 'GET', '/v1/ingest/{ingest_id}')).toMatchObject({ accepted: first.accepted });
    const rows = await http.get(`/v1/ingest/${first.ingest_id}/results?limit=1`);
    expect(expectAnswer(rows, 'GET', '/v1/ingest/{ingest_id}/results').items).toHaveLength(1);
    expect((await http.get('/v1/ledger/verify')).json.valid).toBe(true);
  });

  it('that are truncated are parsed as far as possible, and the rest is reported', async () => {
    const { http } = await freshTenant(operator);
    const bytes = await file('claims-837p.edi');
    const cut = (await http.post('/v1/ingest/raw', bytes.subarray(0, Math.floor(bytes.length * 0.6)), x12)).json;
    expect(cut).toMatchObject({ accepted: 1, transactions: 1 });
    expect(cut.exceptions[0].detail).toMatchObject({ segment: 'NM1', segment_number: 31, message: expect.any(String) });
  });

  it('leave nothing behind when their sender disconnects during the upload', async () => {
    const { http } = await freshTenant(operator);
    const bytes = await file('claims-837p.edi');
    async function* broken(): AsyncGenerator<Buffer> {
      yield bytes.subarray(0, 500);
      throw new Error('the sender goes away');
    }
    const gone = fetch(`${operator.url}/v1/ingest/raw`, {
      method: 'POST',
      headers: { 'x-api-key': http.key ?? '', ...x12 },
      body: Readable.toWeb(Readable.from(broken())) as ReadableStream,
      duplex: 'half',
    } as RequestInit);
    await expect(gone).rejects.toThrow();
    expect((await http.get('/v1/events')).json.items).toEqual([]);
    expect(await headsOf(http)).toEqual([]);
  });

  it('of an unknown or undeclared format are rejected', async () => {
    const { http } = await freshTenant(operator);
    const text = { 'content-type': 'text/plain' };
    const neither = await http.post('/v1/ingest/raw', 'neither fish nor fowl', text);
    expectError(neither, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectError(
      await http.post('/v1/ingest/raw?format=fhir', await file('claims-837p.edi'), x12),
      400,
      'VALIDATION_ERROR',
    );
    expectError(
      await http.post('/v1/ingest/raw?format=morse', await file('claims-837p.edi'), x12),
      400,
      'VALIDATION_ERROR',
    );
  });

  it('are not visible to another tenant', async () => {
    const [mine, theirs] = [await freshTenant(operator), await freshTenant(operator)];
    const { ingest_id } = (await mine.http.post('/v1/ingest/raw', await file('claims-837p.edi'), x12)).json;
    for (const path of [`/v1/ingest/${ingest_id}`, `/v1/ingest/${ingest_id}/results`, '/v1/ingest/ing_none']) {
      expectError(await theirs.http.get(path), 404, 'NOT_FOUND');
    }
  });
});

describe('administration', () => {
  it('shows a key once, lists it without its secret, and revokes it for good', async () => {
    const { http, keyId, tenantId } = await freshTenant(operator, ['admin']);
    expect((await http.get('/v1/events')).status).toBe(200);
    const list = await http.get('/v1/api-keys');
    expect(expectAnswer(list, 'GET', '/v1/api-keys').items).toMatchObject([{ key_id: keyId, tenant_id: tenantId }]);
    expect(list.text).not.toContain(http.key ?? '');
    const ended = await operator.call(`/v1/api-keys/${keyId}`, { method: 'DELETE' });
    expect(expectAnswer(ended, 'DELETE', '/v1/api-keys/{id}')).toMatchObject({ key_id: keyId, status: 'REVOKED' });
    expectError(await http.get('/v1/events'), 401, 'UNAUTHENTICATED');
  });

  it('shows a tenant only its own record, and lets only operators create tenants', async () => {
    const { http, tenantId } = await freshTenant(operator, ['admin']);
    expectError(await http.post('/v1/tenants', { tenant_id: 'mine-too', name: 'x' }), 403, 'FORBIDDEN');
    expect(expectAnswer(await http.get('/v1/tenants'), 'GET', '/v1/tenants').items).toMatchObject([
      { tenant_id: tenantId },
    ]);
    expectAnswer(await http.get(`/v1/tenants/${tenantId}`), 'GET', '/v1/tenants/{id}');
    const other = await freshTenant(operator);
    expectError(await http.get(`/v1/tenants/${other.tenantId}`), 404, 'NOT_FOUND');
    const foreign = { tenant_id: other.tenantId, name: 'x', scopes: ['events:read'] };
    expectError(await http.post('/v1/api-keys', foreign), 403, 'TENANT_MISMATCH');
    expectError(await operator.post('/v1/tenants', { tenant_id: tenantId, name: 'again' }), 409, 'CONFLICT');
    expectError(await operator.get('/v1/events?tenant_id=nowhere'), 404, 'NOT_FOUND');
  });

  it('reports the service as healthy', async () => {
    expectAnswer(await operator.as(null).get('/v1/healthz'), 'GET', '/v1/healthz');
  });
});
