import { describe, expect, it } from '@jest/globals';
import {
  DocumentProcesses,
  processExtractor,
} from '../../../subgraphs/vault/content/adapters/processes/document-processes.js';
import { findTerms, withoutTerms } from '../../../subgraphs/vault/content/domain.js';
import { pdfOf } from '../pdf-kit.js';
import { docxOf, zipOf } from '../zip-kit.js';

const limits = { maxPages: 50, maxCharacters: 100_000 };
const extractor = processExtractor(new DocumentProcesses({ timeoutMs: 60_000, memoryMb: 256, concurrency: 2 }), limits);
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('text extraction', () => {
  const cda = `<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><id root="hiddenroot"/><component><section>
    <title>Assessment</title><text><paragraph>Chest <content ID="a">pain</content> resolved</paragraph></text></section></component></ClinicalDocument>`;
  const fhir = JSON.stringify({
    resourceType: 'Composition',
    id: 'unread',
    text: { div: '<div>Knee <b>pain</b></div>' },
  });
  it.each<[string, string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    [
      'PDF',
      'application/pdf',
      () => pdfOf([{ text: 'Not medically necessary', x: 72, y: 700 }]),
      /Not medically necessary/,
    ],
    ['DOCX', DOCX, () => docxOf('Letter of medical necessity'), /Letter of medical necessity/],
    [
      'HTML',
      'text/html; charset=utf-8',
      () => Buffer.from('<p>Denied&nbsp;claim<script>alert("x")</script><p>Paid'),
      /^Denied claim\nPaid$/,
    ],
    [
      'RTF',
      'application/rtf',
      () => Buffer.from("{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}Caf\\'e9 \\u8364?\\par Next {\\*\\generator x}line}"),
      /^Café €\s*\nNext line$/,
    ],
    ['plain text', 'text/plain', () => Buffer.from('G\xfcnter', 'latin1'), /^Günter$/],
    ['CDA', 'text/xml', () => Buffer.from(cda), /^Assessment\n+Chest pain resolved$/],
    ['FHIR', 'application/fhir+json', () => Buffer.from(fhir), /^Knee pain$/],
  ])('of %s', async (_, type, bytes, expected) => {
    expect(await extractor.extract(type, await bytes())).toEqual({ text: expect.stringMatching(expected) });
  });
});

describe('text extraction of hostile files', () => {
  const bomb = (): Buffer => zipOf({ 'word/document.xml': Buffer.alloc(200 * 1_048_576, 0x20) });
  const laughs = `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY b${i} "${'&a;'.repeat(50)}">`).join('')}]><r>&b29;&xxe;</r>`;
  it.each<[string, string, () => Uint8Array, unknown]>([
    ['a ZIP bomb', DOCX, bomb, { fault: 'TOO_LARGE' }],
    ['no ZIP at all', DOCX, () => Buffer.from('PK but no archive at all'), { fault: 'UNREADABLE' }],
    ['a torn PDF', 'application/pdf', () => Buffer.from('%PDF-1.7\n1 0 obj\n<<'), { fault: 'UNREADABLE' }],
    ['tags without end', 'text/html', () => Buffer.from('<div>'.repeat(100_000)), { fault: 'UNREADABLE' }],
    [
      'JSON that nests without end',
      'application/json',
      () => Buffer.from('['.repeat(200_000)),
      { fault: 'UNREADABLE' },
    ],
  ])('%s', async (_, type, bytes, expected) => {
    expect(await extractor.extract(type, bytes())).toEqual(expected);
  });

  it('expands no XML entities and fetches nothing', async () => {
    const read = await extractor.extract('application/xml', Buffer.from(laughs));
    expect(JSON.stringify(read)).not.toContain('haha');
  });

  it('ends a process after the timeout', async () => {
    const hasty = processExtractor(new DocumentProcesses({ timeoutMs: 1, memoryMb: 256, concurrency: 1 }), limits);
    expect(await hasty.extract('text/plain', Buffer.from('slow'))).toEqual({ fault: 'TIMEOUT' });
  });

  it('ends a process that exceeds its memory', async () => {
    const poor = processExtractor(new DocumentProcesses({ timeoutMs: 60_000, memoryMb: 24, concurrency: 1 }), limits);
    const wide = Buffer.from(`[${'{"text":"x"},'.repeat(1_500_000)}1]`);
    expect(await poor.extract('application/json', wide)).toEqual({ fault: 'OUT_OF_MEMORY' });
  });
});

describe('terms', () => {
  it.each<[string, string, readonly string[], string]>([
    ['whole words alone', 'Jane Janet jane.', ['jane'], '█████ Janet █████.'],
    ['words with any white space between', 'Jane\n  Roe', ['jane roe'], '█████'],
    ['literally', 'a.b axb (a.b)', ['a.b'], '█████ axb (█████)'],
    ['dashes and quotes of any kind', 'O’Brien–Smith', ["o'brien-smith"], '█████'],
    ['marks and compatibility forms', 'Renée ﬁle', ['renee', 'file'], '█████ █████'],
    ['parted at the end of a line', 'Smith-\nson', ['Smithson'], '█████'],
    [
      'parted by a soft hyphen, or with spaces behind it',
      'Smith\u00ad\nson Smith-  \nson',
      ['Smithson'],
      '█████ █████',
    ],
    ['parted at a dash of their own', 'Anne O’Brien-\nSmith', ["o'brien-smith"], 'Anne █████'],
    ['overlapping', 'Jane Roe Smith', ['Jane Roe', 'Roe Smith'], '█████'],
    ['with marks written apart', 'Rene\u0301e!', ['Renée'], '█████!'],
  ])('%s', (_, text, terms, expected) => {
    const { text: left, found } = withoutTerms(text, terms);
    expect([left, found.size]).toEqual([expected, terms.length]);
  });

  it('finds terms with characters that are special in expressions', () => {
    for (const term of ['a+b', 'c(d)', '[e]f', 'g\\h', 'i^j$k', 'l{2}', 'm|n', 'o/p']) {
      expect(findTerms(`x ${term} y`, [term])).toHaveLength(1);
    }
  });
});
