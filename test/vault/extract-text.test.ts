import { describe, expect, test } from '@jest/globals';
import { DocumentProcesses } from '../../subgraphs/vault/adapters/documents/document-processes.js';
import { processExtractor } from '../../subgraphs/vault/adapters/documents/process-extractor.js';
import { findTerms, withoutTerms } from '../../subgraphs/vault/domain/find-terms.js';
import { pdfOf } from './pdf-kit.js';
import { docxOf, zipOf } from './zip-kit.js';

const limits = { maxPages: 50, maxCharacters: 100_000 };
const extractor = processExtractor(new DocumentProcesses({ timeoutMs: 60_000, memoryMb: 256, concurrency: 2 }), limits);
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('words are read', () => {
  const cda = `<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><id root="hiddenroot"/><component><section>
    <title>Assessment</title><text><paragraph>Chest <content ID="a">pain</content> resolved</paragraph></text></section></component></ClinicalDocument>`;
  const fhir = JSON.stringify({
    resourceType: 'Composition',
    id: 'unread',
    text: { div: '<div>Knee <b>pain</b></div>' },
  });
  test.each<[string, string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
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

describe('hostile files end as faults, and the process goes on', () => {
  const bomb = (): Buffer => zipOf({ 'word/document.xml': Buffer.alloc(200 * 1_048_576, 0x20) });
  const laughs = `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY b${i} "${'&a;'.repeat(50)}">`).join('')}]><r>&b29;&xxe;</r>`;
  test.each<[string, string, () => Uint8Array, unknown]>([
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

  test('entities of XML are not expanded, nor is anything fetched', async () => {
    const read = await extractor.extract('application/xml', Buffer.from(laughs));
    expect(JSON.stringify(read)).not.toContain('haha');
  });

  test('what takes too long is ended', async () => {
    const hasty = processExtractor(new DocumentProcesses({ timeoutMs: 1, memoryMb: 256, concurrency: 1 }), limits);
    expect(await hasty.extract('text/plain', Buffer.from('slow'))).toEqual({ fault: 'TIMEOUT' });
  });

  test('what takes too much memory is ended', async () => {
    const poor = processExtractor(new DocumentProcesses({ timeoutMs: 60_000, memoryMb: 24, concurrency: 1 }), limits);
    const wide = Buffer.from(`[${'{"text":"x"},'.repeat(1_500_000)}1]`);
    expect(await poor.extract('application/json', wide)).toEqual({ fault: 'OUT_OF_MEMORY' });
  });
});

describe('terms', () => {
  test.each<[string, string, readonly string[], string]>([
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

  test('of signs that mean something to expressions are found as they are', () => {
    for (const term of ['a+b', 'c(d)', '[e]f', 'g\\h', 'i^j$k', 'l{2}', 'm|n', 'o/p']) {
      expect(findTerms(`x ${term} y`, [term])).toHaveLength(1);
    }
  });
});
