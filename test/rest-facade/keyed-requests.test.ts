import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { connectDatabase, type Database } from '../../shared/db/database.js';
import { envelope } from '../support/envelopes.js';
import { type Answer, freshTenant, type Http } from '../support/http.js';
import { type EdgeKit, edgeKit, keyed } from './edge-kit.js';

// Over HTTP, two services on one database.

let kit: EdgeKit;
let database: Database;
let one: Http;
let two: Http;

beforeAll(async () => {
  kit = await edgeKit();
  one = (await kit.start({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' })).operator;
  two = (await kit.start({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' })).operator;
  database = await connectDatabase(kit.server.uri);
});
afterAll(async () => {
  await database.close();
  await kit.stop();
});

/** Takes the answers away, as a crash between the work and the answer does. */
async function forgetAnswers(headers: Readonly<Record<string, string>>): Promise<void> {
  const filter = { '_id.key': headers['idempotency-key'] };
  const crash = { $set: { state: 'CLAIMED', lease_until: new Date(0) }, $unset: { answer: '' } };
  const { matchedCount } = await database.db.collection('idempotency').updateMany(filter, crash);
  expect(matchedCount).toBe(1);
}

const replayed = (answer: Answer): boolean => answer.headers.get('idempotency-replayed') === 'true';

const through = (http: Http, http2: Http): Http => http2.as(http.key);

describe('a POST with an Idempotency-Key', () => {
  it('runs once for 1,000 concurrent requests to two services, and all get the same answer', async () => {
    const { http } = await freshTenant(one);
    const headers = keyed();
    const body = envelope('thousand');
    const sent = Array.from({ length: 1_000 }, (_, n) =>
      (n % 2 ? http : through(http, two)).post('/v1/events', body, headers),
    );
    const answers = await Promise.all(sent);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter((answer) => !replayed(answer))).toHaveLength(1);
    expect(answers[0]?.json).toMatchObject({ status: 'ACCEPTED', sequence: 1 });
    expect((await http.get('/v1/events')).json.items).toHaveLength(1);
  });

  it('returns 400 if the key is neither ULID nor UUID, and 422 if the request differs', async () => {
    const { http } = await freshTenant(one);
    const bad = await http.post('/v1/events', envelope(1), { 'idempotency-key': 'order-1' });
    expect(bad).toMatchObject({
      status: 400,
      json: { code: 'VALIDATION_ERROR', errors: [{ path: '/Idempotency-Key' }] },
    });
    const headers = keyed();
    await http.post('/v1/events', envelope(1), headers);
    for (const call of [
      () => http.post('/v1/events', envelope(2), headers),
      () => http.post('/v1/members', { member_id: 'M-1' }, headers),
    ]) {
      expect(await call()).toMatchObject({ status: 422, json: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    }
    expect((await http.get('/v1/events', headers)).status).toBe(200);
    // A read by POST keeps no answer, so it claims no key either.
    expect((await http.post('/v1/events/validate', envelope(1), headers)).status).toBe(200);
  });

  it('replays a rejection, with a new request id in the header and the first one in the body', async () => {
    const { http } = await freshTenant(one);
    const headers = keyed();
    const first = await http.post('/v1/events', { nonsense: true }, headers);
    const second = await through(http, two).post('/v1/events', { nonsense: true }, headers);
    expect([first.status, second.status]).toEqual([400, 400]);
    expect(replayed(second)).toBe(true);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('x-request-id')).not.toBe(second.json.request_id);
    const problem = await http.post(
      '/v1/events',
      { nonsense: true },
      { ...headers, accept: 'application/problem+json' },
    );
    expect(problem.headers.get('content-type')).toContain('application/problem+json');
  });

  it('replays the rejection of broken JSON or an unknown parameter', async () => {
    const { http } = await freshTenant(one);
    for (const [path, body] of [
      ['/v1/events', '{'],
      ['/v1/events?nonsense=1', '{}'],
    ] as const) {
      const headers = { ...keyed(), 'content-type': 'application/json' };
      const first = await http.post(path, body, headers);
      const second = await http.post(path, body, headers);
      expect([first.status, replayed(first), second.status, replayed(second)]).toEqual([400, false, 400, true]);
    }
  });

  it('keeps no answer when the scope is missing', async () => {
    const { http } = await freshTenant(one, ['events:read']);
    const headers = keyed();
    expect((await http.post('/v1/events', envelope(1), headers)).status).toBe(403);
    const again = await http.post('/v1/events', envelope(1), headers);
    expect([again.status, replayed(again)]).toEqual([403, false]);
  });
});

describe('a retry after a crash that lost the answer', () => {
  it('of POST /v1/events returns the same receipts, ACCEPTED and not DUPLICATE, and appends nothing twice', async () => {
    const { http } = await freshTenant(one);
    const headers = keyed();
    const batch = [envelope('a'), envelope('b'), envelope('a'), { broken: true }];
    const first = await http.post('/v1/events', batch, headers);
    expect(first.json).toMatchObject({ accepted: 2, duplicated: 1, rejected: 1 });
    await forgetAnswers(headers);
    const second = await through(http, two).post('/v1/events', batch, headers);
    expect(second.text).toBe(first.text);
    expect(replayed(second)).toBe(false);
    const chains = (await http.get('/v1/ledger/partitions')).json.items as { source_system: string }[];
    expect(chains.find((chain) => chain.source_system === 'um-core')).toMatchObject({ sequence: 2 });
    // Without the key, or under another one, the same envelope is a duplicate.
    expect((await http.post('/v1/events', envelope('a'), keyed())).json).toMatchObject({ status: 'DUPLICATE' });
  });

  it('of POST /v1/tenants returns the same record, and no conflict', async () => {
    const headers = keyed();
    const body = { tenant_id: 't-crashed', name: 'Crashed' };
    const first = await one.post('/v1/tenants', body, headers);
    await forgetAnswers(headers);
    const second = await two.post('/v1/tenants', body, headers);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
    expect((await one.post('/v1/tenants', body, keyed())).status).toBe(409);
  });

  it('of POST /v1/api-keys returns the same key and secret, which is never stored in the clear', async () => {
    const { tenantId } = await freshTenant(one);
    const headers = keyed();
    const body = { tenant_id: tenantId, name: 'feed', scopes: ['events:read'] };
    const first = await one.post('/v1/api-keys', body, headers);
    const secret = first.json.api_key as string;
    const kept = await database.db.collection('idempotency').findOne({ '_id.key': headers['idempotency-key'] });
    const { body: bytes } = (kept?.['answer'] ?? {}) as { readonly body: { readonly buffer: Uint8Array } };
    expect(Buffer.from(bytes.buffer).toString('latin1')).not.toContain(secret);
    expect((await two.post('/v1/api-keys', body, headers)).json.api_key).toBe(secret);
    await forgetAnswers(headers);
    const second = await two.post('/v1/api-keys', body, headers);
    expect(second.text).toBe(first.text);
    expect((await one.as(secret).get('/v1/events')).status).toBe(200);
    const keys = (await one.get(`/v1/api-keys?tenant_id=${tenantId}`)).json.items as { name: string }[];
    expect(keys.filter(({ name }) => name === 'feed')).toHaveLength(1);
  });

  it('of POST /v1/ingest/raw returns the same ingest with the same events', async () => {
    const { http } = await freshTenant(one);
    const headers = { ...keyed(), 'content-type': 'application/edi-x12' };
    const body = readFileSync(repositoryFile('app/demo/files/claims-837p.edi'));
    const first = await http.post('/v1/ingest/raw?source_system=claims', body, headers);
    expect(first).toMatchObject({ status: 200, json: { duplicated: 0, rejected: 0 } });
    const repeat = await through(http, two).post('/v1/ingest/raw?source_system=claims', body, headers);
    expect([replayed(repeat), repeat.text]).toEqual([true, first.text]);
    const altered = await http.post('/v1/ingest/raw?source_system=claims', `${body} `, headers);
    expect(altered).toMatchObject({ status: 422, json: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    await forgetAnswers(headers);
    const second = await through(http, two).post('/v1/ingest/raw?source_system=claims', body, headers);
    expect([replayed(second), second.text]).toEqual([false, first.text]);
  });
});
