import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { openCodeFile } from '../../../subgraphs/advocacy/codes/adapters/code-source.js';
import type { CodeLine } from '../../../subgraphs/advocacy/codes/domain/code-files.js';
import { importCodes } from '../../../subgraphs/advocacy/codes/import-codes.js';
import type { CodeEdition, CodeImport } from '../../../subgraphs/advocacy/codes/ports.js';

/** An import into memory, which tells what would be read of it. */
function memoryImport() {
  const rows: CodeLine[] = [];
  const published: CodeEdition[] = [];
  const store: CodeImport = {
    current: async () => published.at(-1) ?? null,
    insert: async (_system, _edition, lines) => void rows.push(...lines),
    publish: async (edition) => void published.push(edition),
  };
  return { rows, published, deps: { store, clock: { nowMs: () => 0 } as never } };
}

const OPTIONS = { system: null, edition: 'e', skipBadLines: false };
const fileOf = (...lines: readonly string[]) => ({
  sha256: 'ab'.repeat(32),
  lines: (async function* () {
    yield* lines;
  })(),
});

const order = (code: string, valid: 0 | 1, title: string): string =>
  `00001 ${code.padEnd(7)} ${valid} ${title.slice(0, 60).padEnd(60)} ${title}`;
/** A line of the record layout. */
const record = (code: string, type: string, text: string, from = '', last = ''): string =>
  `${code.padEnd(5)}00100${type}${text.padEnd(80)}${text.slice(0, 28).padEnd(28)}`.padEnd(276) +
  from.padEnd(8) +
  last.padEnd(8);

describe('importing code tables', () => {
  it('reads the order file of ICD-10-CM with dotted codes and headings', async () => {
    const { rows, published, deps } = memoryImport();
    const report = await importCodes(
      deps,
      fileOf(order('G47', 0, 'Sleep disorders'), order('G4733', 1, 'Obstructive sleep apnea (adult) (pediatric)'), ''),
      OPTIONS,
    );
    expect(report).toMatchObject({ system: 'ICD10CM', codes: 2, badLines: 0, outcome: 'IMPORTED' });
    expect(rows).toEqual([
      { code: 'G47', description: 'Sleep disorders', is_valid: false },
      { code: 'G47.33', description: 'Obstructive sleep apnea (adult) (pediatric)', is_valid: true },
    ]);
    expect(published).toMatchObject([{ system: 'ICD10CM', edition: 'e-abababababab', codes: 2 }]);
  });

  it('reads the HCPCS record layout with continued texts and dates, without CPT, dental codes and modifiers', async () => {
    const { rows, deps } = memoryImport();
    const report = await importCodes(
      deps,
      fileOf(
        record('E0601', '3', 'Continuous positive airway', '20200101'),
        record('E0601', '4', 'pressure device'),
        record('G0297', '3', 'Low dose ct scan', '20150205', '20201231'),
        record('D0120', '3', 'Periodic oral evaluation'),
        record('99213', '3', 'Office visit'),
        record('   RT', '7', 'Right side'),
      ),
      OPTIONS,
    );
    expect(report).toMatchObject({ system: 'HCPCS', codes: 2 });
    expect(rows).toEqual([
      {
        code: 'E0601',
        description: 'Continuous positive airway pressure device',
        is_valid: true,
        effective_from: new Date('2020-01-01'),
      },
      {
        code: 'G0297',
        description: 'Low dose ct scan',
        is_valid: true,
        effective_from: new Date('2015-02-05'),
        // The day named is the last one.
        effective_to: new Date('2021-01-01'),
      },
    ]);
  });

  it.each([
    ['code\tbillable\tdescription', 'A00.0\t1\tCholera', null, 'ICD10CM'],
    ['code\tshort_description\tsource', 'A0021\tOutside state ambulance\tx', null, 'HCPCS'],
    ['code\tdescription', 'M15\tParts of one', 'RARC', 'RARC'],
  ])('reads a table with the columns %j', async (header, line, system, expected) => {
    const { rows, deps } = memoryImport();
    const report = await importCodes(deps, fileOf(header, line), { ...OPTIONS, system });
    expect([report.system, report.outcome, rows.length]).toEqual([expected, 'IMPORTED', 1]);
  });

  it('reads the first and last day of validity of a table with tabs, and rejects impossible ones', async () => {
    const { rows, deps } = memoryImport();
    const file = fileOf(
      'code\tdescription\tstart_date\tstop_date',
      '15\tAuthorization\t1995-01-01\t2009-06-30',
      '50\tNot necessary\t19950101\t',
      '51\tNot covered\t2009-02-30\t',
    );
    const report = await importCodes(deps, file, { ...OPTIONS, system: 'CARC', skipBadLines: true });
    expect([report.outcome, report.shown.map(({ line }) => line)]).toEqual(['IMPORTED', [4]]);
    const from = new Date('1995-01-01');
    expect(rows).toEqual([
      // The day named is the last one.
      {
        code: '15',
        description: 'Authorization',
        is_valid: true,
        effective_from: from,
        effective_to: new Date('2009-07-01'),
      },
      { code: '50', description: 'Not necessary', is_valid: true, effective_from: from },
    ]);
  });

  it('reports a bad line by number and publishes nothing of the file', async () => {
    const file = () =>
      fileOf('code\tbillable\tdescription', 'A00.0\t1\tCholera', '???\t1\tx', 'A00.0\t1\tagain', 'A00.1\t7\tx');
    const { published, deps } = memoryImport();
    const report = await importCodes(deps, file(), OPTIONS);
    expect(report).toMatchObject({ outcome: 'REFUSED', badLines: 3 });
    expect(report.shown.map(({ line }) => line)).toEqual([3, 4, 5]);
    expect(published).toEqual([]);
    expect(await importCodes(deps, file(), { ...OPTIONS, skipBadLines: true })).toMatchObject({
      outcome: 'IMPORTED',
      codes: 1,
    });
    expect(await importCodes(deps, file(), OPTIONS)).toMatchObject({ outcome: 'UNCHANGED' });
  });

  it.each(['', 'hello', '{"code": 1}', 'code\tdescription'])('does not accept %j as a table', async (first) => {
    const { published, deps } = memoryImport();
    expect(await importCodes(deps, fileOf(first), OPTIONS)).toMatchObject({ outcome: 'UNKNOWN' });
    expect(published).toEqual([]);
  });

  it('reads plain and gzip files and fails for a truncated one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'eas-codes-'));
    try {
      const text = `code\tbillable\tdescription\n${Array.from({ length: 5_000 }, (_, i) => `A${String(i).padStart(4, '0')}\t1\tCode ${i}`).join('\n')}\n`;
      const packed = gzipSync(text);
      const read = async (bytes: Uint8Array | string): Promise<number> => {
        const path = join(folder, 'codes');
        await writeFile(path, bytes);
        const { rows, deps } = memoryImport();
        await importCodes(deps, await openCodeFile(path), OPTIONS);
        return rows.length;
      };
      expect([await read(text), await read(packed)]).toEqual([5_000, 5_000]);
      await expect(read(packed.subarray(0, packed.length - 100))).rejects.toThrow();
      await expect(openCodeFile(join(folder, 'none'))).rejects.toThrow('ENOENT');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
