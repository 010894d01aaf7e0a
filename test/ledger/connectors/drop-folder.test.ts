import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { admission, eventsOf, makeConnector, read, runConnector, until } from './connectors-kit.js';

let service: WholeService;
let http: Http;
let tenantId: string;
let base: string;
let claims: Buffer;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'eas-drop-'));
  service = await startWholeService({ SERVICE_DROP_DIR: base });
  ({ http, tenantId } = await freshTenant(service.operator, ['admin']));
  claims = await readFile(repositoryFile('app/demo/files/claims-837p.edi'));
});

afterAll(async () => {
  await service.stop();
  await rm(base, { recursive: true, force: true });
});

const drop = (folder: string, over: Readonly<Record<string, unknown>> = {}) =>
  runConnector(http, {
    kind: 'X12',
    source_system: folder,
    config: { transport: 'DROP_FOLDER', folder, poll_seconds: 1, stable_seconds: 0, ...over },
  });
const inside = (folder: string, ...rest: readonly string[]) => join(base, tenantId, folder, ...rest);
/** Without drafts, which are renamed when they are whole. */
const filesIn = async (folder: string, room: string): Promise<string[]> =>
  (await readdir(inside(folder, room)).catch(() => [])).filter((name) => !name.startsWith('.')).sort();
const soon = (folder: string, room: string, count = 1) =>
  until(async () => {
    const files = await filesIn(folder, room);
    return files.length >= count && files;
  }, `${count} in ${room}/`);
const ready = (folder: string) => until(() => stat(inside(folder, 'out')).catch(() => null), 'the folders');

