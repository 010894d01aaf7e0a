import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../shared/jobs/jobs-kit.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant, type Http } from '../support/http.js';
import { type EdgeKit, edgeKit, keyed } from './edge-kit.js';

// What every answer has, whatever the route.

let kit: EdgeKit;
let operator: Http;

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start({ SERVICE_FAILED_LOGINS_PER_MINUTE: '3' })).operator;
});
afterAll(() => kit.stop());

const rateOf = (headers: Headers): (number | null)[] =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => {
    const value = headers.get(name);
    return value === null ? null : Number(value);
  });

describe('rate limits', () => {
  it('are reported in every answer to an authenticated request, rejections included, and in no open one', async () => {
    const { http } = await freshTenant(operator, ['events:read']);
    // Unknown paths, and methods that a path does not take, count like the rest.
    const paths = ['/v1/events', '/v1/events/evt_none', '/v1/api-keys', '/v1/events?nonsense=1', '/v1/no-such-thing'];
    const remaining: (number | null)[] = [];
    for (const path of paths) {
      const [limit, left] = rateOf((await http.get(path)).headers);
      expect(limit).toBe(6_000);
      remaining.push(left ?? null);
    }
    const [limit, left] = rateOf((await http.call('/v1/events', { method: 'DELETE' })).headers);
    expect([limit, left !== null]).toEqual([6_000, true]);
    expect(remaining.every((left) => left !== null && left >= 5_990)).toBe(true);
    for (const path of ['/v1/healthz', '/v1/healthz/ready', '/v1/openapi.json', '/metrics']) {
      expect(rateOf((await http.get(path)).headers)).toEqual([null, null, null]);
    }
  });

  it('reject with 429 and Retry-After before any work; a tenant may have its own limits', async () => {
    const { tenantId, http } = await freshTenant(operator, ['events:read', 'events:write']);
    const patched = await operator.call(`/v1/tenants/${tenantId}`, {
      method: 'PATCH',
      body: { rate_limit_per_minute: 5 },
    });
    expect(patched.status).toBe(200);
    // At once: on a busy machine the bucket gains a token while requests follow each other.
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => http.post('/v1/events', envelope(i), keyed())),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = answers.findLast(({ status }) => status === 429);
    expect(refused?.json).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(rateOf(refused?.headers ?? new Headers()).slice(0, 2)).toEqual([5, 0]);
    // Another tenant has its own bucket, and the operator counts for the tenant that it names.
    const other = await freshTenant(operator, ['events:read']);
    expect((await other.http.get('/v1/events')).status).toBe(200);
    expect((await operator.get(`/v1/events?tenant_id=${tenantId}`)).status).toBe(429);
    expect((await operator.get('/v1/tenants')).status).toBe(200);
    // A refusal keeps nothing: the same key does its work when there is room again.
    await operator.call(`/v1/tenants/${tenantId}`, { method: 'PATCH', body: { rate_limit_per_minute: 0 } });
    expect((await http.get('/v1/events')).json.items).toHaveLength(5);
  });

  it('reject an address after too many wrong keys, but not open routes or keys that it used before', async () => {
    const { url } = (await kit.start({ SERVICE_FAILED_LOGINS_PER_MINUTE: '3' })).operator;
    const stranger = operator.as(`eas_live_${'x'.repeat(61)}`);
    const at = (path: string) => fetch(`${url}${path}`, { headers: { 'x-api-key': stranger.key ?? '' } });
    const good = (key: string | null) => fetch(`${url}/v1/tenants`, { headers: { 'x-api-key': key ?? '' } });
    expect((await good(operator.key)).status).toBe(200);
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await at('/v1/events')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const refused = await at('/v1/events');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await at('/v1/healthz')).status).toBe(200);
    expect((await fetch(`${url}/v1/events`)).status).toBe(401);
    // A key that was good here before is not locked out by a stranger behind the same address.
    expect((await good(operator.key)).status).toBe(200);
  });
});

describe('entity tags', () => {
  it('are strong, cover single records and the API description, and return 304 for a known version', async () => {
    const { http } = await freshTenant(operator);
    const { event_id } = (await http.post('/v1/events', envelope(1))).json as { event_id: string };
    // Its place in the tree is given a moment after the answer, and is part of the record.
    const isPlaced = async () => (await http.get(`/v1/events/${event_id}`)).json.tree_index !== null;
    await until('a place in the tree', isPlaced);
    for (const path of [`/v1/events/${event_id}`, '/v1/openapi.json']) {
      const first = await http.get(path);
      const tag = first.headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[\w-]{22}"$/);
      for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await http.get(path, { 'if-none-match': sent });
        expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
      }
      expect((await http.get(path, { 'if-none-match': '"other"' })).text).toBe(first.text);
    }
    expect((await http.get('/v1/events')).headers.get('etag')).toBeNull();
    expect((await http.get('/v1/events/evt_none', { 'if-none-match': '*' })).status).toBe(404);
  });

  it('change with the record', async () => {
    const { tenantId } = await freshTenant(operator);
    const path = `/v1/tenants/${tenantId}`;
    const tag = (await operator.get(path)).headers.get('etag') ?? '';
    await operator.call(path, { method: 'PATCH', body: { name: 'Another name' } });
    expect((await operator.get(path, { 'if-none-match': tag })).status).toBe(200);
  });

  it('keep answers with data out of every cache', async () => {
    const { http } = await freshTenant(operator);
    expect((await http.get('/v1/events')).headers.get('cache-control')).toBe('private, no-store');
    expect((await http.post('/v1/events', envelope(1))).headers.get('cache-control')).toBe('private, no-store');
    expect((await http.get('/v1/openapi.json')).headers.get('cache-control')).toBe('public, no-cache');
  });
});

