import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startChild } from '../../../embedded-mongo/index.js';
import { freshTenant, Http } from '../../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { admission, eventsOf, read, runConnector, Sender, until, verdictOf } from './connectors-kit.js';

// Two service processes on one database. One of them runs a connector; when that process dies, hangs or leaves, the other
// takes over. The acknowledgements are the oracle: each acknowledged message is in the ledger exactly once.

let folder: string;
let dropDir: string;
let database: Awaited<ReturnType<typeof startChild>>;
let first: ServiceProcess;
let second: ServiceProcess;
let key: string;
let tenantId: string;

const start = (name: string): Promise<ServiceProcess> =>
  startServiceProcess(join(folder, name), {
    MONGODB_URI: database.uri,
    SERVICE_MASTER_KEY: '42'.repeat(32),
    SERVICE_MLLP_PORTS: '0',
    SERVICE_DROP_DIR: dropDir,
    SERVICE_RATE_LIMIT_PER_MINUTE: '0',
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eas-takeover-'));
  dropDir = join(folder, 'drops');
  database = await startChild({ dataDir: join(folder, 'database') });
  first = await start('first');
  const tenant = await freshTenant(new Http(first.url, TEST_OPERATOR_KEY), ['admin']);
  key = tenant.http.key ?? '';
  tenantId = tenant.tenantId;
}, 240_000);

afterAll(async () => {
  await Promise.all([first.stop(), second?.stop()]);
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

const at = (process: ServiceProcess): Http => new Http(process.url, key);

/** A message to wherever the connector listens by now, until it is answered. */
async function sendUntilAnswered(http: Http, id: string, n: string): Promise<void> {
  const answer = await until(async () => {
    const { listening } = await read(http, id);
    const sender = listening ? await Sender.to(listening.port).catch(() => null) : null;
    const said = await sender?.send(admission(n));
    await sender?.end();
    return said ?? null;
  }, `an answer to ${n}`);
  expect(verdictOf(answer)).toBe(`AA ${n}`);
}

describe('a connector with two processes', () => {
  it('continues in the second process after the first is killed, with waiting files and new messages', async () => {
    const mllp = await runConnector(at(first), { kind: 'HL7V2', config: { transport: 'MLLP' }, source_system: 'adt' });
    const drop = await runConnector(at(first), {
      kind: 'X12',
      config: { transport: 'DROP_FOLDER', folder: 'in', poll_seconds: 1, stable_seconds: 0 },
      source_system: 'claims',
    });
    second = await start('second');
    for (const n of ['1', '2', '3']) await sendUntilAnswered(at(second), mllp.connector_id, n);
    expect((await read(at(second), mllp.connector_id)).listening).toEqual(mllp.listening);

    await first.kill();
    const inbox = join(dropDir, tenantId, 'in');
    await writeFile(join(inbox, 'late.tmp'), 'ISA is not X12 without its separators');
    await rename(join(inbox, 'late.tmp'), join(inbox, 'late.edi'));
    for (const n of ['3', '4', '5']) await sendUntilAnswered(at(second), mllp.connector_id, n);
    expect((await read(at(second), drop.connector_id)).status).toBe('ENABLED');
    await until(
      async () => (await readdir(join(inbox, 'failed'))).some((name) => name.endsWith('late.edi')),
      'the file',
    );
    const events = await eventsOf(at(second), 'source_system=adt');
    expect(events.map(({ source_record_id }) => source_record_id).sort()).toEqual(['1', '2', '3', '4', '5']);
  }, 240_000);

  it('moves at once from a process that stops, and a delayed process does not take it back', async () => {
    const { connector_id } = (await at(second).get('/v1/connectors?kind=HL7V2')).json.items[0];
    first = await start('first-again');
    const { port: heldUp } = (await read(at(first), connector_id)).listening;
    second.process.kill('SIGSTOP');
    await until(async () => {
      const { listening } = await read(at(first), connector_id);
      return listening !== null && listening.port !== heldUp;
    }, 'another port');
    await sendUntilAnswered(at(first), connector_id, '6');
    second.process.kill('SIGCONT');
    // A client that still reaches the first process gets no answer.
    const stray = await until(async () => {
      const sender = await Sender.to(heldUp).catch(() => null);
      if (sender === null) return 'closed';
      const answer = await sender.send(admission('7'));
      return answer === null ? null : answer;
    }, 'the old port to close');
    expect(stray).toBe('closed');
    await sendUntilAnswered(at(first), connector_id, '7');

    expect(await first.terminate()).toBe(0);
    await sendUntilAnswered(at(second), connector_id, '8');
    const ids = (await eventsOf(at(second), 'source_system=adt')).map(({ source_record_id }) => source_record_id);
    expect(ids.sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  }, 240_000);
});
