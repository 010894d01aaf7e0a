import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { pdfOf } from '../pdf-kit.js';
import { upload } from '../vault-kit.js';
import { docxOf, zipOf } from '../zip-kit.js';

let service: WholeService;
let http: Http;
let tenantId: string;
beforeAll(async () => {
  service = await startWholeService();
  ({ http, tenantId } = await freshTenant(service.operator, ['admin']));
}, 180_000);
afterAll(() => service.stop());

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
const find = async (query: string, more: object = {}, as = http): Promise<any> => {
  const answer = await as.post('/v1/search', { query, kinds: ['document'], ...more });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json;
};
const idsOf = async (query: string, more: object = {}, as = http): Promise<string[]> =>
  (await find(query, more, as)).items.map(({ id }: { id: string }) => id);

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 150_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('it did not come to be');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function indexed(file: Parameters<typeof upload>[1], word: string, fields = {}): Promise<string> {
  const { document_id } = (await upload(http, file, fields)).json;
  await until(async () => (await idsOf(word)).includes(document_id));
  return document_id;
}

const keyWith = async (scopes: readonly string[]): Promise<Http> => {
  const made = await service.operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'reader', scopes });
  return service.operator.as(made.json.api_key);
};

describe('document search', () => {
  it('finds documents of every readable media type, with snippets', async () => {
    const pdf = await pdfOf([{ text: 'The zirconium implant was not medically necessary.', x: 72, y: 700 }], false);
    const id = await indexed({ bytes: pdf, filename: 'a.pdf', type: 'application/pdf' }, 'zirconium', {
      member_id: 'M-1',
      document_type: 'LETTER',
      title: 'A letter',
    });
    const found = await find('"not medically necessary" zirconium');
    expect((await http.get(`/v1/documents/${id}/metadata`)).json.text).toEqual({ status: 'READY', reason: null });
    expect(found.items).toEqual([
      expect.objectContaining({ kind: 'document', id, filename: 'a.pdf', title: 'A letter', member_ids: ['M-1'] }),
    ]);
    expect(found.items[0].highlights[0].snippet).toContain('zirconium');
    expect(found.facets.document_type).toEqual([{ value: 'LETTER', count: 1 }]);
    await indexed({ bytes: docxOf('About yttrium'), filename: 'a.docx', type: DOCX }, 'yttrium');
    await indexed({ bytes: Buffer.from('<p>About scandium'), filename: 'a.html', type: 'text/html' }, 'scandium');
  });

  it('finds documents by their record, also without readable text', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1');
    const fields = {
      title: 'Letter of niobium',
      document_type: 'SCANNED_LETTER',
      tags: 'molybdenum',
      member_id: 'M-4711',
    };
    const file = { bytes: png, filename: 'technetium-1.png', type: 'image/png' };
    const id = await indexed(file, 'niobium', fields);
    expect((await http.get(`/v1/documents/${id}/metadata`)).json.text).toEqual({ status: 'UNSUPPORTED', reason: null });
    for (const query of ['"letter of niobium"', 'scanned_letter', 'molybdenum', 'technetium', 'M-4711', 'niob*', id])
      expect(await idsOf(query)).toEqual([id]);
    expect((await find('niobium')).items[0].highlights).toEqual([
      { pointer: '/title', snippet: 'Letter of niobium', matches: [{ start: 10, end: 17 }] },
    ]);
    expect(await idsOf('"niobium scanned"')).toEqual([]);
    expect(await idsOf('niobium -molybdenum')).toEqual([]);
  });

  it('applies filters, and merges documents with events in one order under one cursor', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++)
      ids.push(await indexed(`gallium ${'x '.repeat(i * 40)}`, 'gallium', { member_id: `M-G${i}` }));
    await http.post('/v1/events', { ...envelope('ga'), member_id: 'M-G0', payload: { note: 'gallium' } });
    await until(async () => (await find('gallium', { kinds: ['event'] })).total === 1);
    expect(await idsOf('gallium', { filters: { member_id: 'M-G1' } })).toEqual([ids[1]]);
    const all = await find('gallium', { kinds: undefined });
    expect(all.items.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      'document',
      'document',
      'document',
      'event',
    ]);
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await find('gallium', { kinds: undefined, limit: 1, ...(cursor === null ? {} : { cursor }) });
      paged.push(...page.items.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(paged).toEqual(all.items.map(({ id }: { id: string }) => id));
    expect(
      (await find('gallium', { kinds: undefined, filters: { outcome: 'denied' } })).items.every(
        ({ kind }: { kind: string }) => kind === 'event',
      ),
    ).toBe(true);
  });

  it('finds nothing for another tenant or a key without documents:read', async () => {
    await indexed('only here: germanium', 'germanium');
    const other = (await freshTenant(service.operator, ['admin'])).http;
    expect(await idsOf('germanium', {}, other)).toEqual([]);
    const narrow = await keyWith(['search:read']);
    expect((await narrow.post('/v1/search', { query: 'germanium' })).json.items).toEqual([]);
    expect((await narrow.post('/v1/search', { query: 'germanium', kinds: ['document'] })).status).toBe(403);
  });

  it('finds a redacted document by its rendition, unless the reader may read the original', async () => {
    const id = await indexed('selenium and tellurium', 'tellurium');
    const drafted = await http.post('/v1/redactions', {
      subject: { kind: 'DOCUMENT', id },
      terms: ['tellurium'],
      reason: 'x',
      basis: 'y',
    });
    const counsel = await keyWith(['redactions:apply']);
    expect((await counsel.post(`/v1/redactions/${drafted.json.redaction_id}/apply`, {})).status).toBe(200);
    expect(await idsOf('tellurium')).toEqual([]);
    const trusted = await keyWith(['events:read', 'documents:unredacted']);
    expect(await idsOf('tellurium', {}, trusted)).toEqual([id]);
    await until(async () => (await idsOf('selenium')).length === 1);
    expect((await find('selenium')).items[0].highlights[0].snippet).not.toContain('tellurium');
  });

  it('finds no quarantined or rejected document', async () => {
    const eicar = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H* rhodium';
    const { document_id } = (await upload(http, `rhodium`, {})).json;
    await until(async () => (await idsOf('rhodium')).includes(document_id));
    const flagged = (await upload(http, eicar)).json.document_id;
    await until(async () => (await http.get(`/v1/documents/${flagged}/metadata`)).json.scan.status !== 'PENDING');
    expect(await idsOf('rhodium')).toEqual([document_id]);
  });

  it('marks hostile files as failed, and keeps the service running', async () => {
    const bomb = zipOf({ 'word/document.xml': Buffer.alloc(150 * 1_048_576, 0x20), '[Content_Types].xml': '<Types/>' });
    const { status } = await upload(http, { bytes: bomb, filename: 'b.docx', type: DOCX });
    expect(status).toBe(200);
    await indexed('after it: palladium', 'palladium');
  });
});
