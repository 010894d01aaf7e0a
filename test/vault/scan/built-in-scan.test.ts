import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { builtInEngine } from '../../../subgraphs/vault/scan/adapters/built-in.js';
import { EICAR } from '../../../subgraphs/vault/scan/adapters/byte-search.js';
import { zipOf } from './zip-kit.js';

const OOXML = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** Codes that the built-in checks find, in order and each once. @param cut bytes a piece, so that seams are met */
async function codesOf(bytes: Buffer, media_type = 'application/octet-stream', filename = 'letter', cut = 1_048_576) {
  const content = {
    sha256: '0'.repeat(64),
    size: bytes.length,
    media_type,
    filename,
    async *read({ start, end } = { start: 0, end: bytes.length }) {
      for (let at = start; at < end; at += cut) yield bytes.subarray(at, Math.min(at + cut, end));
    },
  };
  const findings = await builtInEngine().scan(content);
  return [...new Set(findings.map(({ code }) => code))].sort();
}

const pdf = (body: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from(body as string), Buffer.from('\n%%EOF\n')]);
const objectStream = (text: string, filter = '/Filter /FlateDecode', packed = deflateSync(Buffer.from(text))): Buffer =>
  Buffer.concat([
    Buffer.from(`%PDF-1.7\n1 0 obj\n<< /Type /ObjStm ${filter} /Length ${packed.length} >>\nstream\r\n`),
    packed,
    Buffer.from('\nendstream\nendobj\n%%EOF\n'),
  ]);
const ole = (text: string): Buffer =>
  Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504), Buffer.from(text, 'utf16le')]);
const docx = (...more: Parameters<typeof zipOf>[0]): Buffer =>
  zipOf([{ name: '[Content_Types].xml', bytes: Buffer.from('<Types/>') }, ...more]);

describe('clean content', () => {
  it.each([
    ['a text', Buffer.from('Notice of denial. MZ is a street.'), 'text/plain'],
    ['a PDF', pdf('1 0 obj << /Type /Catalog /OpenAction [3 0 R /Fit] /URI (https://x.test) >>'), 'application/pdf'],
    ['a PDF with object streams', objectStream('<< /Type /Page >>'), 'application/pdf'],
    ['a Word file', docx({ name: 'word/document.xml', bytes: Buffer.from('<w:document/>') }), OOXML],
    ['a gzip', gzipSync(Buffer.from('text')), 'application/gzip'],
    ['an old Word file', ole('WordDocument'), 'application/msword'],
    ['a ZIP in a ZIP', zipOf([{ name: 'in.zip', bytes: docx() }]), 'application/zip'],
    ['JSON', Buffer.from('{"a":1}'), 'application/fhir+json'],
    ['UTF-16', Buffer.from('\ufeffBescheid', 'utf16le'), 'text/plain'],
    ['what nobody knows', Buffer.from([1, 2, 0, 3]), 'application/x-own'],
  ])('%s', async (_, bytes, type) => {
    expect(await codesOf(bytes, type)).toEqual([]);
  });
});

describe('the declared media type', () => {
  it.each([
    [
      'a program as PDF',
      Buffer.concat([Buffer.from('MZ'), Buffer.alloc(64)]),
      'application/pdf',
      ['EXECUTABLE', 'MEDIA_TYPE_MISMATCH'],
    ],
    ['a PDF as image', pdf(''), 'image/png', ['MEDIA_TYPE_MISMATCH']],
    ['bytes as text', Buffer.from([1, 0, 2, 0, 3, 0]), 'text/plain', ['MEDIA_TYPE_MISMATCH']],
    ['a text as Word file', Buffer.from('text'), OOXML, ['MEDIA_TYPE_MISMATCH']],
    ['ELF', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]), 'application/octet-stream', ['EXECUTABLE']],
    ['a script', Buffer.from('#!/bin/sh\nrm'), 'application/octet-stream', ['EXECUTABLE']],
    ['a Java class', Buffer.from('cafebabe00000034', 'hex'), 'application/octet-stream', ['EXECUTABLE']],
  ])('%s', async (_, bytes, type, codes) => {
    expect(await codesOf(bytes, type)).toEqual(codes);
  });

  it('reports a file name that runs on opening', async () => {
    expect(await codesOf(Buffer.from('x'), 'text/plain', 'letter.pdf.JS')).toEqual(['EXECUTABLE_NAME']);
  });
});

