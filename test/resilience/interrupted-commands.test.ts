import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { repositoryFile } from '../../app/repository.js';
import { connectDatabase, type Database } from '../../shared/db/database.js';
import { makeOld, OLD_KINDS, type Tenant } from '../commands/old-rows-kit.js';
import { runServiceCommand } from '../support/commands.js';
import { startTestServer, type TestServer } from '../support/database.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant } from '../support/http.js';
import { startKillingProxy } from '../support/killing-proxy.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { sealed } from '../verifier/good-cases.js';
import { completeSpec } from '../verifier/map-cases.js';

// SIGKILL in the middle of a maintenance command, then the same command again: it continues, and ends as if nothing had
// happened.

const MASTER_KEY = '11'.repeat(32);
/** The proxy reads the socket of the embedded database. */
const onEmbedded = itUnless(lackOf(process.env['TEST_MONGODB_URI'] === undefined, 'the embedded database'));

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'eas-interrupted-commands-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

interface Place {
  readonly uri: string;
  readonly dataDir: string;
}

const settingsOf = ({ uri, dataDir }: Place) => ({
  PATH: process.env['PATH'] ?? '',
  MONGODB_URI: uri,
  SERVICE_DATA_DIR: dataDir,
  SERVICE_MASTER_KEY: MASTER_KEY,
  SERVICE_LOG_LEVEL: 'silent',
});

/** A command on a collection; `nth` counts from 1. */
interface Moment {
  readonly command: string;
  readonly collection: string;
  readonly nth: number;
}

/** Runs a command that dies when the database has done its n-th write to a collection. */
async function killed(name: string, args: readonly string[], place: Place, moment: Moment): Promise<void> {
  let seen = 0;
  const proxy = await startKillingProxy(place.uri, ({ command, collection }) => {
    if (command === moment.command && collection === moment.collection) seen += 1;
    return seen === moment.nth;
  });
  try {
    const env = settingsOf({ ...place, uri: proxy.uri });
    const child = spawn(process.execPath, [repositoryFile(`dist/app/commands/${name}.js`), ...args], {
      env,
      stdio: 'ignore',
    });
    proxy.watch(child);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  } finally {
    await proxy.stop();
  }
}