describe('HEAD', () => {
  it('returns the headers of GET without its body', async () => {
    const { http } = await freshTenant(operator);
    const { event_id } = (await http.post('/v1/events', envelope(1))).json as { event_id: string };
    const got = await http.get(`/v1/events/${event_id}`);
    const head = await http.call(`/v1/events/${event_id}`, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'etag']) {
      expect(head.headers.get(name)).toBe(got.headers.get(name));
    }
    expect((await http.call('/v1/events/evt_none', { method: 'HEAD' })).status).toBe(404);
  });
});

describe('problem details', () => {
  it.each(['application/problem+json', 'Application/Problem+JSON, application/json;q=0.5'])(
    'have their own media type for a client that accepts %s',
    async (accept) => {
      const answer = await operator.get('/v1/nowhere', { accept });
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      const { code, title, type, status, message, request_id } = answer.json as Record<string, unknown>;
      expect({ code, title, type, status, message }).toEqual({
        code: 'NOT_FOUND',
        title: 'Not found',
        type: 'urn:evidentiary-audit:problem:NOT_FOUND',
        status: 404,
        message: 'There is no such route.',
      });
      expect(request_id).toBe(answer.headers.get('x-request-id'));
    },
  );

  it('are plain JSON for every other client', async () => {
    expect((await operator.get('/v1/nowhere')).headers.get('content-type')).toContain('application/json');
  });
});

describe('traces', () => {
  it('continue with a span of the service, and appear in the log line', async () => {
    const { http } = await freshTenant(operator);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await http.get('/v1/events', { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    const found = (): string | undefined =>
      kit
        .log()
        .split('\n')
        .find((text) => text.includes(traceId));
    await until('the line of the request', () => found() !== undefined);
    const line = found() ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ trace_id: traceId, route: '/v1/events', status: 200, method: 'GET' });
    expect(JSON.parse(line).span_id).toMatch(/^(?!00f067aa0ba902b7)[0-9a-f]{16}$/);
  });
});

describe('readiness and metrics', () => {
  it('GET /v1/healthz/ready names its checks, and what holds the ledger to its history', async () => {
    const answer = await operator.as(null).get('/v1/healthz/ready');
    expect(answer).toMatchObject({ status: 200, json: { status: 'ok', checks: { database: { status: 'ok' } } } });
    expect(Object.keys(answer.json.checks)).toEqual(
      expect.arrayContaining(['lifecycle', 'database', 'worm', 'ledger', 'signer']),
    );
    expect(answer.json.checks.anchors.details).toMatchObject({
      verdict: 'VALID_UNANCHORED',
      unanchored: { since_size: 0, since: null },
    });
  });

  it('GET /metrics counts requests, ingest, keys and limits, and names no tenant', async () => {
    const { tenantId, http } = await freshTenant(operator);
    const headers = keyed();
    await http.post('/v1/events', envelope(1), headers);
    await http.post('/v1/events', envelope(1), headers);
    const answer = await operator.as(null).get('/metrics');
    expect(answer.headers.get('content-type')).toContain('text/plain');
    for (const pattern of [
      /^eas_http_requests_total\{area="events",route="\/v1\/events",method="POST",status="200"\} [1-9]/m,
      /^eas_http_request_duration_seconds_bucket\{le="0.001",area="events",method="POST"\} \d/m,
      /^eas_ingest_events_total\{kind="json",outcome="accepted"\} [1-9]/m,
      /^eas_idempotency_total\{outcome="replayed"\} [1-9]/m,
      /^# TYPE eas_rate_limited_total counter/m,
      /^eas_event_loop_lag_p99_seconds \d/m,
      /^eas_idempotency_running 0/m,
      /^eas_queue_depth\{queue="ledger_events"\} 0/m,
    ]) {
      expect(answer.text).toMatch(pattern);
    }
    expect(answer.text).not.toContain(tenantId);
  });

  it('GET /metrics answers only this machine and operators', async () => {
    const { http } = await freshTenant(operator, ['admin']);
    const forwarded = { 'x-forwarded-for': '203.0.113.7' };
    expect((await operator.as(null).get('/metrics', forwarded)).status).toBe(401);
    expect((await http.get('/metrics', forwarded)).status).toBe(403);
    expect((await operator.get('/metrics', forwarded)).status).toBe(200);
  });
});