describe('active content of PDFs', () => {
  it.each([
    ['a script', pdf('<< /S /JavaScript /JS (app.alert(1)) >>'), ['PDF_JAVASCRIPT']],
    ['a program', pdf('<< /S /Launch /F (cmd.exe) >>'), ['PDF_ACTION']],
    ['an embedded file', pdf('<< /Type /EmbeddedFile >>'), ['PDF_EMBEDDED_FILE']],
    ['encryption', pdf('trailer << /Encrypt 5 0 R >>'), ['PDF_ENCRYPTED']],
    ['a rendition, which may hold a script', pdf('<< /S /Rendition /JS (x) >>'), ['PDF_ACTION']],
    ['a form of XFA', pdf('<< /XFA 7 0 R >>'), ['PDF_XFA']],
    ['a script in an object stream', objectStream('<< /S /JavaScript /JS (x) >>'), ['PDF_JAVASCRIPT']],
    ['a script by a hidden name', pdf('<< /S /Java#53cript >>'), ['PDF_OBFUSCATED']],
    [
      'an object stream that cannot be opened',
      objectStream('x', '/Filter /LZWDecode', Buffer.from('?????')),
      ['PDF_UNREADABLE'],
    ],
    ['an object stream without a filter', objectStream('', '', Buffer.from('<< /S /Launch >>')), ['PDF_ACTION']],
  ])('%s', async (_, bytes, codes) => {
    expect(await codesOf(bytes, 'application/pdf')).toEqual(codes);
    // Wherever the pieces are cut.
    for (const cut of [7, 64, 100]) expect(await codesOf(bytes, 'application/pdf', 'letter', cut)).toEqual(codes);
  });

  it('reports a PDF that unpacks to an excessive size, without blocking other work', async () => {
    const packed = deflateSync(Buffer.alloc(30_000_000, 0x20));
    const bytes = Buffer.concat(Array.from({ length: 3 }, () => objectStream('', '/Filter /FlateDecode', packed)));
    let turns = 0;
    const others = setInterval(() => turns++, 1);
    expect(await codesOf(bytes, 'application/pdf')).toEqual(['ARCHIVE_BOMB']);
    clearInterval(others);
    expect(turns).toBeGreaterThan(20);
  });

  it('reports more object streams than it opens', async () => {
    expect(await codesOf(pdf('/ObjStm'.repeat(50_001)), 'application/pdf')).toEqual(['PDF_UNREADABLE']);
  });

  it('ignores a name that only starts like an action', async () => {
    const bytes = pdf('<< /LaunchDate (x) /JavaScripts 1 >>');
    for (const cut of [1_000, 22, 20]) expect(await codesOf(bytes, 'application/pdf', 'letter', cut)).toEqual([]);
  });
});

describe('Office files', () => {
  it.each([
    ['macros', docx({ name: 'word/vbaProject.bin', bytes: Buffer.from('x') }), OOXML, ['OFFICE_MACRO']],
    [
      'macro types',
      zipOf([{ name: '[Content_Types].xml', bytes: Buffer.from('<x macroEnabled/>') }]),
      OOXML,
      ['OFFICE_MACRO'],
    ],
    ['controls', docx({ name: 'word/activeX/activeX1.xml', bytes: Buffer.from('x') }), OOXML, ['OFFICE_ACTIVEX']],
    [
      'embedded objects',
      docx({ name: 'word/embeddings/oleObject1.bin', bytes: Buffer.from('x') }),
      OOXML,
      ['OFFICE_EMBEDDED_OBJECT'],
    ],
    [
      'a template from elsewhere',
      docx({
        name: 'word/_rels/settings.xml.rels',
        bytes: Buffer.from('<R Type="a/attachedTemplate" TargetMode="External"/>'),
      }),
      OOXML,
      ['OFFICE_REMOTE_TEMPLATE'],
    ],
    ['old macros', ole('_VBA_PROJECT'), 'application/msword', ['OFFICE_MACRO']],
    ['encryption', ole('EncryptedPackage'), 'application/msword', ['OFFICE_ENCRYPTED']],
    ['RTF objects', Buffer.from('{\\rtf1 {\\object{\\*\\objdata 00}}}'), 'application/rtf', ['OFFICE_EMBEDDED_OBJECT']],
  ])('%s', async (_, bytes, type, codes) => {
    expect(await codesOf(bytes, type)).toEqual(codes);
  });
});

