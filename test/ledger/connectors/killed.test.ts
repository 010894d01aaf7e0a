import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { freshTenant, Http } from '../../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { admission, eventsOf, read, runConnector, Sender, until, verdictOf } from './connectors-kit.js';

// A service is killed while senders send. Acknowledgements are the oracle: each such message is in the ledger exactly once.

const CONNECTIONS = 8;
/** In the midst of the streams; `npm run test:long` raises it. */
const KILLS = Number(process.env['CONNECTOR_KILLS'] ?? 1);
const ACKNOWLEDGED_BEFORE_A_KILL = 40;
const FILES = 6;

let dataDir: string;
let dropDir: string;
let service: ServiceProcess;
let key: string;
let tenantId: string;

const settings = () => ({ SERVICE_MLLP_PORTS: '0', SERVICE_DROP_DIR: dropDir, SERVICE_RATE_LIMIT_PER_MINUTE: '0' });
const http = (): Http => new Http(service.url, key);

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'eas-connectors-'));
  dropDir = join(dataDir, 'drops');
  service = await startServiceProcess(join(dataDir, 'data'), settings());
  const tenant = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin']);
  key = tenant.http.key ?? '';
  tenantId = tenant.tenantId;
});

afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function killAndStart(): Promise<void> {
  await service.kill();
  service = await startServiceProcess(join(dataDir, 'data'), settings());
}

/** Sends until it has sent `count` that were acknowledged; a message that was not answered is sent again. */
async function sendAll(port: number, ids: readonly string[], acknowledged: string[]): Promise<void> {
  let sender: Sender | null = null;
  for (const id of ids) {
    for (;;) {
      sender ??= await until(() => Sender.to(port).catch(() => null), 'a connection');
      const answer = await sender.send(admission(id));
      if (answer !== null) {
        expect(verdictOf(answer)).toBe(`AA ${id}`);
        acknowledged.push(id);
        break;
      }
      sender = null;
    }
  }
  await sender?.end();
}

describe('a service killed during work', () => {
  it('stores each acknowledged MLLP message once when senders repeat the others', async () => {
    const made = await runConnector(http(), { kind: 'HL7V2', source_system: 'killed', config: { transport: 'MLLP' } });
    const acknowledged: string[] = [];
    const perConnection = KILLS * 20;
    const sending = Promise.all(
      Array.from({ length: CONNECTIONS }, (_, c) =>
        sendAll(
          made.listening.port,
          Array.from({ length: perConnection }, (__, n) => `K${c}-${n}`),
          acknowledged,
        ),
      ),
    );
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await until(async () => acknowledged.length >= kill * ACKNOWLEDGED_BEFORE_A_KILL, 'acknowledgements');
      await killAndStart();
    }
    await sending;
    // The same port again, though any was free.
    expect((await read(http(), made.connector_id)).listening.port).toBe(made.listening.port);
    const ids = (await eventsOf(http(), 'source_system=killed')).map((event) => event.source_record_id);
    expect(ids.length).toBe(CONNECTIONS * perConnection);
    expect(new Set(ids)).toEqual(new Set(acknowledged));
    expect((await http().get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
    expect((await http().get('/v1/exceptions')).json.items).toEqual([]);
  }, 300_000);

  it('ingests each dropped file once, with an answer', async () => {
    const claims = await readFile(repositoryFile('app/demo/files/claims-837p.edi'), 'latin1');
    await runConnector(http(), {
      kind: 'X12',
      source_system: 'killed-files',
      config: { transport: 'DROP_FOLDER', folder: 'in', poll_seconds: 1, stable_seconds: 0 },
    });
    const folder = join(dropDir, tenantId, 'in');
    const files = (room: string): Promise<string[]> => readdir(join(folder, room)).catch(() => []);
    await until(async () => (await readdir(folder).catch((): string[] => [])).includes('out'), 'the folders');
    await mkdir(join(dropDir, 'made'), { recursive: true });
    const expected = claims.match(/CLM\*/g)?.length ?? 0;
    for (let n = 0; n < FILES; n += 1) {
      // Separate claims for each file: their numbers contain the file's.
      await writeFile(join(dropDir, 'made', `${n}.edi`), claims.replaceAll('CLM*', `CLM*F${n}`));
      await rename(join(dropDir, 'made', `${n}.edi`), join(folder, `${n}.edi`));
    }
    await until(async () => (await files('processing')).length + (await files('done')).length > 0, 'the first claim');
    await killAndStart();
    await until(async () => (await files('done')).length > FILES / 2, 'more than half');
    await killAndStart();
    const done = await until(async () => {
      const found = await files('done');
      return found.length === FILES && found;
    }, 'every file');
    expect(await files('processing')).toEqual([]);
    expect(await files('failed')).toEqual([]);
    expect((await files('out')).sort()).toEqual(done.map((name) => `${name}.ack.edi`).sort());
    const events = await eventsOf(http(), 'source_system=killed-files');
    expect(new Set(events.map((event) => event.source_record_id)).size).toBe(events.length);
    expect(events.length).toBe(expected * FILES);
    expect((await http().get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  }, 300_000);
});