/** Runs a command to its end. @returns what it printed, an object a line */
async function finished(name: string, args: readonly string[], place: Place): Promise<Document[]> {
  const { code, text } = await runServiceCommand(name, [...args, '--json'], settingsOf(place));
  expect({ code, text }).toEqual({ code: 0, text: expect.any(String) });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('an import that was killed', () => {
  let server: TestServer;
  let database: Database;
  let place: Place;
  beforeAll(async () => {
    server = await startTestServer();
    database = await connectDatabase(server.uri);
    place = { uri: server.uri, dataDir: join(scratch, 'imports') };
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
  });

  const count = (collection: string, filter: Document = {}): Promise<number> =>
    database.db.collection(collection).countDocuments(filter);

  onEmbedded('codes:import shows no half of a table, and a second run imports all of it', async () => {
    const file = join(scratch, 'codes.tsv');
    const codes = Array.from({ length: 5_000 }, (_, n) => `A${10_000 + n}\tProcedure ${n}`);
    await writeFile(file, ['code\tdescription', ...codes, ''].join('\n'));
    const args = [file, '--system', 'HCPCS'];
    await killed('codes-import', args, place, { command: 'insert', collection: 'code_table_rows', nth: 2 });
    expect(await count('code_table_rows')).toBeGreaterThan(0);
    expect(await count('code_tables')).toBe(0);
    expect(await finished('codes-import', args, place)).toMatchObject([{ outcome: 'IMPORTED', codes: 5_000 }]);
    expect([await count('code_table_rows'), await count('code_tables')]).toEqual([5_000, 1]);
    expect(await finished('codes-import', args, place)).toMatchObject([{ outcome: 'UNCHANGED' }]);
  });

  onEmbedded('rules:import adds each shared rule once', async () => {
    await killed('rules-import', [], place, { command: 'insert', collection: 'rules', nth: 1 });
    const [result] = await finished('rules-import', [], place);
    const rules = await database.db.collection('rules').find({}).toArray();
    expect(rules.length).toBeGreaterThan(10);
    expect(result).toMatchObject({ rules: rules.length });
    expect(new Set(rules.map(({ key }) => key)).size).toBe(rules.length);
    expect(rules.filter(({ revisions }) => revisions.length !== 1)).toEqual([]);
    expect(await finished('rules-import', [], place)).toMatchObject([{ rules: rules.length }]);
    expect(await count('rules')).toBe(rules.length);
  });
});

describe('a command over records that was killed', () => {
  let service: WholeService;
  let database: Database;
  let place: Place;
  beforeAll(async () => {
    service = await startWholeService({ SERVICE_MASTER_KEY: MASTER_KEY });
    database = await connectDatabase(service.databaseUri);
    place = { uri: service.databaseUri, dataDir: join(scratch, 'records') };
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  onEmbedded('facts:adopt gives each row one fact in the second run', async () => {
    const [kind] = OLD_KINDS;
    if (kind?.kind !== 'hold') throw new Error('the first kind is that of holds');
    const [source, target]: Tenant[] = [
      await freshTenant(service.operator, ['admin']),
      await freshTenant(service.operator, ['admin']),
    ];
    if (source === undefined || target === undefined) throw new Error('no tenants');
    // More than one batch of subjects.
    const holds: string[] = [];
    for (let n = 0; n < 52; n += 1) holds.push((await makeOld(database.db, kind, source, target)).id);
    const args = ['--apply', '--reason', 'The service was upgraded.', target.tenantId];
    const facts = () =>
      database.db.collection('ledger').countDocuments({ tenant_id: target.tenantId, fact_key: { $regex: '^hold/' } });
    await killed('facts-adopt', args, place, { command: 'insert', collection: 'ledger', nth: 2 });
    expect(await facts()).toBeLessThan(holds.length);
    const lines = await finished('facts-adopt', args, place);
    expect(lines.filter(({ verdict }) => verdict !== undefined && !['ADOPTED', 'FINISHED'].includes(verdict))).toEqual(
      [],
    );
    expect(await facts()).toBe(holds.length);
    for (const id of holds) expect((await target.http.get(`/v1/legal-holds/${id}`)).status).toBe(200);
    expect((await target.http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
    expect(await finished('facts-adopt', args, place)).toEqual([]);
  });

  onEmbedded('search:rebuild finds every event after the second run', async () => {
    const { tenantId, http } = await freshTenant(service.operator, ['admin']);
    for (const source of ['um-core', 'claims']) {
      const events = Array.from({ length: 40 }, (_, n) => envelope(`${source}-${n}`, { source_system: source }));
      expect((await http.post('/v1/events', { events })).status).toBe(200);
    }
    const rows = () =>
      database.db
        .collection('event_search')
        .find({ '_id.tenant_id': tenantId }, { sort: { _id: 1 } })
        .toArray();
    await killed('search-rebuild', [], place, { command: 'insert', collection: 'event_search', nth: 2 });
    const lines = await finished('search-rebuild', [], place);
    expect(
      lines.filter((line) => line['tenantId'] === tenantId && ['um-core', 'claims'].includes(line['sourceSystem'])),
    ).toMatchObject([
      { sourceSystem: 'claims', events: 40 },
      { sourceSystem: 'um-core', events: 40 },
    ]);
    const rebuilt = await rows();
    const { total } = (await http.post('/v1/search', { query: 'knee', limit: 1 })).json;
    expect({ total, rows: rebuilt.length >= 80 }).toEqual({ total: 80, rows: true });
  });
});

/** Kills the process at its n-th read of a file. */
const dyingAtRead = (nth: number): string =>
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { open } = fs;
    let reads = 0;
    fs.open = async (...args) => {
      const file = await open(...args);
      const { read } = file;
      file.read = (...bounds) => {
        reads += 1;
        if (reads === ${nth}) process.kill(process.pid, 'SIGKILL');
        return read.apply(file, bounds);
      };
      return file;
    };
    syncBuiltinESMExports();
  `)}`;

describe('verify that was killed', () => {
  it('leaves the bundle and its folder alone, and gives the same report in the next run', async () => {
    const folder = await mkdtemp(join(scratch, 'verify-'));
    const bundle = join(folder, 'bundle.zip');
    await writeFile(bundle, sealed(completeSpec()));
    const bytes = await readFile(bundle);
    const verify = (...options: string[]) =>
      spawnSync(process.execPath, [...options, repositoryFile('dist/verifier/verify.mjs'), bundle, '--json'], {
        cwd: folder,
        encoding: 'utf8',
      });
    const before = verify();
    const dying = verify('--import', dyingAtRead(5));
    expect([dying.signal, dying.stdout]).toEqual(['SIGKILL', '']);
    const after = verify();
    expect([after.status, after.stdout]).toEqual([before.status, before.stdout]);
    expect(JSON.parse(after.stdout)).toMatchObject({ verdict: 'INTEGRITY_ONLY' });
    expect([await readdir(folder), (await readFile(bundle)).equals(bytes)]).toEqual([['bundle.zip'], true]);
  });
});
