import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Http } from '../../support/http.js';
import { itUnless, lackOf } from '../../support/needs.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { decompressedStreams, pdfOf, tiledPdf } from '../pdf-kit.js';
import { upload } from '../vault-kit.js';
import { applied, draft, peopleOf, until } from './redaction-kit.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_DOCUMENT_WORK_MS: '30000' });
}, 180_000);
afterAll(() => service.stop());
const people = () => peopleOf(service.operator);

/** A PDF with an attachment, which needs a review first. */
async function uploadPdf(http: Http, bytes: Uint8Array): Promise<string> {
  const made = await upload(http, { bytes, filename: 'a.pdf', type: 'application/pdf' });
  const id = made.json.document_id;
  const scanned = async () => (await http.get(`/v1/documents/${id}/metadata`)).json;
  await until(async () => (await scanned()).scan.status !== 'PENDING');
  const body = { reason: 'The attachment is known.', reviewed_by: 'Counsel' };
  const released = await http.post(`/v1/quarantine/${id}/release`, body);
  if (released.status !== 200) throw new Error(`not released: ${released.text}`);
  return id;
}

const TERMS = ['Jane Roe', 'O’Brien-Smith'];
const PDF = () =>
  pdfOf([
    { text: 'Patient Jane Roe was denied; jane  roe appealed. Janet and blacksmith stay.', x: 72, y: 700 },
    { text: "Doctor O'BRIEN-SMITH signed.", x: 72, y: 670 },
    { text: 'Rotated: Jane Roe', x: 300, y: 300, rotate: 30 },
  ]);

