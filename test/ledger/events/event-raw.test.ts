import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Binary, MongoClient, type ObjectId } from 'mongodb';
import { repositoryFile } from '../../../app/repository.js';
import { askedRange } from '../../../rest-facade/streams/byte-range.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

const fixture = (name: string): Buffer => readFileSync(repositoryFile(`test/ledger/formats/x12/fixtures/${name}`));
const MANY = fixture('professional.837');
const ONE = fixture('dental-predetermination.837');

interface RawEvent {
  readonly event_id: string;
  readonly member_id?: string;
  readonly payload: {
    readonly raw_sha256: string;
    readonly raw: { offset: number; length: number; part_sha256: string };
  };
}

let service: WholeService;
let client: MongoClient;
beforeAll(async () => {
  service = await startWholeService();
  client = await MongoClient.connect(service.databaseUri);
});
afterAll(async () => {
  await client.close();
  await service.stop();
});

async function taken(
  body: Uint8Array,
  ...scopes: string[]
): Promise<{ http: Http; tenantId: string; events: RawEvent[] }> {
  const { http, tenantId } = await freshTenant(service.operator, ['events:read', 'events:write', ...scopes]);
  const answer = await http.post('/v1/ingest/raw?source_system=ch', body, { 'content-type': 'application/edi-x12' });
  expect(answer.status).toBe(200);
  const { items } = (await http.get('/v1/events?source_system=ch')).json as { items: RawEvent[] };
  return { http, tenantId, events: items };
}

const custodyOf = async (http: Http, id: string) =>
  (await http.get(`/v1/custody?subject_kind=EVENT&subject_id=${id}`)).json.items as Record<string, never>[];

describe('GET GET raw bytes of an event', () => {
  it('returns its own range of the message, under the hash in its record', async () => {
    const { http, events } = await taken(MANY);
    expect(events.length).toBeGreaterThan(1);
    for (const { event_id, payload } of events) {
      const { offset, length, part_sha256 } = payload.raw;
      const answer = await http.get(`/v1/events/${event_id}/raw`);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(MANY.subarray(offset, offset + length).toString('latin1'));
      expect(sha256Hex(Buffer.from(answer.text, 'latin1'))).toBe(part_sha256);
      expect(answer.headers.get('etag')).toBe(`"${part_sha256}"`);
      expect(answer.headers.get('content-type')).toBe('application/edi-x12');
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${event_id}.edi"`);
      expect(answer.headers.get('cache-control')).toBe('private, no-store');
    }
  });

  it('returns the whole body if it holds nothing else', async () => {
    const { http, events } = await taken(ONE);
    expect(events).toHaveLength(1);
    const answer = await http.get(`/v1/events/${events[0]?.event_id}/raw`);
    expect(answer.text).toBe(ONE.toString('latin1'));
    expect(answer.headers.get('etag')).toBe(`"${sha256Hex(ONE)}"`);
  });

  it('returns the whole body only for documents:unredacted, which admin does not imply', async () => {
    const reader = await taken(MANY, 'admin');
    const path = `/v1/events/${reader.events[0]?.event_id}/raw?whole=true`;
    expect((await reader.http.get(path)).json.code).toBe('FORBIDDEN');
    expect(await custodyOf(reader.http, reader.events[0]?.event_id ?? '')).toEqual([]);
    const holder = await taken(MANY, 'documents:unredacted');
    const answer = await holder.http.get(`/v1/events/${holder.events[0]?.event_id}/raw?whole=true`);
    expect(answer.text).toBe(MANY.toString('latin1'));
    expect((await custodyOf(holder.http, holder.events[0]?.event_id ?? ''))[0]).toMatchObject({
      detail: { whole: true },
    });
  });

  it('returns 404 for an event that came as JSON, whatever its content claims', async () => {
    const { http, events } = await taken(MANY);
    const [real] = events;
    const payload = {
      raw_sha256: real?.payload.raw_sha256 ?? '',
      raw: { offset: 0, length: MANY.length, part_sha256: 'x' },
    };
    const { event_id } = (await http.post('/v1/events', envelope('forged', { payload }))).json;
    const answer = await http.get(`/v1/events/${event_id}/raw`);
    expect([answer.status, answer.json.code]).toEqual([404, 'NOT_FOUND']);
    expect(await custodyOf(http, event_id)).toEqual([]);
  });

  it("returns 404 for another tenant's key", async () => {
    const { events } = await taken(MANY);
    const other = await taken(ONE);
    expect((await other.http.get(`/v1/events/${events[0]?.event_id}/raw`)).status).toBe(404);
  });

  it('is not called disposed when its row names a disposal without a fact', async () => {
    const { http, tenantId, events } = await taken(ONE);
    const event_id = events[0]?.event_id ?? '';
    const gone = { record: '', seed: '', worm_sha256: '', query: '', duplicate_key: '', fact_key: '' };
    await client
      .db('eas')
      .collection('ledger')
      .updateOne(
        { tenant_id: tenantId, event_id },
        { $unset: gone, $set: { disposal_id: 'dsp_01JQ0000000000000000000001' } },
      );
    expect((await http.get(`/v1/events/${event_id}/raw`)).json.code).toBe('INTEGRITY_FAILURE');
  });
});

