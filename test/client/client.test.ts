import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BundleFailedError,
  BundleTimeoutError,
  createApiClient,
  ingestRaw,
  isApiError,
  paginate,
  unwrap,
  waitForSealed,
} from '../../client/index.js';
import { eventOf } from '../bundles/bundles-kit.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { freshCaller, notedWaits, throughFaults } from './client-kit.js';

const MESSAGE = 'MSH|^~\\&|LAB|X|EAS|Y|20260302141109||ADT^A01|42|P|2.5\rPID|1||M-77^^^X^MR||Doe^J\r';
const EVENTS = /^POST \/v1\/events/;
const LISTS = /^GET \/v1\/events/;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

describe('ingestRaw', () => {
  it('sends raw messages as they are, text and bytes', async () => {
    const { client } = await freshCaller(service);
    const sent = await ingestRaw(client, MESSAGE, { sourceSystem: 'lab' });
    expect(sent).toMatchObject({ format: 'hl7v2', accepted: 1 });
    const again = await ingestRaw(client, new TextEncoder().encode(MESSAGE), { sourceSystem: 'lab', format: 'hl7v2' });
    expect(again).toMatchObject({ accepted: 0, duplicated: 1 });
  });

  it('throws the first fault, with the report, for a message of which nothing is readable', async () => {
    const { client } = await freshCaller(service);
    await expect(ingestRaw(client, 'ISA*00*', { sourceSystem: 'claims' })).rejects.toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^ISA_UNREADABLE: /),
      body: { rejected: 1, results: [{ position: { segment_number: 1 } }] },
    });
  });
});

