import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InjectOptions } from 'fastify';
import { ERROR_REGISTRY, type ErrorCode } from '../../shared/errors/registry.js';
import { envelope } from '../support/envelopes.js';
import { type FacadeKit, facadeKit, KEYS } from './facade-kit.js';
import { seen } from './stand-in-graph.js';

let kit: FacadeKit;
beforeAll(async () => {
  kit = await facadeKit();
});
afterAll(() => kit.close());

const SECRET = 'M-SECRET-9';
const JSON_TYPE = { 'content-type': 'application/json' };
const withKey = (key: string, more: Record<string, string> = {}) => ({ 'x-api-key': key, ...more });

const post = (url: string, body: unknown, headers: Record<string, string> = {}): InjectOptions => ({
  method: 'POST',
  url,
  headers: { ...withKey(KEYS.acme), ...JSON_TYPE, ...headers },
  payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
});
const get = (url: string, headers: Record<string, string> = withKey(KEYS.acme)): InjectOptions => ({
  method: 'GET',
  url,
  headers,
});

async function expectError(options: InjectOptions, code: ErrorCode, pointer?: string): Promise<void> {
  const answer = await kit.inject(options);
  const body = answer.json();
  expect({ status: answer.statusCode, code: body.code }).toEqual({ status: ERROR_REGISTRY[code].status, code });
  expect(body).toMatchObject({
    message: expect.any(String),
    status: answer.statusCode,
    request_id: answer.headers['x-request-id'],
    type: `urn:evidentiary-audit:problem:${code}`,
    title: ERROR_REGISTRY[code].title,
  });
  if (pointer !== undefined) {
    expect(body.errors).toContainEqual(expect.objectContaining({ path: pointer, code: expect.any(String) }));
  }
  expect(answer.body).not.toMatch(/SECRET|\.[jt]s:|node_modules|FST_|Mongo|Ajv/);
}

const sized = (bytes: number) => envelope(1, { payload: { text: 'x'.repeat(bytes) } });

