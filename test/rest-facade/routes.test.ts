import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InjectOptions } from 'fastify';
import { itemSizes } from '../../rest-facade/routes/events/item-sizes.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { envelope } from '../support/envelopes.js';
import { type FacadeKit, facadeKit, KEYS } from './facade-kit.js';
import { seen } from './stand-in-graph.js';

let kit: FacadeKit;
beforeAll(async () => {
  kit = await facadeKit({ SERVICE_MAX_RAW_BYTES: '4096', SERVICE_MAX_RAW_JSON_BYTES: '2048' });
});
afterAll(() => kit.close());

const call = async (options: InjectOptions) => {
  const answer = await kit.inject({ ...options, headers: { 'x-api-key': KEYS.acme, ...options.headers } });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body, json: answer.json() };
};
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  call({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });

const RECEIPT = [
  'accepted_at',
  'entry_hash',
  'event_id',
  'prev_hash',
  'sequence',
  'source_system',
  'status',
  'tenant_id',
  'worm_sha256',
];

describe('POST /v1/events', () => {
  it('answers one envelope with its receipt', async () => {
    const { status, json } = await post('/v1/events', envelope(1));
    expect(status).toBe(200);
    expect(Object.keys(json).sort()).toEqual(RECEIPT);
    expect(json).toMatchObject({ status: 'ACCEPTED', tenant_id: 'acme', source_system: 'um-core', sequence: 1 });
  });

  it.each([
    ['an array of one', [envelope(1)]],
    ['{ events }', { events: [envelope(1)] }],
  ])('accepts %s as a batch', async (_, body) => {
    const { status, json } = await post('/v1/events', body);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      accepted: 1,
      duplicated: 0,
      rejected: 0,
      results: [{ index: 0, status: 'ACCEPTED' }],
    });
  });

  it('accepts the valid envelopes of a batch with invalid ones, null among them', async () => {
    const bad = envelope(2, { outcome: 7 });
    const { status, json } = await post('/v1/events', [envelope(1), bad, null, 'text', envelope(5)]);
    expect(status).toBe(200);
    expect(json.results.map((result: { status: string }) => result.status)).toEqual([
      'ACCEPTED',
      'REJECTED',
      'REJECTED',
      'REJECTED',
      'ACCEPTED',
    ]);
    expect(json.results[1]).toEqual({
      index: 1,
      status: 'REJECTED',
      error: {
        code: 'VALIDATION_ERROR',
        message: expect.any(String),
        errors: [{ path: '/outcome', code: 'type', message: expect.any(String) }],
      },
    });
  });

  it('returns the Error object with the members of a batch when it accepted no envelope', async () => {
    const { status, json } = await post('/v1/events', [envelope(1, { outcome: 7 }), {}]);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, accepted: 0, duplicated: 0, rejected: 2 });
    expect(json.results).toHaveLength(2);
    expect(json.errors).toContainEqual(expect.objectContaining({ path: '/0/outcome' }));
    expect(json.errors).toContainEqual(expect.objectContaining({ path: '/1/event_family' }));
  });

  it('passes every envelope on exactly as it was sent', async () => {
    const sent = '[{"b":1.0,"a":{"__proto__":{"x":null},"constructor":"c"},"member_id":" x "}]';
    await post('/v1/events', sent);
    expect(JSON.stringify((seen.args as { items: unknown }).items)).toBe(sent.replace('1.0', '1'));
  });
});

describe('the size of an item', () => {
  it.each<[string, number[]]>([
    ['[]', []],
    ['[{"a":1}]', [7]],
    ['[ {"a":1} , 22,"x" ]', [7, 2, 3]],
    ['{"tenant_id":"[,]","events":[{"a":"]}"},{"b":["\\"",[1,2]]}]}', [10, 18]],
    ['[["\\\\"],"\\\\\\"",null]', [6, 6, 4]],
    ['[{"é":"ü"}]', [11]],
  ])('in %s is counted in bytes as sent', (text, sizes) => {
    expect(itemSizes(Buffer.from(text))).toEqual(sizes);
  });
});