describe('ranges and tags of raw bytes', () => {
  it('return the requested part, and 304 and 416 where RFC 9110 requires them', async () => {
    const { http, events } = await taken(ONE);
    const path = `/v1/events/${events[0]?.event_id}/raw`;
    const part = await http.get(path, { range: 'bytes=10-19' });
    expect([part.status, part.text]).toEqual([206, ONE.subarray(10, 20).toString('latin1')]);
    expect(part.headers.get('content-range')).toBe(`bytes 10-19/${ONE.length}`);
    expect(part.headers.get('content-length')).toBe('10');
    const etag = part.headers.get('etag') ?? '';
    expect((await http.get(path, { 'if-none-match': etag })).status).toBe(304);
    expect((await http.get(path, { range: 'bytes=0-0', 'if-range': '"another"' })).status).toBe(200);
    const beyond = await http.get(path, { range: `bytes=${ONE.length}-` });
    expect([beyond.status, beyond.json.code]).toEqual([416, 'RANGE_NOT_SATISFIABLE']);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${ONE.length}`);
    const head = await http.call(path, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', String(ONE.length)]);
    // 200 and 206 are in custody; HEAD, 304 and 416 are not.
    expect(await custodyOf(http, events[0]?.event_id ?? '')).toHaveLength(2);
  });

  const size = 100;
  const tag = '"t"';
  it.each([
    [undefined, undefined, { kind: 'whole' }],
    ['bytes=0-', undefined, { kind: 'part', start: 0, end: 100 }],
    ['bytes=90-200', undefined, { kind: 'part', start: 90, end: 100 }],
    ['bytes=-10', undefined, { kind: 'part', start: 90, end: 100 }],
    ['bytes=-1000', undefined, { kind: 'part', start: 0, end: 100 }],
    ['BYTES=1-2', undefined, { kind: 'part', start: 1, end: 3 }],
    ['bytes=100-', undefined, { kind: 'outside' }],
    ['bytes=-0', undefined, { kind: 'outside' }],
    ['bytes=5-4', undefined, { kind: 'whole' }],
    ['bytes=0-1,5-6', undefined, { kind: 'whole' }],
    ['lines=0-1', undefined, { kind: 'whole' }],
    ['bytes=a-b', undefined, { kind: 'whole' }],
    ['bytes=0-1', tag, { kind: 'part', start: 0, end: 2 }],
    ['bytes=0-1', `W/${tag}`, { kind: 'whole' }],
    ['bytes=0-1', '*', { kind: 'whole' }],
    ['bytes=0-1', `"other", ${tag}`, { kind: 'whole' }],
    ['bytes=0-1', 'Mon, 02 Mar 2026 14:11:10 GMT', { kind: 'whole' }],
  ])('%s with If-Range %s returns %j', (range, ifRange, expected) => {
    expect(askedRange({ range, ifRange }, tag, size)).toEqual(expected);
  });

  it('return no part of empty content', () => {
    expect(askedRange({ range: 'bytes=0-' }, tag, 0)).toEqual({ kind: 'outside' });
  });
});

describe('custody of raw bytes', () => {
  it('has one entry for each read, with reader and content', async () => {
    const { http, events } = await taken(MANY);
    const [event] = events;
    const id = event?.event_id ?? '';
    await http.get(`/v1/events/${id}/raw`, { 'x-request-id': 'req-of-the-test-0001' });
    await http.get(`/v1/events/${id}/raw`, { range: 'bytes=0-4' });
    const [whole, part, ...none] = await custodyOf(http, id);
    expect(none).toEqual([]);
    expect(whole).toMatchObject({
      action: 'READ_RAW',
      recorded: 'AUTOMATIC',
      subject: { kind: 'EVENT', id },
      subjects: [{ kind: 'RAW', id: event?.payload.raw_sha256 }],
      actor: { type: 'KEY' },
      request_id: 'req-of-the-test-0001',
      detail: { whole: false, sha256: event?.payload.raw.part_sha256, size_bytes: event?.payload.raw.length },
    });
    expect(part).toMatchObject({ detail: { range: [0, 4] } });
    const ofMember = await http.get(`/v1/custody?subject_kind=MEMBER&subject_id=${event?.member_id}`);
    expect(ofMember.json.items).toHaveLength(2);
  });

  it('records damaged bytes with an exception, and does not return them', async () => {
    const { http, tenantId, events } = await taken(MANY, 'exceptions:read');
    const database = client.db('eas_worm');
    const [event] = events;
    const blob = await database.collection<{ _id: object }>('blobs').findOne({
      _id: { tenant_id: tenantId, sha256: event?.payload.raw_sha256 },
    });
    const chunks = database.collection<{ data: Binary }>('worm_blobs.chunks');
    const chunk = await chunks.findOne({ files_id: (blob as unknown as { file_id: string }).file_id });
    const altered = Buffer.from(chunk?.data.buffer ?? []);
    altered[40] = (altered[40] ?? 0) ^ 1;
    await chunks.updateOne({ _id: chunk?._id as ObjectId }, { $set: { data: altered as never } });
    let counted = 0;
    for (let reading = 0; reading < 2; reading += 1) {
      const answer = await http.get(`/v1/events/${event?.event_id}/raw`);
      expect([answer.status, answer.json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
      const { items } = (await http.get('/v1/exceptions?kind=WORM_MISMATCH')).json;
      expect(items).toMatchObject([{ severity: 'CRITICAL', subject: { id: event?.payload.raw_sha256 } }]);
      // The scrub of each minute counts the same damage too.
      expect(items[0].occurrences).toBeGreaterThan(counted);
      counted = items[0].occurrences;
    }
    const acts = (await custodyOf(http, event?.event_id ?? '')).map(({ action }) => action);
    expect(acts).toEqual(['INTEGRITY_FAILURE', 'INTEGRITY_FAILURE']);
  });

  it('records a missing body with an exception', async () => {
    const { http, tenantId, events } = await taken(ONE, 'exceptions:read');
    await client.db('eas_worm').collection('blobs').deleteMany({ '_id.tenant_id': tenantId });
    const answer = await http.get(`/v1/events/${events[0]?.event_id}/raw`);
    expect([answer.status, answer.json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
    const part = await http.get(`/v1/events/${events[0]?.event_id}/raw`, { range: 'bytes=0-9' });
    expect([part.status, part.json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
    const { items } = (await http.get('/v1/exceptions?kind=WORM_MISSING')).json;
    expect(items).toMatchObject([{ occurrences: 2 }]);
  });
});