describe('an unreadable body returns MALFORMED_BODY', () => {
  it.each<[string, string | Buffer]>([
    ['broken JSON', `{"member_id":"${SECRET}`],
    ['no body', ''],
    ['duplicate keys', `{"a":"${SECRET}","a":1}`],
    ['duplicate keys deep inside', `[{"payload":{"x":[{"a":1,"a":2}]}}]`],
    ['a lone surrogate', `{"a":"\\ud800 ${SECRET}"}`],
    ['a number that cannot be kept', '{"a":12345678901234567890}'],
    ['a number beyond a double', '{"a":1e999}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['nesting without end', `${'['.repeat(101)}${']'.repeat(101)}`],
    ['text behind the value', '{} {}'],
  ])('for %s', async (_, body) => {
    for (const url of ['/v1/events', '/v1/events/validate']) await expectError(post(url, body), 'MALFORMED_BODY');
  });

  it('for the whole batch when one envelope is unreadable', async () => {
    seen.args = {};
    const text = JSON.stringify([envelope(1), envelope(2)]).replace('}]', ',"outcome":1,"outcome":2}]');
    await expectError(post('/v1/events', text), 'MALFORMED_BODY');
    expect(seen.args).toEqual({});
  });
});

describe('an unsupported body returns UNSUPPORTED_MEDIA_TYPE', () => {
  it.each([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['nonsense', { 'content-type': 'nonsense' }],
    ['JSON in another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['compressed JSON', { 'content-encoding': 'gzip' }],
  ])('for %s', async (_, headers) => {
    await expectError(post('/v1/events', envelope(1), headers), 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('for a body without Content-Type', async () => {
    const options = { method: 'POST', url: '/v1/events', headers: withKey(KEYS.acme), payload: '{}' } as const;
    const answer = await kit.inject(options);
    expect(answer.json().code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('an invalid envelope returns VALIDATION_ERROR with its location', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown field', { extra: SECRET }, '/extra'],
    ['a missing field', { event_type: undefined }, '/event_type'],
    ['a wrong type', { outcome: 5 }, '/outcome'],
    ['null for an optional field', { member_id: null }, '/member_id'],
    ['a time without zone', { event_effective_timestamp: '2026-03-02T14:11:09' }, '/event_effective_timestamp'],
    ['an impossible time', { event_effective_timestamp: '2026-02-30T14:11:09Z' }, '/event_effective_timestamp'],
    ['a payload that is no object', { payload: [SECRET] }, '/payload'],
    ['a known payload key of a wrong type', { payload: { carc: [50] } }, '/payload/carc/0'],
  ])('for %s', async (_, over, pointer) => {
    await expectError(post('/v1/events', envelope(1, over)), 'VALIDATION_ERROR', pointer);
  });

  it.each([['text'], [5], [null], [true]])('for %j, which is no envelope', async (body) => {
    await expectError(post('/v1/events', JSON.stringify(body)), 'VALIDATION_ERROR');
  });

  it.each<[string, unknown, string]>([
    ['an empty array', [], ''],
    ['an empty events', { events: [] }, ''],
    ['events that is no array', { events: {} }, '/events'],
    ['members beside events', { events: [envelope(1)], other: 1 }, '/other'],
  ])('for %s', async (_, body, pointer) => {
    await expectError(post('/v1/events', body), 'VALIDATION_ERROR', pointer);
  });
});

describe('an oversized request returns PAYLOAD_TOO_LARGE and stores nothing', () => {
  it('for an envelope over 256 KiB', async () => {
    await expectError(post('/v1/events', sized(262_144)), 'PAYLOAD_TOO_LARGE');
    await expectError(post('/v1/events/validate', sized(262_144)), 'PAYLOAD_TOO_LARGE');
  });

  it('for a batch over 1,000 envelopes, and for one over 16 MiB', async () => {
    seen.args = {};
    await expectError(
      post(
        '/v1/events',
        Array.from({ length: 1_001 }, (_, n) => envelope(n)),
      ),
      'PAYLOAD_TOO_LARGE',
    );
    await expectError(post('/v1/events', Buffer.alloc(16_777_217, 0x20)), 'PAYLOAD_TOO_LARGE');
    expect(seen.args).toEqual({});
  });

  it('for the oversized item of a batch only', async () => {
    const answer = await kit.inject(post('/v1/events', [envelope(1), sized(262_144), envelope(3)]));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      accepted: 2,
      rejected: 1,
      results: [
        { status: 'ACCEPTED' },
        { status: 'REJECTED', error: { code: 'PAYLOAD_TOO_LARGE' } },
        { status: 'ACCEPTED' },
      ],
    });
  });

  it('for any other body over 1 MiB', async () => {
    const body = { tenant_id: 'new', name: 'x'.repeat(1_100_000) };
    await expectError(post('/v1/tenants', body, withKey(KEYS.operator)), 'PAYLOAD_TOO_LARGE');
  });
});

describe('an API key', () => {
  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['an unknown one', withKey('nobody')],
    ['an empty one', withKey('')],
    ['a bearer that is none', { authorization: 'Bearer' }],
    ['another scheme', { authorization: 'Basic a2V5LWFjbWU6' }],
    ['two that differ', { 'x-api-key': KEYS.acme, authorization: `Bearer ${KEYS.reader}` }],
  ])('returns UNAUTHENTICATED if it is %s', async (_, headers) => {
    await expectError(get('/v1/events', headers), 'UNAUTHENTICATED');
    const answer = await kit.inject(get('/v1/events', headers));
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it.each<[string, Record<string, string>]>([
    ['X-Api-Key', withKey(KEYS.acme)],
    ['Authorization: Bearer', { authorization: `Bearer ${KEYS.acme}` }],
    ['both, alike', { 'x-api-key': KEYS.acme, authorization: `bearer ${KEYS.acme}` }],
  ])('is accepted from %s', async (_, headers) => {
    expect((await kit.inject(get('/v1/events', headers))).statusCode).toBe(200);
  });

  it('without the scope returns FORBIDDEN before the body is read', async () => {
    await expectError(post('/v1/events', '{', withKey(KEYS.reader)), 'FORBIDDEN');
    await expectError(get('/v1/events', withKey(KEYS.writer)), 'FORBIDDEN');
    await expectError(get('/v1/tenants', withKey(KEYS.acme)), 'FORBIDDEN');
  });
});

describe('the tenant', () => {
  it('defaults to the key’s tenant, and may be named in header, query and body', async () => {
    const named = { 'x-tenant-id': 'acme' };
    const body = { events: [envelope(1, { tenant_id: 'acme' })], tenant_id: 'acme' };
    const answer = await kit.inject(post('/v1/events?tenant_id=acme', body, named));
    expect(answer.statusCode).toBe(200);
    expect(seen.context?.tenantId).toBe('acme');
  });

  it('of another key returns TENANT_MISMATCH, whether it exists or not', async () => {
    for (const tenant of ['other', 'nowhere', '_operator']) {
      await expectError(get(`/v1/events?tenant_id=${tenant}`), 'TENANT_MISMATCH');
      await expectError(get('/v1/events', withKey(KEYS.acme, { 'x-tenant-id': tenant })), 'TENANT_MISMATCH');
      await expectError(post('/v1/events', { events: [envelope(1)], tenant_id: tenant }), 'TENANT_MISMATCH');
    }
  });

  it('named twice with different values returns VALIDATION_ERROR', async () => {
    const headers = withKey(KEYS.operator, { 'x-tenant-id': 'acme' });
    await expectError(get('/v1/events?tenant_id=other', headers), 'VALIDATION_ERROR', '/tenant_id');
    await expectError(get('/v1/events?tenant_id=acme&tenant_id=acme'), 'VALIDATION_ERROR', '/tenant_id');
    await expectError(post('/v1/events', { events: [envelope(1)], tenant_id: 'other' }, headers), 'VALIDATION_ERROR');
  });

  it('must be named with an operator’s key, which may name any tenant', async () => {
    await expectError(get('/v1/events', withKey(KEYS.operator)), 'TENANT_REQUIRED');
    await expectError(post('/v1/events', envelope(1), withKey(KEYS.operator)), 'TENANT_REQUIRED');
    for (const tenant of ['acme', 'other']) {
      const answer = await kit.inject(get('/v1/events', withKey(KEYS.operator, { 'x-tenant-id': tenant })));
      expect(answer.statusCode).toBe(200);
      expect(seen.context?.tenantId).toBe(tenant);
    }
    const body = { events: [envelope(1)], tenant_id: 'other' };
    expect((await kit.inject(post('/v1/events', body, withKey(KEYS.operator)))).statusCode).toBe(200);
    expect(seen.context?.tenantId).toBe('other');
  });

  it('returns NOT_FOUND to an operator if it does not exist or is reserved', async () => {
    for (const tenant of ['nowhere', '_operator', 'a/b', 'x'.repeat(65)]) {
      await expectError(get('/v1/events', withKey(KEYS.operator, { 'x-tenant-id': tenant })), 'NOT_FOUND');
    }
  });

  it('returns TENANT_SUSPENDED to its keys and for its data while it is suspended', async () => {
    await expectError(get('/v1/events', withKey(KEYS.suspended)), 'TENANT_SUSPENDED');
    await expectError(get('/v1/events', withKey(KEYS.operator, { 'x-tenant-id': 'sleepy' })), 'TENANT_SUSPENDED');
    const managing = get('/v1/api-keys', withKey(KEYS.operator, { 'x-tenant-id': 'sleepy' }));
    expect((await kit.inject(managing)).statusCode).toBe(200);
  });
});

describe('a query string', () => {
  it.each([
    ['limit=0', '/limit'],
    ['limit=501', '/limit'],
    ['limit=ten', '/limit'],
    ['limit=', '/limit'],
    ['limit=1.5', '/limit'],
    ['limit=9007199254740993', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['order=up', '/order'],
    ['unknown=1', '/unknown'],
    ['__proto__=1', '/__proto__'],
  ])('returns VALIDATION_ERROR for %s', async (query, pointer) => {
    await expectError(get(`/v1/events?${query}`), 'VALIDATION_ERROR', pointer);
  });

  it('is parsed into its declared types', async () => {
    await kit.inject(get('/v1/events?limit=7&order=asc&member_id=5'));
    expect(seen.args).toMatchObject({ limit: 7, order: 'asc', member_id: '5' });
  });
});

describe('a path', () => {
  it.each(['/v1', '/v1/nothing', '/v1/events/', '/v2/events', '/v1/EVENTS', '/v1/events/%zz'])(
    '%s returns NOT_FOUND',
    async (url) => {
      await expectError(get(url), 'NOT_FOUND');
    },
  );

  it.each([
    ['DELETE', '/v1/events', 'GET, HEAD, POST'],
    ['GET', '/v1/events/validate', 'POST'],
    ['PUT', '/v1/api-keys/key_1', 'GET, HEAD, DELETE'],
    ['OPTIONS', '/v1/healthz', 'GET, HEAD'],
    ['POST', '/v1/openapi.json', 'GET, HEAD'],
  ] as const)('%s %s returns METHOD_NOT_ALLOWED with Allow: %s', async (method, url, allow) => {
    await expectError({ method, url }, 'METHOD_NOT_ALLOWED');
    expect((await kit.inject({ method, url })).headers.allow).toBe(allow);
  });

  it('of a missing record returns NOT_FOUND', async () => {
    await expectError(get('/v1/events/evt_none'), 'NOT_FOUND');
    await expectError(get(`/v1/events/${'x'.repeat(600)}`), 'NOT_FOUND');
    await expectError(get('/v1/events/%00'), 'NOT_FOUND');
  });
});

const posting = (framing: string): string =>
  `POST /v1/events HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEYS.writer}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;

describe('an invalid HTTP request', () => {
  it.each([
    ['a broken head', 'VALIDATION_ERROR', 'GET / HTTP/9.9\r\n\r\n'],
    [
      'headers without end',
      'VALIDATION_ERROR',
      `GET /v1/healthz HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
    ],
    ['a body longer than its Content-Length', 'MALFORMED_BODY', `${posting('Content-Length: 5')}[{"a":1}, ]]]`],
    ['a chunk without a length', 'MALFORMED_BODY', `${posting('Transfer-Encoding: chunked')}zz\r\n[]\r\n`],
  ])('with %s returns the error object and closes the connection', async (_, code, text) => {
    if (!kit.server.server.listening) await kit.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = kit.server.server.address() as AddressInfo;
    const answer = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => {
        received += chunk.toString();
      });
      socket.on('error', reject);
      socket.on('end', () => resolve(received));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ code, status: 400 });
  });
});