describe('paginate', () => {
  it('yields each item of a list once, over all pages', async () => {
    const { client } = await freshCaller(service);
    const events = Array.from({ length: 7 }, (_, n) => eventOf('M-1', n));
    await unwrap(client.POST('/v1/events', { body: { events } }));
    const found: unknown[] = [];
    for await (const event of paginate(client, '/v1/events', { query: { member_id: 'M-1', limit: 2 } })) {
      found.push(event.source_record_id);
    }
    expect(found.sort()).toEqual(events.map((event) => event.source_record_id).sort());
  });

  it('throws the error of a list that the key may not read', async () => {
    const stranger = createApiClient({ baseUrl: service.operator.url, apiKey: 'eas_live_unknown' });
    await expect(paginate(stranger, '/v1/bundles').next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

describe('an error of the service', () => {
  it('is an ApiError with code, status, request id and faults', async () => {
    const { client } = await freshCaller(service);
    const refused = unwrap(client.POST('/v1/events', { body: { events: [{}] } as never }));
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(isApiError(error, 'VALIDATION_ERROR')).toBe(true);
    expect(isApiError(error, 'NOT_FOUND')).toBe(false);
    expect(error).toMatchObject({ status: 400, requestId: expect.stringMatching(/./) });
    expect(isApiError(error) && error.faults.length).toBeGreaterThan(0);
  });

  it('has the code of its status where a proxy answers', async () => {
    const { http } = await freshCaller(service);
    const { client, proxy } = await throughFaults(http, LISTS, Array(4).fill({ kind: 'answer', status: 503 }));
    await expect(unwrap(client.GET('/v1/events'))).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'not now' });
    await proxy.close();
  });
});

describe('retries', () => {
  it('repeat a POST after a lost answer under one Idempotency-Key, and the event is recorded once', async () => {
    const { http } = await freshCaller(service);
    const faults = [{ kind: 'lost' }, { kind: 'cut', afterBytes: 10 }, { kind: 'answer', status: 503 }] as const;
    const { client, proxy, waits } = await throughFaults(http, EVENTS, faults);
    const answer = await unwrap(client.POST('/v1/events', { body: { events: [eventOf('M-2', 1)] } }));
    expect(answer).toMatchObject({ results: [{ status: 'ACCEPTED' }] });
    const keys = proxy.seen.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size, waits.length]).toEqual([4, 1, 3]);
    expect((await http.get('/v1/events?member_id=M-2')).json.items).toHaveLength(1);
    await proxy.close();
  });

  it('use the Idempotency-Key that the caller gives', async () => {
    const { http } = await freshCaller(service);
    const { client, proxy } = await throughFaults(http, /ingest/, [{ kind: 'answer', status: 429 }]);
    const idempotencyKey = '01JQ3ZK5V0000000000000000A';
    await ingestRaw(client, MESSAGE, { sourceSystem: 'lab', idempotencyKey });
    expect(proxy.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([idempotencyKey, idempotencyKey]);
    await proxy.close();
  });

  it('wait as long as Retry-After says', async () => {
    const { http } = await freshCaller(service);
    const told = [{ kind: 'answer', status: 429, retryAfterSeconds: 7 }] as const;
    const { client, proxy, waits } = await throughFaults(http, LISTS, told);
    await unwrap(client.GET('/v1/events'));
    expect(waits).toEqual([7_000]);
    await proxy.close();
  });

  it('end at a Retry-After that is longer than maxWaitMs', async () => {
    const { http } = await freshCaller(service);
    const told = [{ kind: 'answer', status: 429, retryAfterSeconds: 3_600 }] as const;
    const { client, proxy } = await throughFaults(http, LISTS, told);
    const refused = unwrap(client.GET('/v1/events'));
    await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 3_600 });
    await proxy.close();
  });

  it('end after four attempts', async () => {
    const { http } = await freshCaller(service);
    const { client, proxy } = await throughFaults(http, LISTS, Array(9).fill({ kind: 'lost' }));
    await expect(client.GET('/v1/events')).rejects.toThrow();
    expect(proxy.seen).toHaveLength(4);
    await proxy.close();
  });

  it.each(['PATCH', 'DELETE', 'PUT'] as const)('never repeat a %s', async (method) => {
    const { http } = await freshCaller(service);
    const { client, proxy, waits } = await throughFaults(http, /./, [{ kind: 'answer', status: 503 }]);
    const { response } = await client.request(
      method.toLowerCase() as never,
      '/v1/legal-matters/x' as never,
      {
        body: {},
      } as never,
    );
    expect([response.status, proxy.seen.length, waits]).toEqual([503, 1, []]);
    await proxy.close();
  });

  it('end at once when the caller aborts', async () => {
    const { http } = await freshCaller(service);
    const stop = new AbortController();
    const { client, proxy } = await throughFaults(http, LISTS, [{ kind: 'lost' }]);
    stop.abort(new Error('enough'));
    await expect(client.GET('/v1/events', { signal: stop.signal })).rejects.toThrow('enough');
    expect(proxy.seen).toEqual([]);
    await proxy.close();
  });
});

/** A client to which the service answers with a bundle in this state. */
const answering = (bundle: object) =>
  createApiClient({
    baseUrl: 'http://stand-in.test',
    apiKey: 'key',
    retry: notedWaits(),
    fetch: async () => Response.json({ bundle_id: 'bdl_1', ...bundle }),
  });

describe('waitForSealed', () => {
  it('throws BundleFailedError with the reason of a failed build', async () => {
    const client = answering({
      status: 'FAILED',
      failure: { code: 'BUNDLE_TOO_LARGE', message: 'Narrow the window.' },
    });
    const failed = waitForSealed(client, 'bdl_1');
    await expect(failed).rejects.toBeInstanceOf(BundleFailedError);
    await expect(failed).rejects.toThrow('BUNDLE_TOO_LARGE');
  });

  it('throws BundleTimeoutError when the time is up', async () => {
    const client = answering({ status: 'REQUESTED' });
    await expect(waitForSealed(client, 'bdl_1', { timeoutMs: 0 })).rejects.toBeInstanceOf(BundleTimeoutError);
  });

  it('throws NOT_FOUND for a bundle that there is not', async () => {
    const { client } = await freshCaller(service);
    const missing = waitForSealed(client, 'bdl_01JQ0000000000000000000009');
    await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });
});
