import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { listedCodesOf } from '../../../shared/event-keys/listed-codes.js';
import { codeImport } from '../../../subgraphs/advocacy/codes/index.js';
import type { CodeEntry } from '../../../subgraphs/advocacy/codes/ports.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

const claims = readFileSync(repositoryFile('test/ledger/formats/x12/fixtures/professional.837'));
const untyped = { 'content-type': 'application/octet-stream' };

let service: WholeService;
let database: Database;
beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
}, 240_000);
afterAll(async () => {
  await database.close();
  await service.stop();
});

type Line = Pick<CodeEntry, 'code'> & Partial<CodeEntry>;

async function importTable(system: string, lines: readonly Line[]): Promise<void> {
  const store = codeImport(database.db);
  const edition = `${system.toLowerCase()}-2026`;
  await store.insert(
    system,
    edition,
    lines.map((line) => ({ description: 'x', is_valid: true, ...line })),
  );
  const about = { codes: lines.length, source_sha256: 'ab'.repeat(32), imported_at: new Date(0) };
  await store.publish({ system, edition, ...about });
}

interface Warned {
  readonly payload: {
    readonly raw: { readonly warnings?: readonly { readonly code: string; readonly message: string }[] };
  };
}
const codeWarnings = (events: readonly Warned[]): string[] =>
  events
    .flatMap(({ payload }) => payload.raw.warnings ?? [])
    .flatMap(({ code, message }) => (code.startsWith('CODE_') ? [`${code}: ${message}`] : []));

describe('codes of raw messages, against imported tables', () => {
  it('are not judged without a table; with tables, an event warns of each code that they do not allow on its day', async () => {
    const before = await freshTenant(service.operator);
    await before.http.post('/v1/ingest/raw', claims, untyped);
    expect(codeWarnings((await before.http.get('/v1/events')).json.items)).toEqual([]);

    await importTable('ICD10CM', [
      { code: 'J20.9', effective_to: new Date('2026-01-01') },
      { code: 'E11', is_valid: false },
    ]);
    await importTable('POS', [{ code: '11' }]);
    await importTable('TAXONOMY', [{ code: '203BF0100Y', effective_from: new Date('2026-01-01') }]);
    const warned = await eventually(
      async () => {
        const { http } = await freshTenant(service.operator);
        const { json } = await http.post('/v1/ingest/raw', claims, untyped);
        return { json, http, codes: codeWarnings((await http.get('/v1/events')).json.items) };
      },
      ({ codes }) => codes.length > 0,
    );
    const at = (pointer: string, words: string): string => `the ICD10CM code at ${pointer} ${words} (icd10cm-2026)`;
    expect(warned.codes).toEqual(
      expect.arrayContaining([
        `CODE_NOT_IN_FORCE: ${at('/payload/diagnosis_codes/0', 'is not in force on the day of service by the imported table')}`,
        `CODE_NOT_IN_TABLE: ${at('/payload/diagnosis_codes/1', 'is not in the imported table')}`,
      ]),
    );
    const others = warned.codes.filter((text) => !text.includes('ICD10CM'));
    expect(others).toEqual([
      'CODE_NOT_IN_TABLE: the POS code at /payload/lines/1/place_of_service is not in the imported table (pos-2026)',
      'CODE_NOT_IN_TABLE: the TAXONOMY code at /payload/providers/2/taxonomy is not in the imported table (taxonomy-2026)',
    ]);
    expect(JSON.stringify(warned.json.results)).toContain('CODE_NOT_IN_TABLE');

    // Warnings are no content: what came before the import is the same event after it.
    const again = await before.http.post('/v1/ingest/raw', Buffer.concat([Buffer.from('\n'), claims]), untyped);
    expect(again.json).toMatchObject({ accepted: 0, rejected: 0 });
  });
});

describe('the codes of a payload', () => {
  it('have their places, and diagnoses of another stated system are left out', () => {
    const codes = listedCodesOf({
      carc: ['CO-50', { code: '45' }],
      rarc: 'n130',
      procedure_codes: ['E0601', '99213'],
      diagnosis_codes: ['E8490', 'J209'],
      diagnoses: [
        { code: 'E8490', qualifier: 'BF' },
        { code: 'J209', qualifier: 'ABK' },
      ],
      lines: [{ revenue_code: '450' }, {}],
      providers: [{ npi: '1999999984' }, { taxonomy: '203BF0100Y' }],
      place_of_service: '11',
    });
    expect(codes.map(({ system, code, pointer }) => `${pointer} ${system} ${code}`)).toEqual([
      '/payload/carc/0 CARC 50',
      '/payload/rarc RARC N130',
      '/payload/procedure_codes/0 HCPCS E0601',
      '/payload/procedure_codes/1 CPT 99213',
      '/payload/diagnosis_codes/1 ICD10CM J20.9',
      '/payload/place_of_service POS 11',
      '/payload/lines/0/revenue_code REVENUE 0450',
      '/payload/providers/1/taxonomy TAXONOMY 203BF0100Y',
    ]);
  });
});