describe('a redacted document', () => {
  it('of plain text contains no hidden word in any case, and is returned whole to readers with the scope', async () => {
    const all = await people();
    const original = 'Dear Jane Roe,\nJANE\tROE is not Jane Roebuck. Günter bleibt.';
    const { document_id: id, sha256 } = (await upload(all.clerk, original)).json;
    const done = await applied(all, { subject: { kind: 'DOCUMENT', id }, terms: ['jane roe'] });
    expect(done.status).toBe(200);
    const read = await all.reader.get(`/v1/documents/${id}`);
    expect(read.text).toBe('Dear █████,\n█████ is not Jane Roebuck. Günter bleibt.');
    expect((await all.trusted.get(`/v1/documents/${id}`)).text).toBe(original);
    expect((await all.reader.get(`/v1/documents/${id}/metadata`)).json).toMatchObject({
      redacted: true,
      sha256: done.json.rendition_sha256,
    });
    expect((await all.trusted.get(`/v1/redactions/${done.json.redaction_id}`)).json).toMatchObject({
      original_sha256: sha256,
      terms: ['jane roe'],
    });
    const told = await all.clerk.get(`/v1/redactions/${done.json.redaction_id}`);
    expect([told.json.terms, told.text.includes(sha256)]).toEqual([undefined, false]);
  });

  it('of PDF contains no hidden word, metadata or attachment in any stream', async () => {
    const all = await people();
    const bytes = await PDF();
    expect(decompressedStreams(bytes)).toMatch(/Jane/);
    const id = await uploadPdf(all.clerk, bytes);
    const done = await applied(all, { subject: { kind: 'DOCUMENT', id }, terms: TERMS });
    expect([done.status, done.json.status ?? done.text]).toEqual([200, 'APPLIED']);
    const rendition = await bytesOf(all.reader, `/v1/documents/${id}`);
    const everything = decompressedStreams(rendition);
    for (const word of ['Roe', 'BRIEN', 'secret title', 'secret attachment']) expect(everything).not.toContain(word);
    for (const word of ['Roe', 'BRIEN']) expect(everything).not.toContain(hexOf(word));
    expect(everything).toContain(hexOf('blacksmith'));
    expect((await bytesOf(all.trusted, `/v1/documents/${id}`)).equals(Buffer.from(bytes))).toBe(true);
  });

  const hasPdftotext = (() => {
    try {
      execFileSync('pdftotext', ['-v'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  })();
  itUnless(lackOf(hasPdftotext, 'pdftotext'))(
    'of PDF shows none of the words to pdftotext (poppler-utils)',
    async () => {
      const all = await people();
      const bytes = await PDF();
      const id = await uploadPdf(all.clerk, bytes);
      await applied(all, { subject: { kind: 'DOCUMENT', id }, terms: TERMS });
      const text = pdftotext(await bytesOf(all.reader, `/v1/documents/${id}`));
      expect(pdftotext(Buffer.from(bytes))).toMatch(/Jane Roe/);
      expect(text).not.toMatch(/roe|brien/i);
      expect(text).toMatch(/Patient[\s\S]*denied[\s\S]*blacksmith/);
    },
  );

  it('of PDF contains no word split across pages, and is rejected if a pattern contains one', async () => {
    const all = await people();
    const foot = (page: number, text: string) => [
      { text, x: 72, y: 60, page },
      { text: `Page ${page + 1}`, x: 300, y: 30, page },
    ];
    const head = (page: number, text: string) => [
      { text: 'Acme Health Plan', x: 72, y: 760, page },
      { text, x: 72, y: 720, page },
    ];
    const parted = await pdfOf([
      { text: 'For Jane Roe.', x: 72, y: 700 },
      ...foot(0, 'It was asked for by Jane'),
      ...head(1, 'Roe, and it was for hypogly-'),
      ...foot(1, 'signs of hypogly-'),
      ...head(2, 'cemia. Roebuck stays.'),
    ]);
    const id = await uploadPdf(all.clerk, parted);
    const terms = ['Jane Roe', 'hypoglycemia'];
    expect((await applied(all, { subject: { kind: 'DOCUMENT', id }, terms })).status).toBe(200);
    const everything = decompressedStreams(await bytesOf(all.reader, `/v1/documents/${id}`));
    for (const word of ['Jane', 'Roe,', 'cemia']) expect(everything).not.toContain(hexOf(word));
    for (const word of ['asked', 'Plan', 'Roebuck']) expect(everything).toContain(hexOf(word));

    const tiled = await uploadPdf(all.clerk, await tiledPdf('Jane Roe'));
    const refused = await applied(all, { subject: { kind: 'DOCUMENT', id: tiled }, terms: ['Jane Roe'] });
    expect([refused.status, refused.json.code]).toEqual([409, 'CONFLICT']);
  });

  it('of PDF contains no word split within a table cell or struck twice', async () => {
    const all = await people();
    const letters = [
      ['R', 72],
      ['o', 80],
      ['e', 86],
    ] as const;
    const twice = letters.flatMap(([text, at]) => [0, 0.4].map((by) => ({ text, x: at + by, y: 400 })));
    const rows = await pdfOf([
      { text: 'Member', x: 72, y: 720 },
      { text: 'Plan', x: 300, y: 720 },
      { text: 'Ms. Jane', x: 72, y: 700 },
      { text: 'Gold', x: 300, y: 700 },
      { text: 'Roe (self)', x: 72, y: 686 },
      { text: 'PPO', x: 300, y: 686 },
      { text: 'Jane Roe, Roe', x: 72, y: 600 },
      ...twice,
    ]);
    const id = await uploadPdf(all.clerk, rows);
    const done = await applied(all, { subject: { kind: 'DOCUMENT', id }, terms: ['Jane Roe', 'Roe'] });
    expect(done.status).toBe(200);
    const everything = decompressedStreams(await bytesOf(all.reader, `/v1/documents/${id}`));
    for (const word of ['Jane', 'Roe', 'Ro', 'RR']) expect(everything).not.toContain(hexOf(word));
    for (const word of ['Member', 'Gold', 'self']) expect(everything).toContain(hexOf(word));
  });

  it('hides the terms of all redactions and the named regions', async () => {
    const all = await people();
    const id = await uploadPdf(all.clerk, await PDF());
    const subject = { kind: 'DOCUMENT', id };
    expect((await applied(all, { subject, terms: ['Jane Roe'] })).status).toBe(200);
    const region = { x: 60, y: 100, width: 500, height: 30 };
    expect((await applied(all, { subject, pages: [{ page: 1, regions: [region] }] })).status).toBe(200);
    const everything = decompressedStreams(await bytesOf(all.reader, `/v1/documents/${id}`));
    for (const word of ['Roe', 'BRIEN']) expect(everything).not.toContain(hexOf(word));
    expect(everything).toContain(hexOf('blacksmith'));
  });

  it('contains no hidden word in the names of its record', async () => {
    const all = await people();
    const file = { bytes: Buffer.from('Seen by Jane Roe.'), filename: 'jane_roe.txt', type: 'text/plain' };
    const made = await upload(all.clerk, file, { title: 'Letter of Jane Roe', tags: ['roe', 'denial'] });
    const path = `/v1/documents/${made.json.document_id}`;
    const subject = { kind: 'DOCUMENT', id: made.json.document_id };
    expect((await applied(all, { subject, terms: ['Jane', 'Roe'] })).status).toBe(200);
    const told = await all.reader.get(`${path}/metadata`);
    expect(told.json).toMatchObject({ filename: '█████_█████.txt', title: 'Letter of █████ █████' });
    expect(told.json.tags).toEqual(['█████', 'denial']);
    expect((await all.reader.get(path)).headers.get('content-disposition')).not.toMatch(/jane|roe/i);
    expect((await all.reader.get('/v1/documents')).text).not.toMatch(/jane|roe/i);
    expect((await all.trusted.get(`${path}/metadata`)).json).toMatchObject({ title: 'Letter of Jane Roe' });
    const found = async (http: Http, query: string) =>
      (await http.post('/v1/search', { query, kinds: ['document'] })).json.items.map((hit: { id: string }) => hit.id);
    await until(async () => (await found(all.reader, 'letter')).length === 1);
    expect([await found(all.reader, 'jane'), await found(all.reader, 'roe')]).toEqual([[], []]);
    expect((await all.reader.post('/v1/search', { query: 'letter' })).text).not.toMatch(/jane|roe/i);
  });

  it('is rejected if a region has no area or lies outside its page', async () => {
    const all = await people();
    const subject = { kind: 'DOCUMENT', id: await uploadPdf(all.clerk, await PDF()) };
    const over = (x: number, width: number) => ({ pages: [{ page: 1, regions: [{ x, y: 0, width, height: 10 }] }] });
    expect((await draft(all.clerk, { subject, ...over(0, 0) })).json.errors).toEqual([
      expect.objectContaining({ path: '/pages/0/regions/0', code: 'empty' }),
    ]);
    const beside = await applied(all, { subject, ...over(9_000, 10) });
    expect([beside.status, beside.json.errors?.[0]?.path]).toEqual([400, '/pages/0']);
  });

  it('is not applied on a draft that has changed since the reviewer read it', async () => {
    const all = await people();
    const { document_id: id } = (await upload(all.clerk, 'Jane Roe and John Doe')).json;
    const made = (await draft(all.clerk, { subject: { kind: 'DOCUMENT', id }, terms: ['Jane Roe'] })).json;
    const path = `/v1/redactions/${made.redaction_id}`;
    await all.clerk.call(path, { method: 'PATCH', body: { terms: ['John Doe'] } });
    const late = await all.counsel.post(`${path}/apply`, { revision: made.revision });
    expect([late.status, late.json.code]).toEqual([409, 'CONFLICT']);
    expect((await all.reader.get(`/v1/documents/${id}`)).text).toContain('John Doe');
    const seen = (await all.counsel.get(path)).json.revision;
    expect((await all.counsel.post(`${path}/apply`, { revision: seen })).status).toBe(200);
    expect((await all.reader.get(`/v1/documents/${id}`)).text).toBe('Jane Roe and █████');
  });

  it('is rejected for missing terms or pages, and for unsupported media types', async () => {
    const all = await people();
    const { document_id: id } = (await upload(all.clerk, 'nothing of that kind')).json;
    const subject = { kind: 'DOCUMENT', id };
    const missing = await applied(all, { subject, terms: ['kind', 'Roe'] });
    expect([missing.status, missing.json.errors?.[0]]).toEqual([
      400,
      expect.objectContaining({ path: '/terms/1', code: 'not-found' }),
    ]);
    expect((await draft(all.clerk, { subject, pages: [{ page: 1 }] })).status).toBe(400);
    expect((await draft(all.clerk, { subject, pointers: ['/a'] })).status).toBe(400);
    const image = (
      await upload(all.clerk, {
        bytes: Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1'),
        filename: 'a.gif',
        type: 'image/gif',
      })
    ).json;
    const gif = await draft(all.clerk, { subject: { kind: 'DOCUMENT', id: image.document_id }, terms: ['a'] });
    expect([gif.status, gif.json.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const broken = (
      await upload(all.clerk, {
        bytes: Buffer.from('%PDF-1.7\nnot at all'),
        filename: 'a.pdf',
        type: 'application/pdf',
      })
    ).json;
    const torn = await applied(all, { subject: { kind: 'DOCUMENT', id: broken.document_id }, terms: ['a'] });
    expect([torn.status, torn.json.code]).toEqual([409, 'CONFLICT']);
    expect((await all.reader.get(`/v1/documents/${id}`)).text).toBe('nothing of that kind');
  });
});

const hexOf = (text: string): string =>
  [...text].map((character) => character.charCodeAt(0).toString(16).padStart(4, '0')).join('');

async function bytesOf(http: Http, path: string): Promise<Buffer> {
  const answer = await fetch(`${http.url}${path}`, { headers: { 'x-api-key': http.key ?? '' } });
  return Buffer.from(await answer.arrayBuffer());
}

function pdftotext(bytes: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'eas-pdf-'));
  try {
    writeFileSync(join(folder, 'a.pdf'), bytes);
    return execFileSync('pdftotext', [join(folder, 'a.pdf'), '-'], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
