import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { XMLValidator } from 'fast-xml-parser';
import { openExport } from '../../../shared/evidence/edx/export-source.js';
import { extensionOf, loadPath } from '../../../shared/evidence/edx/file-names.js';
import { opticonLine } from '../../../shared/evidence/edx/opticon.js';
import { type ProductionWork, productionVolume } from '../../../shared/evidence/edx/production.js';
import { recordText } from '../../../shared/evidence/edx/record-text.js';
import { openStoredArchive } from '../../../shared/evidence/edx/stored-archive.js';
import { archive, inPieces, WORK } from './edx-kit.js';

const NUMBERS = [1, 2, 3, 4, 5, 6].map((n) => `EAS-00000001-000000${n}`);

/** The files of a volume by path. */
async function produced(work: Partial<ProductionWork> = {}): Promise<ReadonlyMap<string, Buffer>> {
  const source = await openExport(inPieces(await archive(), 500), null);
  const chunks: Uint8Array[] = [];
  for await (const chunk of productionVolume(source, { ...WORK, ...work })) chunks.push(Uint8Array.from(chunk));
  const opened = await openStoredArchive(inPieces(Buffer.concat(chunks), 100));
  const files = new Map<string, Buffer>();
  for (const { name } of opened.entries) {
    const parts: Uint8Array[] = [];
    for await (const part of opened.read(name)) parts.push(part);
    files.set(name, Buffer.concat(parts));
  }
  return files;
}

/** Rows of the DAT file by control number. */
function datRows(files: ReadonlyMap<string, Buffer>, volume = 'VOL001'): ReadonlyMap<string, Record<string, string>> {
  const dat = String(files.get(`${volume}/DATA/${volume}.dat`)).slice(1);
  const [names = [], ...rows] = dat
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split('\u0014').map((cell) => cell.slice(1, -1)));
  const named = rows.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
  return new Map(named.map((row) => [row['BEGDOC'] ?? '', row]));
}

describe('a production volume', () => {
  it('has one native a record, with the hash that the load file and the manifest name', async () => {
    const files = await produced();
    const rows = datRows(files);
    expect([...rows.keys()]).toEqual(NUMBERS);
    for (const row of rows.values()) {
      const path = row['NATIVE_PATH'] ?? '';
      if (path === '') continue;
      const native = files.get(path.replaceAll('\\', '/')) ?? Buffer.alloc(0);
      expect(hash('sha256', native, 'hex')).toBe(row['SHA256']);
      expect(String(native.length)).toBe(row['FILE_SIZE']);
      expect(row['NATIVE_LINE']).toBe('');
    }
    expect(rows.get(NUMBERS[0] ?? '')?.['NATIVE_PATH']).toBe(`VOL001\\NATIVES\\0001\\${NUMBERS[0]}.json`);
    expect(rows.get(NUMBERS[3] ?? '')?.['NATIVE_PATH']).toBe(`VOL001\\NATIVES\\0001\\${NUMBERS[3]}.txt`);
    const natives = [...rows.values()].filter((row) => row['NATIVE_PATH'] !== '');
    expect([...files.keys()].filter((name) => name.includes('/NATIVES/'))).toHaveLength(natives.length);
  });

  it('has the text of each record, or says why there is none', async () => {
    const files = await produced();
    const rows = datRows(files);
    const textOf = (n: number) =>
      files.get((rows.get(NUMBERS[n] ?? '')?.['TEXT_PATH'] ?? '').replaceAll('\\', '/'))?.toString();
    expect(textOf(0)).toContain('event_type: claim.denied\n');
    expect(textOf(1)).toBe('event_type: claim.paid\nevent_id: evt_2\n');
    expect(textOf(3)).toBe('A LETTER');
    expect([...rows.values()].map((row) => row['TEXT_STATUS'])).toEqual([
      ...['EXTRACTED', 'EXTRACTED', 'EXTRACTED', 'EXTRACTED', 'NO_CONTENT', 'NO_CONTENT'],
    ]);
    const tooLarge = datRows(await produced({ texts: { ...WORK.texts, maxBytes: 3 } }));
    expect(tooLarge.get(NUMBERS[3] ?? '')).toMatchObject({ TEXT_PATH: '', TEXT_STATUS: 'TOO_LARGE' });
  });

  it('names the same files in DAT, CSV and EDRM XML', async () => {
    const files = await produced();
    const xml = String(files.get('VOL001/DATA/VOL001.xml'));
    expect(XMLValidator.validate(xml)).toBe(true);
    const inXml = [...xml.matchAll(/FilePath="([^"]*)" FileName="([^"]*)"/g)].map(
      ([, path, name]) => `${path}\\${name}`,
    );
    const rows = [...datRows(files).values()];
    const inDat = rows.flatMap((row) => [row['NATIVE_PATH'], row['TEXT_PATH']].filter((path) => path !== ''));
    expect(inXml).toEqual(inDat);
    const csv = String(files.get('VOL001/DATA/VOL001.csv'));
    for (const path of inDat) expect(csv).toContain(`,${path},`);
    // No record is an image.
    expect(files.has('VOL001/DATA/VOL001.opt')).toBe(false);
  });

  it('splits a large bundle into volumes that keep numbers and families', async () => {
    const first = await produced({ recordsPerVolume: 4 });
    const second = await produced({ recordsPerVolume: 4, volume: 2 });
    expect([...datRows(first).keys()]).toEqual(NUMBERS.slice(0, 4));
    expect([...datRows(second, 'VOL002').keys()]).toEqual(NUMBERS.slice(4));
    const third = produced({ recordsPerVolume: 4, volume: 3 });
    await expect(third).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('is the same for every split of the archive', async () => {
    expect(await produced()).toEqual(await produced());
  });
});

describe('the Opticon load file', () => {
  const record = {
    control_number: 'A-1',
    native_path: 'VOL001\\NATIVES\\0001\\A-1.pdf',
    media_type: 'application/pdf',
  };

  it('has a line for each PDF and JPEG', () => {
    expect(opticonLine(record as never, 'VOL001')).toBe('A-1,VOL001,VOL001\\NATIVES\\0001\\A-1.pdf,Y,,,\r\n');
    expect(opticonLine({ ...record, media_type: 'text/plain' } as never, 'VOL001')).toBeNull();
    expect(opticonLine({ ...record, native_path: null } as never, 'VOL001')).toBeNull();
  });
});

describe('names of files', () => {
  it.each([
    ['Letter.PDF', 'text/plain', 'pdf'],
    ['../../etc/passwd', 'application/pdf', 'pdf'],
    ['a.verylongextension', 'text/html; charset=utf-8', 'html'],
    ['a.p/df', 'application/x-unknown', 'bin'],
    [null, 'image/jpeg', 'jpg'],
  ])('give %j of %s the extension %s', (name, mediaType, extension) => {
    expect(extensionOf(name, mediaType)).toBe(extension);
  });

  it('are written with backslashes in load files', () => {
    expect(loadPath('VOL001/TEXT/0001/A.txt')).toBe('VOL001\\TEXT\\0001\\A.txt');
  });
});

describe('the text of an event', () => {
  it('has a line for each value, with its path', () => {
    expect(recordText({ a: 1, b: { c: ['x', null] }, d: [] })).toBe('a: 1\nb.c.0: x\nb.c.1: null\n');
  });
});