describe('an answer', () => {
  it('omits optional members without a value, and shows null where null is a value', async () => {
    const { json } = await call({ url: '/v1/events/evt_1' });
    expect(json).not.toHaveProperty('member_id');
    expect(json).not.toHaveProperty('outcome');
    expect(json).toMatchObject({ tree_index: null, payload: { kept: null } });
    const { json: page } = await call({ url: '/v1/events' });
    expect(page).toMatchObject({ items: [{ event_id: 'evt_1' }], next_cursor: null });
  });

  it('carries the request id: the sender’s if it is well-formed, otherwise a new one', async () => {
    const sent = await call({ url: '/v1/events', headers: { 'x-request-id': 'my.request_1-A' } });
    expect(sent.headers['x-request-id']).toBe('my.request_1-A');
    expect(seen.context?.requestId).toBe('my.request_1-A');
    for (const bad of ['a b', 'ü', 'x'.repeat(129), '"']) {
      const { headers } = await call({ url: '/v1/events', headers: { 'x-request-id': bad } });
      expect(headers['x-request-id']).toMatch(/^req_[0-9A-Z]{26}$/);
    }
    const lost = await call({ url: '/nowhere', headers: { 'x-request-id': 'lost-1' } });
    expect(lost.headers['x-request-id']).toBe('lost-1');
  });

  it('is a problem document for a client that accepts one', async () => {
    const { headers, json } = await call({ url: '/v1/events/none', headers: { accept: 'application/problem+json' } });
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(json).toMatchObject({ type: 'urn:evidentiary-audit:problem:NOT_FOUND', title: 'Not found', status: 404 });
  });

  it('continues the caller’s trace if it is well-formed', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await call({ url: '/v1/events', headers: { traceparent } });
    // The caller's trace and flags, with a span of ours.
    const passedOn = seen.context?.traceparent ?? '';
    expect(passedOn).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
    expect(passedOn).not.toBe(traceparent);
    await call({ url: '/v1/events', headers: { traceparent: 'nonsense' } });
    expect(seen.context?.traceparent).toBeNull();
  });

  it('writes one log line with the route’s pattern and no address', async () => {
    await call({ url: '/v1/events/evt_SECRET_77?tenant_id=acme', headers: { 'x-request-id': 'logged-1' } });
    const line = kit
      .log()
      .split('\n')
      .find((it) => it.includes('logged-1'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      tenant_id: 'acme',
      key_id: 'key_acme',
      method: 'GET',
      route: '/v1/events/:id',
      status: 404,
      code: 'NOT_FOUND',
      duration_ms: expect.any(Number),
    });
    expect(kit.log()).not.toContain('SECRET');
  });

  it('to HEAD equals that to GET without the body', async () => {
    const answer = await kit.inject({ method: 'HEAD', url: '/v1/events', headers: { 'x-api-key': KEYS.acme } });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe('');
  });
});

