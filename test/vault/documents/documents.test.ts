import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyed } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { formOf, upload } from '../vault-kit.js';

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_MAX_DOCUMENT_BYTES: '4000000' });
});
afterAll(async () => {
  await service.stop();
});
const tenant = async () => (await freshTenant(service.operator, ['events:read', 'events:write'])).http;
const eventOf = async (http: Http, name: string): Promise<string> =>
  (await http.post('/v1/events', envelope(name))).json.event_id;
/** The custody actions of a document, oldest first. */
const custodyOf = async (http: Http, documentId: string): Promise<string[]> => {
  const { json } = await http.get(`/v1/custody?subject_kind=DOCUMENT&subject_id=${documentId}`);
  return json.items.map(({ action }: { action: string }) => action);
};

describe('POST /v1/documents', () => {
  it('stores a file with its description, and returns the same bytes', async () => {
    const http = await tenant();
    const eventId = await eventOf(http, 'attached');
    const made = await upload(http, 'Notice of denial', {
      title: 'Denial',
      member_id: 'M-1',
      event_ids: eventId,
      tags: '["a","b"]',
      document_type: 'DENIAL_LETTER',
      source_system: 'um-core',
      matter_id: 'mat_01JQ0000000000000000000001',
      effective_at: '2026-03-02T15:11:10+01:00',
    });
    expect([made.status, made.json]).toEqual([
      200,
      expect.objectContaining({
        document_id: expect.stringMatching(/^doc_[0-9A-Z]{26}$/),
        sha256: sha256('Notice of denial'),
        size: 16,
        media_type: 'text/plain',
        filename: 'letter.txt',
        title: 'Denial',
        member_id: 'M-1',
        event_ids: [eventId],
        tags: ['a', 'b'],
        status: 'AVAILABLE',
        effective_at: '2026-03-02T14:11:10.000Z',
        redacted: false,
      }),
    ]);
    const id = made.json.document_id;
    const read = await http.get(`/v1/documents/${id}`);
    expect([read.status, read.text]).toEqual([200, 'Notice of denial']);
    expect(read.headers.get('etag')).toBe(`"${sha256('Notice of denial')}"`);
    expect(read.headers.get('content-disposition')).toBe('attachment; filename="letter.txt"');
    expect(read.headers.get('content-security-policy')).toContain('sandbox');
    expect(await custodyOf(http, id)).toEqual(['UPLOAD', 'READ_CONTENT']);
    const { json } = await http.get(`/v1/custody?subject_kind=EVENT&subject_id=${eventId}`);
    expect(json.items.map(({ action }: { action: string }) => action)).toEqual(['UPLOAD', 'READ_CONTENT']);
  });

  it('accepts fields after the file, and lists as repeated fields', async () => {
    const http = await tenant();
    const form = formOf({ bytes: Buffer.from('x') }, { tags: ['a', 'b'], title: 'T' }, 'behind');
    const { status, json } = await http.post('/v1/documents', form.body, form.headers);
    expect([status, json.tags, json.title]).toEqual([200, ['a', 'b'], 'T']);
  });

  it('stores equal bytes once, and creates a document for each upload', async () => {
    const http = await tenant();
    const [one, two] = [
      await upload(http, 'same'),
      await upload(http, { bytes: Buffer.from('same'), filename: 'b.txt' }),
    ];
    expect(one.json.sha256).toBe(two.json.sha256);
    expect(one.json.document_id).not.toBe(two.json.document_id);
    const listed = await http.get(`/v1/documents?sha256=${one.json.sha256}`);
    expect(listed.json.items).toHaveLength(2);
  });

  it('runs once per Idempotency-Key, and rejects other fields or another file under it', async () => {
    const http = await tenant();
    const key = keyed();
    const form = formOf({ bytes: Buffer.from('once') }, { title: 'T' });
    const [first, again] = [
      await http.post('/v1/documents', form.body, { ...form.headers, ...key }),
      await http.post('/v1/documents', form.body, { ...form.headers, ...key }),
    ];
    expect(again.json).toEqual(first.json);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    // A client that rebuilds its form chooses another boundary: only the content counts.
    const anew = formOf({ bytes: Buffer.from('once') }, { title: 'T' });
    const rebuilt = await http.post('/v1/documents', anew.body, { ...anew.headers, ...key });
    expect([rebuilt.status, rebuilt.json.document_id]).toEqual([200, first.json.document_id]);
    for (const other of [
      formOf({ bytes: Buffer.from('other') }, { title: 'T' }),
      formOf({ bytes: Buffer.from('once') }, { title: 'U' }),
    ]) {
      const refused = await http.post('/v1/documents', other.body, { ...other.headers, ...key });
      expect([refused.status, refused.json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect((await http.get('/v1/documents')).json.items).toHaveLength(1);
  });

  const refusals: readonly [string, Parameters<typeof formOf>, number, string, string | undefined][] = [
    ['no file', [null, { title: 'T' }], 400, 'VALIDATION_ERROR', '/file'],
    ['an empty file', [{ bytes: Buffer.alloc(0) }], 400, 'VALIDATION_ERROR', '/file'],
    ['an unknown field', [{ bytes: Buffer.from('x') }, { colour: 'red' }], 400, 'VALIDATION_ERROR', '/colour'],
    ['a field twice', [{ bytes: Buffer.from('x') }, { title: ['a', 'b'] }], 400, 'VALIDATION_ERROR', '/title'],
    ['a file of another name', [{ bytes: Buffer.from('x'), field: 'upload' }], 400, 'VALIDATION_ERROR', '/upload'],
    [
      'an unknown event',
      [{ bytes: Buffer.from('x') }, { event_ids: 'evt_01JQ0000000000000000000001' }],
      400,
      'VALIDATION_ERROR',
      '/event_ids/0',
    ],
    ['a list that is none', [{ bytes: Buffer.from('x') }, { tags: '["a"' }], 400, 'VALIDATION_ERROR', '/tags'],
    [
      'a time that is none',
      [{ bytes: Buffer.from('x') }, { effective_at: 'yesterday' }],
      400,
      'VALIDATION_ERROR',
      '/effective_at',
    ],
    [
      'a tenant that is another',
      [{ bytes: Buffer.from('x') }, { tenant_id: 'other' }],
      400,
      'VALIDATION_ERROR',
      '/tenant_id',
    ],
    ['a media type that is none', [{ bytes: Buffer.from('x'), type: 'text' }], 400, 'VALIDATION_ERROR', '/media_type'],
    ['a file over the limit', [{ bytes: Buffer.alloc(4_000_001, 120) }], 413, 'PAYLOAD_TOO_LARGE', undefined],
  ];
  it.each(refusals)('rejects %s, and creates nothing', async (_, args, status, code, path) => {
    const http = await tenant();
    const form = formOf(...args);
    const answer = await http.post('/v1/documents', form.body, form.headers);
    expect([answer.status, answer.json.code, answer.json.errors?.[0]?.path]).toEqual([status, code, path]);
    expect((await http.get('/v1/documents')).json.items).toEqual([]);
  });

  it('rejects two files', async () => {
    const http = await tenant();
    const one = formOf({ bytes: Buffer.from('one') });
    const boundary = one.headers['content-type'].split('boundary=')[1];
    const second = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="b"\r\n\r\ntwo\r\n`;
    const { status, json } = await http.post('/v1/documents', `${second}${one.body.toString()}`, one.headers);
    expect([status, json.errors[0]]).toMatchObject([400, { path: '/file', code: 'repeated' }]);
  });

  it.each([
    ['a body cut before its last boundary', (body: string) => body.slice(0, -8)],
    ['a part without a disposition', (body: string) => body.replace(/Content-Disposition[^\r]*\r\n/, '')],
    ['a boundary that goes on', (body: string) => body.replace(/(------eas-[0-9a-f]+)\r\n/, '$1x\r\n')],
    [
      'an encoding',
      (body: string) => body.replace('Content-Type', 'Content-Transfer-Encoding: base64\r\nContent-Type'),
    ],
    ['nothing', () => ''],
  ])('rejects a form with %s as malformed', async (_, spoil) => {
    const http = await tenant();
    const form = formOf({ bytes: Buffer.from('x') });
    const { status, json } = await http.post('/v1/documents', spoil(form.body.toString()), form.headers);
    expect([status, json.code]).toEqual([400, 'MALFORMED_BODY']);
    expect((await http.get('/v1/documents')).json.items).toEqual([]);
  });

  it.each(['application/json', 'multipart/form-data', 'multipart/mixed; boundary=x'])('rejects %s', async (type) => {
    const http = await tenant();
    const { status, json } = await http.post('/v1/documents', '{}', { 'content-type': type });
    expect([status, json.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('creates nothing if the client disconnects during the upload', async () => {
    const http = await tenant();
    const form = formOf({ bytes: Buffer.alloc(2_000_000, 65) });
    await new Promise<void>((resolve) => {
      const headers = { ...form.headers, 'x-api-key': http.key ?? '', 'content-length': form.body.length };
      const sent = request(`${http.url}/v1/documents`, { method: 'POST', headers });
      sent.on('error', () => resolve());
      sent.write(form.body.subarray(0, 1_500_000), () => sent.destroy());
      sent.on('close', () => resolve());
    });
    expect((await http.get('/v1/documents')).json.items).toEqual([]);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\x.pdf', 'x.pdf'],
    ['..', 'document'],
    ['a\tb.txt', 'ab.txt'],
    ['con.txt', '_con.txt'],
    ['evil\u202Etxt.exe.txt', 'eviltxt.exe.txt'],
    ['Bescheid Müller.txt', 'Bescheid Müller.txt'],
  ])('cleans the name %j', async (filename, cleaned) => {
    const http = await tenant();
    const made = await upload(http, { bytes: Buffer.from('x'), filename });
    expect([made.status, made.json.filename]).toEqual([200, cleaned]);
    const { headers } = await http.get(`/v1/documents/${made.json.document_id}`);
    const said = headers.get('content-disposition') ?? '';
    expect(said).toMatch(/^attachment; filename="[\x20-\x7e]+"/);
    if (cleaned.includes('ü')) expect(said).toContain("filename*=UTF-8''Bescheid%20M%C3%BCller.txt");
  });
});

describe('GET /v1/documents/{id}', () => {
  const bytes = Buffer.from(Array.from({ length: 2_500_000 }, (_, i) => 97 + (i % 23)));

  it('returns ranges, 304 for a known ETag, and 416 for a range outside', async () => {
    const http = await tenant();
    const { json } = await upload(http, { bytes });
    const path = `/v1/documents/${json.document_id}`;
    const etag = `"${sha256(bytes)}"`;
    const part = await http.get(path, { range: 'bytes=1048570-1048580' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1048570-1048580/2500000']);
    expect(part.text).toBe(bytes.subarray(1_048_570, 1_048_581).toString());
    const outside = await http.get(path, { range: 'bytes=2500000-' });
    expect([outside.status, outside.json.code, outside.headers.get('content-range')]).toEqual([
      416,
      'RANGE_NOT_SATISFIABLE',
      'bytes */2500000',
    ]);
    expect((await http.get(path, { 'if-none-match': etag })).status).toBe(304);
    expect((await http.get(path, { range: 'bytes=0-0', 'if-range': '"other"' })).text).toHaveLength(2_500_000);
    const head = await http.call(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.text]).toEqual([200, '2500000', '']);
    // Neither a 304, a 416 nor HEAD gives out a byte.
    expect(await custodyOf(http, json.document_id)).toEqual(['UPLOAD', 'READ_CONTENT', 'READ_CONTENT']);
  });

  it('returns 404 for another tenant’s document and for an invalid identifier', async () => {
    const [mine, theirs] = [await tenant(), await tenant()];
    const { json } = await upload(mine, 'mine');
    for (const path of [json.document_id, `${json.document_id}/metadata`, 'doc_1', 'x'.repeat(60)]) {
      expect((await theirs.get(`/v1/documents/${path}`)).status).toBe(404);
    }
  });
});

describe('lists and references', () => {
  it('finds documents by their description', async () => {
    const http = await tenant();
    const made = (await upload(http, 'a', { member_id: 'M-7', document_type: 'APPEAL', tags: 'x' })).json;
    await upload(http, 'b', { member_id: 'M-8' });
    for (const query of [
      'member_id=M-7',
      'document_type=APPEAL',
      'tag=x',
      `sha256=${sha256('a')}`,
      'member_id=M-7&tag=x',
    ]) {
      const { json } = await http.get(`/v1/documents?${query}`);
      expect(json.items.map((item: { document_id: string }) => item.document_id)).toEqual([made.document_id]);
    }
    expect((await http.get('/v1/documents?colour=red')).status).toBe(400);
  });

  it('attaches to events and detaches again, repeatedly', async () => {
    const http = await tenant();
    const [eventId, other] = [await eventOf(http, 'one'), await eventOf(http, 'two')];
    const { document_id } = (await upload(http, 'letter')).json;
    const path = (id: string) => `/v1/documents/${document_id}/events/${id}`;
    expect((await http.post(path(eventId), undefined)).json.event_ids).toEqual([eventId]);
    expect((await http.post(path(eventId), {})).json).toMatchObject({ event_ids: [eventId] });
    expect((await http.post(path(other), {})).json.event_ids).toEqual([eventId, other]);
    expect((await http.get(`/v1/documents?event_id=${other}`)).json.items).toHaveLength(1);
    expect((await http.call(path(eventId), { method: 'DELETE' })).json.event_ids).toEqual([other]);
    expect((await http.call(path(eventId), { method: 'DELETE' })).status).toBe(404);
    expect((await http.post(path('evt_01JQ0000000000000000000001'), {})).status).toBe(404);
    const { json } = await http.get(`/v1/documents/${document_id}/metadata`);
    const steps = json.history.map(({ action }: { action: string }) => action);
    expect(steps.filter((action: string) => action !== 'pass-scan')).toEqual(['upload', 'attach', 'attach', 'detach']);
  });

  it('returns 403 for a key without the scope', async () => {
    const { http } = await freshTenant(service.operator, ['bundles:read']);
    expect((await http.get('/v1/documents')).status).toBe(403);
    expect((await upload(http, 'x')).status).toBe(403);
    expect((await http.post('/v1/quarantine/doc_01JQ0000000000000000000001/release', {})).status).toBe(403);
  });
});