describe('an internal failure', () => {
  it('returns INTERNAL, and repeats no value in the answer or the log', async () => {
    await expectError(get('/v1/events/evt_crash'), 'INTERNAL');
    expect(kit.log()).toContain('a resolver failed unexpectedly');
    expect(kit.log()).not.toMatch(/SECRET|E11000/);
  });

  it('returns UNAVAILABLE with Retry-After while the database is unreachable', async () => {
    await expectError(get('/v1/events', withKey(KEYS.unreachable)), 'UNAVAILABLE');
    expect((await kit.inject(get('/v1/events', withKey(KEYS.unreachable)))).headers['retry-after']).toBe('1');
    expect(kit.log()).not.toMatch(/SECRET|10\.0\.0\.5/);
  });

  it('returns UNAVAILABLE with Retry-After while the service is unhealthy', async () => {
    kit.health.failing = true;
    await expectError(get('/v1/healthz', {}), 'UNAVAILABLE');
    expect((await kit.inject(get('/v1/healthz', {}))).headers['retry-after']).toBe('1');
    kit.health.failing = false;
  });
});

describe('an error of the database outside of the graph', () => {
  it.each([
    ['a full disk', 14_031, 503, 'UNAVAILABLE'],
    ['a primary that stepped down', 189, 503, 'UNAVAILABLE'],
    ['an unknown number', 4_711, 500, 'INTERNAL'],
  ])('returns the error object for %s, without the text of the database', async (_what, code, status, name) => {
    const failing = await facadeKit({}, { keys: { authenticate: () => Promise.reject(databaseError(code)) } });
    try {
      const answer = await failing.inject(get('/v1/events'));
      expect({ status: answer.statusCode, code: answer.json().code }).toEqual({ status, code: name });
      expect(answer.body).not.toContain(SECRET);
      expect(Number(answer.headers['retry-after'] ?? 0) > 0).toBe(status === 503);
    } finally {
      await failing.close();
    }
  });
});

const databaseError = (code: number): Error => Object.assign(new Error(SECRET), { name: 'MongoServerError', code });