describe('POST /v1/ingest/raw', () => {
  const raw = (body: string | Buffer, type: string | undefined, query = '') =>
    call({
      method: 'POST',
      url: `/v1/ingest/raw${query}`,
      headers: type === undefined ? {} : { 'content-type': type },
      payload: body,
    });
  const stored = (bytes: string | Buffer) => kit.blobs.get(`acme/${sha256Hex(bytes)}`);

  it.each([
    'application/edi-x12',
    'application/EDI-X12; charset=us-ascii',
    'application/hl7-v2',
    'x-application/hl7-v2+er7',
    'application/fhir+json',
    'application/x-ndjson',
    'application/xml',
    'application/x-ncpdp',
    'application/octet-stream',
    'text/plain',
  ])('stores the bytes of %s first, and passes on their hash', async (type) => {
    const bytes = Buffer.from(`ISA*${type}\u0000\u00ff~`, 'latin1');
    const { status } = await raw(bytes, type, '?format=X12&source_system=clearing&strict=true');
    expect(status).toBe(200);
    expect(stored(bytes)).toEqual(bytes);
    expect(seen.args).toEqual({
      rawSha256: sha256Hex(bytes),
      format: 'X12',
      contentType: type,
      sourceSystem: 'clearing',
      strict: true,
    });
  });

  it('accepts the JSON wrapper, as text and as base64; the query overrides it', async () => {
    await post('/v1/ingest/raw', { format: 'hl7v2', content: 'MSH|\r\u001cü', source_system: 'wrapped' });
    expect(stored('MSH|\r\u001cü')).toBeDefined();
    expect(seen.args).toMatchObject({ format: 'hl7v2', sourceSystem: 'wrapped' });
    expect(seen.args['contentType'] ?? null).toBeNull();
    const bytes = Buffer.from([0, 255, 1]);
    await post('/v1/ingest/raw?format=x12', { format: 'hl7v2', content_base64: bytes.toString('base64') });
    expect(stored(bytes)).toEqual(bytes);
    expect(seen.args).toMatchObject({ format: 'x12' });
  });

  it('accepts a bare FHIR resource as application/json, with its bytes unchanged', async () => {
    const text = '{ "resourceType" : "Claim" }';
    await post('/v1/ingest/raw', text);
    expect(stored(text)?.toString()).toBe(text);
    expect(seen.args).toMatchObject({ contentType: 'application/json' });
  });

  it.each<[string, () => ReturnType<typeof raw>, number, string]>([
    ['an empty body', () => raw('', 'text/plain'), 400, 'MALFORMED_BODY'],
    ['no body and no type', () => raw('', undefined), 400, 'MALFORMED_BODY'],
    ['an empty JSON body', () => raw('', 'application/json'), 400, 'MALFORMED_BODY'],
    ['broken JSON', () => raw('{"content":', 'application/json'), 400, 'MALFORMED_BODY'],
    ['another type', () => raw('x', 'image/png'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a message over its limit', () => raw('x'.repeat(4_097), 'text/plain'), 413, 'PAYLOAD_TOO_LARGE'],
    [
      'wrapped content over its limit',
      () => post('/v1/ingest/raw', { content: 'x'.repeat(2_049) }),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['a wrapper without content', () => post('/v1/ingest/raw', { format: 'x12' }), 400, 'VALIDATION_ERROR'],
    [
      'a wrapper with both',
      () => post('/v1/ingest/raw', { content: 'x', content_base64: 'eA==' }),
      400,
      'VALIDATION_ERROR',
    ],
    ['bad base64', () => post('/v1/ingest/raw', { content_base64: 'eA=' }), 400, 'VALIDATION_ERROR'],
    ['an unknown member', () => post('/v1/ingest/raw', { content: 'x', other: 1 }), 400, 'VALIDATION_ERROR'],
    [
      'another tenant inside',
      () => post('/v1/ingest/raw', { content: 'x', tenant_id: 'other' }),
      400,
      'VALIDATION_ERROR',
    ],
    ['an unknown parameter', () => raw('x', 'text/plain', '?formt=x12'), 400, 'VALIDATION_ERROR'],
    ['a strict that is neither', () => raw('x', 'text/plain', '?strict=yes'), 400, 'VALIDATION_ERROR'],
  ])('rejects %s and stores nothing', async (_, send, status, code) => {
    kit.blobs.clear();
    const answer = await send();
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(kit.blobs.size).toBe(0);
  });

  it('checks key and scope before it reads a byte', async () => {
    kit.blobs.clear();
    const options = { method: 'POST', url: '/v1/ingest/raw', payload: 'x' } as const;
    const headers = { 'content-type': 'text/plain' };
    expect((await kit.inject({ ...options, headers })).statusCode).toBe(401);
    expect((await kit.inject({ ...options, headers: { ...headers, 'x-api-key': KEYS.reader } })).statusCode).toBe(403);
    expect(kit.blobs.size).toBe(0);
  });
});

describe('POST /graphql', () => {
  const graphql = (key: string, body: unknown) => post('/graphql', body, { 'x-api-key': key });

  it('answers an ad-hoc query under the key’s scopes', async () => {
    const { status, json } = await graphql(KEYS.analyst, { query: '{ event(event_id: "evt_1") { event_id } }' });
    expect([status, json]).toEqual([200, { data: { event: { event_id: 'evt_1' } } }]);
  });

  it('rejects an ad-hoc query without graph:query, and runs a trusted operation without it', async () => {
    const refused = await graphql(KEYS.reader, { query: '{ event(event_id: "evt_1") { event_id } }' });
    expect([refused.status, refused.json.code]).toEqual([403, 'FORBIDDEN']);
    const trusted = await graphql(KEYS.reader, { operationName: 'GetEvent', variables: { event_id: 'evt_1' } });
    expect(trusted.json.data.event.event_id).toBe('evt_1');
    const beyond = await graphql(KEYS.reader, { operationName: 'ListTenants' });
    expect(beyond.json.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('accepts only reads: changes need /v1', async () => {
    const query = 'mutation M { ingestEvents(items: []) { accepted } }';
    const own = await graphql(KEYS.operator, { query });
    const named = await graphql(KEYS.writer, { operationName: 'IngestEvents', variables: { items: [envelope(1)] } });
    for (const { status, json } of [own, named]) {
      expect([status, json.errors[0].extensions.code]).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  it('rejects a number literal that it cannot represent exactly', async () => {
    const query = '{ validateEvent(item: { a: 12345678901234567890 }) { valid } }';
    const { status, json } = await post('/graphql?tenant_id=acme', { query }, { 'x-api-key': KEYS.operator });
    expect([status, json.errors[0].extensions.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('masks internal failures', async () => {
    const { text } = await graphql(KEYS.analyst, { query: '{ event(event_id: "evt_crash") { event_id } }' });
    expect(text).toContain('INTERNAL');
    expect(text).not.toMatch(/SECRET|E11000/);
  });

  it('requires a key, and a body in the GraphQL form', async () => {
    expect((await kit.inject({ method: 'POST', url: '/graphql', payload: '{}' })).statusCode).toBe(401);
    expect((await graphql(KEYS.analyst, { query: 5 })).json.code).toBe('VALIDATION_ERROR');
    expect((await graphql(KEYS.analyst, {})).status).toBe(400);
    expect((await graphql(KEYS.analyst, { query: '{ nothing }' })).json.errors[0].extensions.code).toBe(
      'VALIDATION_ERROR',
    );
  });
});

describe('administration', () => {
  it('accepts tenant_id in the body as data, whatever the key’s own tenant', async () => {
    const made = await post('/v1/tenants', { tenant_id: 'new', name: 'New' }, { 'x-api-key': KEYS.operator });
    expect([made.status, made.json.tenant_id]).toEqual([200, 'new']);
    expect(seen.context?.tenantId).toBeNull();
    await post('/v1/api-keys', { tenant_id: 'new', name: 'k', scopes: ['admin'] }, { 'x-api-key': KEYS.admin });
    expect(seen.args).toMatchObject({ tenant_id: 'new' });
  });

  it('checks bodies against their contract', async () => {
    const { status, json } = await post('/v1/tenants', { tenant_id: '-', extra: 1 }, { 'x-api-key': KEYS.operator });
    expect(status).toBe(400);
    expect(json.errors.map((error: { path: string }) => error.path).sort()).toEqual(['/extra', '/name', '/tenant_id']);
  });

  it('serves health and the description without a key', async () => {
    const health = await kit.inject({ url: '/v1/healthz' });
    expect([health.statusCode, health.json()]).toEqual([200, { status: 'ok', checks: { database: { status: 'ok' } } }]);
    expect((await kit.inject({ url: '/v1/openapi.json' })).statusCode).toBe(200);
  });
});