describe('a drop folder', () => {
  it('ingests a file once, moves it to done/ and writes its answer to out/', async () => {
    const { connector_id } = await drop('claims');
    await ready('claims');
    await writeFile(inside('claims', 'today.edi'), claims);
    const [done] = await soon('claims', 'done');
    expect(done).toMatch(/^[0-9A-Z]{26}-today\.edi$/);
    expect(await readFile(inside('claims', 'done', done ?? ''))).toEqual(claims);
    expect(await filesIn('claims', 'processing')).toEqual([]);
    const events = await eventsOf(http, 'source_system=claims');
    expect(events.length).toBeGreaterThan(0);
    const told = await until(async () => {
      const found = await read(http, connector_id);
      return found.counters.messages === 1 && found;
    }, 'one file counted');
    expect(told.counters).toMatchObject({ accepted: events.length, bytes: claims.length, rejected: 0 });
    const [answered] = await soon('claims', 'out');
    expect(answered).toBe(`${done}.ack.edi`);
    expect(await readFile(inside('claims', 'out', answered ?? ''), 'utf8')).toMatch(/^ISA[\s\S]*ST\*999/);
  });

  it('adds no events for the same bytes under another name', async () => {
    const { connector_id } = await drop('again');
    await ready('again');
    await writeFile(inside('again', 'one.edi'), claims);
    await soon('again', 'done');
    const before = await eventsOf(http, 'source_system=again');
    await writeFile(inside('again', 'two.edi'), claims);
    await soon('again', 'done', 2);
    expect(await eventsOf(http, 'source_system=again')).toHaveLength(before.length);
    const { counters } = await until(async () => {
      const found = await read(http, connector_id);
      return found.counters.messages === 2 && found;
    }, 'two files counted');
    expect(counters).toMatchObject({ accepted: before.length, duplicated: before.length });
  });

  it('moves an unreadable file to failed/, writes the reason to out/ and opens an exception', async () => {
    const { connector_id } = await drop('broken');
    await ready('broken');
    await writeFile(inside('broken', 'picture.edi'), Buffer.from('not an interchange at all'));
    const [failed] = await soon('broken', 'failed');
    const why = JSON.parse(await readFile(inside('broken', 'out', `${failed}.error.json`), 'utf8'));
    expect(why).toMatchObject({ code: 'VALIDATION_ERROR' });
    const [exception] = (await http.get('/v1/exceptions?kind=PARSE_FAILED')).json.items;
    expect(exception.detail).toMatchObject({ connector_id, format: 'x12' });
    const { last_error } = await until(async () => {
      const found = await read(http, connector_id);
      return found.last_error && found;
    }, 'its trouble');
    expect(last_error).toMatchObject({ code: 'VALIDATION_ERROR', raw_sha256: exception.raw_sha256 });
  });

  it('waits until a file no longer changes and ignores drafts', async () => {
    await drop('slow', { stable_seconds: 2 });
    await ready('slow');
    await writeFile(inside('slow', 'draft.edi.part'), claims);
    await writeFile(inside('slow', '.hidden.edi'), claims);
    // It grows over several looks: whatever was seen of it, it is taken whole.
    const step = Math.ceil(claims.length / 120);
    let written = 0;
    await until(async () => {
      await appendFile(inside('slow', 'growing.edi'), claims.subarray(written, written + step));
      written += step;
      return written >= claims.length;
    }, 'the end of the file');
    const [done] = await soon('slow', 'done');
    expect(await readFile(inside('slow', 'done', done ?? ''))).toEqual(claims);
    expect(await filesIn('slow', 'failed')).toEqual([]);
    expect((await readdir(inside('slow'))).sort()).toEqual(
      expect.arrayContaining(['.hidden.edi', 'draft.edi.part', 'processing']),
    );
  });

  it('does not follow links to files or folders', async () => {
    const outside = join(base, 'outside.edi');
    await writeFile(outside, claims);
    await drop('links');
    await ready('links');
    await symlink(outside, inside('links', 'link.edi'));
    await writeFile(inside('links', 'plain.edi'), claims);
    await soon('links', 'done');
    expect(await readdir(inside('links'))).toContain('link.edi');
    expect(await filesIn('links', 'done')).toHaveLength(1);

    await mkdir(join(base, 'elsewhere'));
    await symlink(join(base, 'elsewhere'), inside('led-away'));
    const { connector_id } = await makeConnector(http, {
      kind: 'X12',
      config: { transport: 'DROP_FOLDER', folder: 'led-away' },
    });
    await http.post(`/v1/connectors/${connector_id}/enable`, {});
    const failed = await until(async () => {
      const found = await read(http, connector_id);
      return found.status === 'ERROR' && found;
    }, 'the error');
    expect(failed.last_error).toMatchObject({ code: 'NOT_A_FOLDER' });
    expect(await readdir(join(base, 'elsewhere'))).toEqual([]);
  });

  it('finishes files that an earlier process claimed', async () => {
    const { connector_id } = await makeConnector(http, {
      kind: 'X12',
      source_system: 'left',
      config: { transport: 'DROP_FOLDER', folder: 'left', stable_seconds: 0 },
    });
    await mkdir(inside('left', 'processing'), { recursive: true });
    await writeFile(inside('left', 'processing', '01JQ0000000000000000000001-left.edi'), claims);
    await http.post(`/v1/connectors/${connector_id}/enable`, {});
    expect(await soon('left', 'done')).toEqual(['01JQ0000000000000000000001-left.edi']);
    expect((await eventsOf(http, 'source_system=left')).length).toBeGreaterThan(0);
  });

  it('ingests the other formats', async () => {
    await runConnector(http, {
      kind: 'HL7V2',
      source_system: 'adt-files',
      config: { transport: 'DROP_FOLDER', folder: 'adt', poll_seconds: 1, stable_seconds: 0 },
    });
    await ready('adt');
    await writeFile(join(base, 'adt.tmp'), ['F1', 'F2'].map((id) => admission(id)).join(''));
    await rename(join(base, 'adt.tmp'), inside('adt', 'batch.hl7'));
    const [answered] = await soon('adt', 'out');
    expect(await readFile(inside('adt', 'out', answered ?? ''), 'utf8')).toMatch(/MSA\|AA\|F1[\s\S]*MSA\|AA\|F2/);
    expect(await eventsOf(http, 'source_system=adt-files')).toHaveLength(2);
  });
});
