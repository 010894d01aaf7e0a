import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wormDatabase } from '../../../shared/worm/kept-worm-store.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, Http } from '../../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { upload } from '../../vault/vault-kit.js';

// Two processes of one machine, one database and one folder of write-once files; one of them is killed under load.

const MIB = 1_048_576;
const WRITERS = 16;

let server: TestServer;
let root: string;
let one: ServiceProcess;
let two: ServiceProcess;

const start = (name: string): Promise<ServiceProcess> =>
  startServiceProcess(join(root, name), {
    MONGODB_URI: server.uri,
    SERVICE_MASTER_KEY: '07'.repeat(32),
    SERVICE_RATE_LIMIT_PER_MINUTE: '0',
    SERVICE_WORM_DRIVER: 'filesystem',
    SERVICE_WORM_DIR: join(root, 'worm'),
  });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'eas-worm-whole-'));
  server = await startTestServer();
  one = await start('one');
  two = await start('two');
}, 240_000);
afterAll(async () => {
  await one?.stop();
  await two?.stop();
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

interface Receipt {
  readonly event_id: string;
  readonly worm_sha256: string;
}

/** Posts until the process dies or the count is reached; collects the acknowledged events. */
async function write(http: Http, name: string, answered: Receipt[], enough: number): Promise<void> {
  for (let n = 0; answered.length < enough; n++) {
    const body = envelope(`${name}-${n}`, { source_system: 'um-core' });
    const answer = await http.post('/v1/events', body).catch(() => undefined);
    if (answer === undefined) return;
    if (answer.status === 200) answered.push(answer.json as Receipt);
  }
}

const download = async (http: Http, documentId: string): Promise<Buffer> => {
  const url = `${http.url}/v1/documents/${documentId}`;
  const answer = await fetch(url, { headers: { 'x-api-key': http.key ?? '' } });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
};

describe('a service on the filesystem driver', () => {
  it('keeps what it acknowledged through a restart and a kill, in both of its processes', async () => {
    const tenant = await freshTenant(new Http(one.url, TEST_OPERATOR_KEY), ['admin']);
    const [first, second] = [new Http(one.url, tenant.http.key), new Http(two.url, tenant.http.key)];
    const answered: Receipt[] = [];
    const contents = [Buffer.from('a letter'), Buffer.alloc(3 * MIB + 17, 'page ')];
    const documents: string[] = [];
    for (const bytes of contents) {
      const made = await upload(first, { bytes });
      expect(made.status).toBe(200);
      documents.push(made.json.document_id);
    }
    const expectContents = async (http: Http): Promise<void> => {
      for (const [n, id] of documents.entries()) {
        expect((await download(http, id)).equals(contents[n] ?? Buffer.alloc(0))).toBe(true);
      }
    };
    await Promise.all([write(first, 'one', answered, 40), write(second, 'two', answered, 40)]);
    await expectContents(second);
    // The database contains none of it.
    const worm = wormDatabase(await server.connect('eas'));
    const collections = (await worm.listCollections().toArray()).map(({ name }) => name);
    expect(collections.filter((name) => name.startsWith('worm_log') || name.startsWith('worm_blobs'))).toEqual([]);

    const enough = answered.length + 4_000;
    const writers = Array.from({ length: WRITERS }, (_, w) => write(w % 2 ? first : second, `w${w}`, answered, enough));
    const before = answered.length;
    while (answered.length < before + 100) await new Promise((resolve) => setTimeout(resolve, 5));
    await one.kill();
    const killedAt = answered.length;
    while (answered.length < killedAt + 20) await new Promise((resolve) => setTimeout(resolve, 5));
    await two.stop();
    await Promise.all(writers);

    one = await start('one');
    const again = new Http(one.url, tenant.http.key);
    await write(again, 'after', answered, answered.length + 3);
    expect((await again.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
    await expectContents(again);
    const last = answered.at(-1);
    const shown = await again.get(`/v1/events/${last?.event_id}`);
    expect(shown.json).toMatchObject({ event_id: last?.event_id });
    // Each of the three processes wrote into its own parts.
    const segments = await readdir(join(root, 'worm', 'segments'));
    const parts = await Promise.all(segments.map((name) => readdir(join(root, 'worm', 'segments', name))));
    expect(parts.flat().length).toBeGreaterThanOrEqual(3);
  }, 300_000);
});
