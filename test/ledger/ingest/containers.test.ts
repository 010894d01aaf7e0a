import { readFileSync } from 'node:fs';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { ebcdic } from '../../support/ebcdic.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// How messages arrive: packed, in several files, with text before them, in old character sets, without a type.

const fixture = (name: string): Buffer => readFileSync(repositoryFile(`test/ledger/formats/${name}`));
const remittance = fixture('x12/fixtures/remittance.835');
const claims = fixture('x12/fixtures/professional.837');
const admit = fixture('hl7v2/fixtures/admit.hl7');
const untyped = { 'content-type': 'application/octet-stream' };

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
}, 240_000);
afterAll(() => service.stop());

interface ZipFile {
  readonly name: string;
  readonly content: Buffer;
}

/** A ZIP as other programs write it: local headers, a directory, no data descriptors. */
function zip(files: readonly ZipFile[], flags = 0): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of files) {
    const packed = deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), fields, central, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}

describe('POST /v1/ingest/raw', () => {
  it('reads FHIR with a byte order mark, and one resource a line, as application/json', async () => {
    const { http } = await freshTenant(service.operator);
    const typed = { 'content-type': 'application/json' };
    const patient = (id: string, gap = ''): string =>
      `{"resourceType":"Patient",${gap}"id":"${id}","identifier":[{"system":"http://hl7.org/fhir/sid/us-mbi","value":"${id}"}]}`;
    const bodies: readonly (readonly [string, number])[] = [
      [`\ufeff${patient('SYN-J1')}`, 1],
      [`\ufeff${patient('SYN-J2')}\r\n${patient('SYN-J3')}\r\n`, 2],
      [patient('SYN-J4', '\n'), 1],
    ];
    for (const [body, accepted] of bodies) {
      const { status, json } = await http.post('/v1/ingest/raw', Buffer.from(body), typed);
      expect({ status, json }).toMatchObject({ status: 200, json: { format: 'fhir', accepted, rejected: 0 } });
    }
    const wrapped = Buffer.from(`\ufeff${JSON.stringify({ content: remittance.toString('latin1') })}`);
    expect((await http.post('/v1/ingest/raw', wrapped, typed)).json).toMatchObject({ format: 'x12' });
    expect((await http.post('/v1/ingest/raw', Buffer.from('{"content":"x"}\n{}'), typed)).status).toBe(400);
  });

  it.each(['cp037', 'cp1047'] as const)('reads X12 in EBCDIC (%s), and reports the conversion', async (page) => {
    const { http } = await freshTenant(service.operator);
    const plain = await http.post('/v1/ingest/raw', remittance, untyped);
    const body = ebcdic(remittance.toString('latin1').replaceAll('\r', ''), page);
    for (const sent of [body, gzipSync(body)]) {
      const { json } = await http.post('/v1/ingest/raw', sent, untyped);
      expect(json).toMatchObject({ format: 'x12', accepted: 0, duplicated: plain.json.accepted });
      expect(json.warnings).toContainEqual({ code: 'ENCODING_CONVERTED', message: expect.stringContaining(page) });
    }
  });

  it.each([
    ['gzip by its first bytes', gzipSync(remittance), untyped],
    [
      'gzip by its Content-Encoding',
      gzipSync(remittance),
      { 'content-type': 'application/edi-x12', 'content-encoding': 'gzip' },
    ],
    ['a ZIP of one file', zip([{ name: 'a.835', content: remittance }]), { 'content-type': 'application/zip' }],
    ['the type of an HTML form', remittance, { 'content-type': 'application/x-www-form-urlencoded' }],
    [
      'text before the first header',
      Buffer.concat([Buffer.from('From: a@b\r\nSubject: VISA payment\r\n\r\n'), remittance]),
      untyped,
    ],
  ])('reads %s as the message itself', async (_, body, headers) => {
    const { http } = await freshTenant(service.operator);
    const plain = await http.post('/v1/ingest/raw', remittance, untyped);
    const answer = await http.post('/v1/ingest/raw', body, headers);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ format: 'x12', accepted: 0, duplicated: plain.json.accepted, rejected: 0 });
  });

  it('reads every file of a ZIP, and leaves out what systems add', async () => {
    const { http } = await freshTenant(service.operator);
    const alone = await http.post('/v1/ingest/raw', Buffer.concat([remittance, claims]), untyped);
    const body = zip([
      { name: 'one.835', content: remittance },
      { name: '__MACOSX/one.835', content: Buffer.from('x') },
      { name: 'two.837', content: claims },
    ]);
    const answer = await http.post('/v1/ingest/raw', body, untyped);
    expect(answer.json).toMatchObject({ accepted: 0, duplicated: alone.json.accepted, rejected: 0 });
  });

  it.each([
    ['a gzip bomb', gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)), 413],
    ['a ZIP bomb', zip([{ name: 'a', content: Buffer.alloc(64 * 1024 * 1024, 0x20) }]), 413],
    ['a broken gzip', Buffer.concat([gzipSync(remittance).subarray(0, 60), Buffer.alloc(60, 0xff)]), 400],
    ['a cut gzip', gzipSync(remittance).subarray(0, 200), 400],
    ['a cut ZIP', zip([{ name: 'a', content: remittance }]).subarray(0, 200), 400],
    ['a ZIP with a password', zip([{ name: 'a', content: remittance }], 1), 400],
    ['a ZIP in a ZIP', zip([{ name: 'a', content: zip([{ name: 'b', content: remittance }]) }]), 400],
  ])('rejects %s before it stores anything', async (_, body, status) => {
    const { http } = await freshTenant(service.operator);
    expect((await http.post('/v1/ingest/raw', body, untyped)).status).toBe(status);
    expect((await http.get('/v1/events')).json.items).toEqual([]);
  });

  it('reports leading text and a converted character set', async () => {
    const { http } = await freshTenant(service.operator);
    const named = claims.toString('latin1').replaceAll(/NM1\*(\w\w)\*([12])\*[^*]*/g, 'NM1*$1*$2*O\u0092BRIEN');
    const body = Buffer.from(`a mail\r\n\r\n${named}`, 'latin1');
    const { json } = await http.post('/v1/ingest/raw', body, untyped);
    const codes = (json.warnings as { code: string }[]).map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['LEADING_TEXT', 'ENCODING_CONVERTED']));
    const { items } = (await http.get('/v1/events')).json;
    expect(JSON.stringify(items)).toContain('O\u2019BRIEN');
    expect(JSON.stringify(items)).not.toContain('O\u0092BRIEN');
  });

  it('reads an HL7 message behind leading text', async () => {
    const { http } = await freshTenant(service.operator);
    const { json } = await http.post(
      '/v1/ingest/raw',
      Buffer.concat([Buffer.from('exported by an engine\r\n'), admit]),
      untyped,
    );
    expect(json).toMatchObject({ format: 'hl7v2', rejected: 0 });
    expect(json.accepted).toBeGreaterThan(0);
    expect(JSON.stringify(json)).toContain('LEADING_TEXT');
  });

  it('answers 422 with the report where nothing is readable, and 200 where something is', async () => {
    const { http } = await freshTenant(service.operator);
    const header = remittance.subarray(0, remittance.indexOf('GS*'));
    const alone = await http.post('/v1/ingest/raw', header, untyped);
    expect([alone.status, alone.json.accepted]).toEqual([422, 0]);
    expect(alone.json.ingest_id).toMatch(/^ing_/);
    const broken = await http.post('/v1/ingest/raw', Buffer.from('{"resourceType":"Claim","id":"c"'), untyped);
    expect([broken.status, broken.json.rejected]).toEqual([422, 1]);
    const mixed = await http.post(
      '/v1/ingest/raw',
      Buffer.from('{"resourceType":"Claim","id":"c"}\n{"resourceType"'),
      untyped,
    );
    expect([mixed.status, mixed.json.accepted, mixed.json.rejected]).toEqual([200, 1, 1]);
    const unsupported = await http.post('/v1/ingest/raw', fixture('x12/fixtures/unsupported.x12'), untyped);
    expect(unsupported.status).toBe(200);
  });

  describe('of forms', () => {
    const boundary = 'a-boundary';
    const form = (...parts: readonly [head: string, body: Buffer | string][]): Buffer =>
      Buffer.concat([
        ...parts.flatMap(([head, body]) => [
          Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
          Buffer.from(body),
          Buffer.from('\r\n'),
        ]),
        Buffer.from(`--${boundary}--\r\n`),
      ]);
    const file = (name: string, content: Buffer): [string, Buffer] => [
      `Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream`,
      content,
    ];
    const field = (name: string, value: string): [string, string] => [
      `Content-Disposition: form-data; name="${name}"`,
      value,
    ];
    const formType = { 'content-type': `multipart/form-data; boundary=${boundary}` };

    it.each([
      ['one file', form(file('a.835', remittance)), formType],
      ['a file behind its fields', form(field('format', 'X12'), file('a.835', remittance)), formType],
      ['a file before its fields', form(file('a.835', remittance), field('format', 'x12')), formType],
      ['a packed file', form(file('a.835.gz', gzipSync(remittance))), formType],
      [
        'a file in EBCDIC',
        form(file('a', ebcdic(remittance.toString('latin1').replaceAll('\r', ''), 'cp037'))),
        formType,
      ],
      ['a part without a filename', form(field('content', remittance.toString('latin1'))), formType],
      ['a packed form', gzipSync(form(file('a.835', remittance))), { ...formType, 'content-encoding': 'gzip' }],
      [
        'parts of multipart/mixed',
        form(['Content-Type: application/edi-x12', remittance]),
        { 'content-type': `multipart/mixed; boundary="${boundary}"` },
      ],
    ])('reads %s as the message itself', async (_, body, headers) => {
      const { http } = await freshTenant(service.operator);
      const plain = await http.post('/v1/ingest/raw', remittance, untyped);
      const answer = await http.post('/v1/ingest/raw', body, headers);
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ format: 'x12', accepted: 0, duplicated: plain.json.accepted, rejected: 0 });
    });

    it('reads every file of a form as one body, from the source system that the form states', async () => {
      const { http } = await freshTenant(service.operator);
      const stated = field('source_system', 'clearinghouse-a');
      const alone = await http.post('/v1/ingest/raw?source_system=other', Buffer.concat([remittance, claims]), untyped);
      const answer = await http.post(
        '/v1/ingest/raw',
        form(file('1', remittance), stated, file('2', claims)),
        formType,
      );
      expect(answer.json).toMatchObject({ accepted: alone.json.accepted, duplicated: 0, rejected: 0 });
      const { items } = (await http.get('/v1/events?source_system=clearinghouse-a')).json;
      expect(items).toHaveLength(alone.json.accepted);
    });

    it('answers a repeated form under its Idempotency-Key again, also with another boundary; another file conflicts', async () => {
      const { http } = await freshTenant(service.operator);
      const keyed = { ...formType, 'idempotency-key': '6f9619ff-8b86-4d01-b42d-00cf4fc964ff' };
      const first = await http.post('/v1/ingest/raw', form(file('1', remittance)), keyed);
      const again = Buffer.from(
        form(file('1', remittance)).toString('latin1').replaceAll(boundary, 'another'),
        'latin1',
      );
      const type = { 'content-type': 'multipart/form-data; boundary=another' };
      const repeated = await http.post('/v1/ingest/raw', again, { ...keyed, ...type });
      expect([repeated.status, repeated.json.ingest_id]).toEqual([200, first.json.ingest_id]);
      const other = await http.post('/v1/ingest/raw', form(file('1', claims)), keyed);
      expect([other.status, other.json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    });

    it.each<[string, Buffer, Readonly<Record<string, string>>, number, string | undefined]>([
      ['without a file', form(field('format', 'x12')), formType, 400, '/file'],
      ['with an empty file', form(file('a', Buffer.alloc(0))), formType, 400, '/file'],
      [
        'with an unknown field',
        form(field('sourcesystem', 'a'), file('a', remittance)),
        formType,
        400,
        '/sourcesystem',
      ],
      [
        'with a field twice',
        form(field('format', 'x12'), field('format', 'x12'), file('a', remittance)),
        formType,
        400,
        '/format',
      ],
      [
        'with a field of the wrong type',
        form(file('a', remittance), field('strict', 'maybe')),
        formType,
        400,
        '/strict',
      ],
      ['of another tenant', form(file('a', remittance), field('tenant_id', 'another')), formType, 400, '/tenant_id'],
      ['that is cut', form(file('a', remittance)).subarray(0, 300), formType, 400, undefined],
      ['with a bomb', form(file('a', gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)))), formType, 413, undefined],
      ['without a boundary', form(file('a', remittance)), { 'content-type': 'multipart/form-data' }, 415, undefined],
    ])('rejects a form %s before it stores anything', async (_, body, headers, status, path) => {
      const { http } = await freshTenant(service.operator);
      const answer = await http.post('/v1/ingest/raw', body, headers);
      expect(answer.status).toBe(status);
      if (path !== undefined) expect(answer.json.errors).toEqual([expect.objectContaining({ path })]);
      expect((await http.get('/v1/events')).json.items).toEqual([]);
    });
  });
});