describe('archives', () => {
  const zeros = Buffer.alloc(100_000_000);
  it.each([
    ['encrypted', zipOf([{ name: 'a', bytes: Buffer.from('x'), flags: 1 }]), ['ARCHIVE_ENCRYPTED']],
    [
      'a program inside',
      zipOf([{ name: 'a.bin', bytes: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]) }]),
      ['EXECUTABLE_IN_ARCHIVE'],
    ],
    ['a program by name', zipOf([{ name: 'a.exe', bytes: Buffer.from('x') }]), ['EXECUTABLE_IN_ARCHIVE']],
    ['EICAR inside', zipOf([{ name: 'a', bytes: EICAR }]), ['MALWARE']],
    ['EICAR two archives down', zipOf([{ name: 'b.zip', bytes: zipOf([{ name: 'a', bytes: EICAR }]) }]), ['MALWARE']],
    ['a PDF with a script', zipOf([{ name: 'a.pdf', bytes: pdf('<< /S /JavaScript >>') }]), ['PDF_JAVASCRIPT']],
    ['a PDF with a script in a gzip', gzipSync(objectStream('<< /S /JavaScript >>')), ['PDF_JAVASCRIPT']],
    ['old macros', zipOf([{ name: 'a.doc', bytes: ole('_VBA_PROJECT') }]), ['OFFICE_MACRO']],
    ['a bomb', zipOf([{ name: 'a', bytes: zeros }]), ['ARCHIVE_BOMB']],
    ['a bomb that says it is small', zipOf([{ name: 'a', bytes: zeros, saysBytes: 10 }]), ['ARCHIVE_BOMB']],
    ['a bomb of gzip', gzipSync(zeros), ['ARCHIVE_BOMB']],
    ['a directory that is cut', zipOf([{ name: 'a', bytes: Buffer.from('x') }]).subarray(0, 40), ['ARCHIVE_BROKEN']],
    [
      'data that is damaged',
      zipOf([{ name: 'a', bytes: Buffer.from('x'), packed: Buffer.from([255, 255, 255]) }]),
      ['ARCHIVE_BROKEN'],
    ],
    ['another packing', zipOf([{ name: 'a', bytes: Buffer.from('x'), method: 12 }]), ['ARCHIVE_NOT_OPENED']],
    ['7z', Buffer.from('377abcaf271c0004', 'hex'), ['ARCHIVE_NOT_OPENED']],
    ['RAR', Buffer.from('Rar!\u001a\u0007\u0001\u0000', 'latin1'), ['ARCHIVE_NOT_OPENED']],
    ['an archive behind a picture', Buffer.concat([Buffer.from('GIF89a'), docx()]), ['ARCHIVE_BROKEN', 'POLYGLOT']],
  ])('%s', async (_, bytes, codes) => {
    expect(await codesOf(bytes)).toEqual(codes);
  });

  it('reports overlapping entries before unpacking anything', async () => {
    const packed = deflateRawSync(Buffer.alloc(1_000));
    const shared = [...Array(20).keys()].map((n) => ({ name: `${n}`, bytes: Buffer.alloc(0), packed, at: 0 }));
    expect(await codesOf(zipOf(shared))).toEqual(['ARCHIVE_BOMB']);
  });

  it('finds EICAR at any offset and across pieces', async () => {
    const bytes = Buffer.concat([Buffer.alloc(5_000, 65), EICAR, Buffer.alloc(10, 66)]);
    for (const cut of [13, 68, 1_000, 5_010])
      expect(await codesOf(bytes, 'text/plain', 'letter', cut)).toEqual(['MALWARE']);
  });
});
