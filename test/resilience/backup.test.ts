import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant, Http } from '../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { upload } from '../vault/vault-kit.js';

interface Receipt {
  readonly event_id: string;
  readonly entry_hash: string;
}

const WRITERS = 8;

let scratch: string;
let service: ServiceProcess;
let key: string;

/** The write-once bytes are files outside the data folder, which is the harder case to copy. */
const wormIn = (folder: string): Record<string, string> => ({
  SERVICE_WORM_DRIVER: 'filesystem',
  SERVICE_WORM_DIR: join(scratch, folder),
});

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'eas-backup-'));
  service = await startServiceProcess(join(scratch, 'data'), wormIn('worm'));
  key = (await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin'])).http.key ?? '';
});

afterAll(async () => {
  await service.stop();
  await rm(scratch, { recursive: true, force: true });
});

/** One of the commands on the data folder, as `npm run` starts it. */
async function command(
  name: string,
  dataDir: string,
  ...operands: string[]
): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [repositoryFile(`dist/app/data/${name}.js`), ...operands], {
    env: { PATH: process.env['PATH'] ?? '', SERVICE_DATA_DIR: dataDir, ...wormIn('worm') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, text };
}

/** What a copy of a folder takes: a socket is no file. */
const isNoSocket = (path: string): boolean => !path.endsWith('.sock');

/**
 * Copies the signer before the backup, with the key of the tenant's log, which the first checkpoint makes. Notes that are
 * signed after the backup would rightly make the restored ledger a regress.
 */
async function copySigner(data: string): Promise<void> {
  const http = new Http(service.url, key);
  while ((await http.get('/v1/ledger/checkpoints/latest')).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 100));
  await cp(`${data}-signer`, join(scratch, 'signer'), { recursive: true, filter: isNoSocket });
}

/** Starts writers that post until they are stopped; returns the acknowledged events. */
function load(http: Http) {
  const acknowledged: Receipt[] = [];
  let ending = false;
  const writer = async (w: number) => {
    for (let n = 0; !ending; n++) {
      const answer = await http.post('/v1/events', envelope(`backup-${w}-${n}`, { source_system: `source-${w % 3}` }));
      if (answer.status === 200) acknowledged.push(answer.json as Receipt);
    }
  };
  const ended = Promise.all(Array.from({ length: WRITERS }, (_, w) => writer(w)));
  const atLeast = async (count: number) => {
    while (acknowledged.length < count) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const end = async () => {
    ending = true;
    await ended;
  };
  return { acknowledged, atLeast, end };
}

describe('a backup of the running service under load', () => {
  it('restores every event and content that was acknowledged before it, in an unbroken ledger', async () => {
    const data = join(scratch, 'data');
    const backup = join(scratch, 'backup');
    const restored = join(scratch, 'restored');
    const document = (await upload(new Http(service.url, key), { bytes: Buffer.alloc(1_500_000, 'page ') })).json;
    await copySigner(data);
    const writing = load(new Http(service.url, key));
    await writing.atLeast(50);
    const before = [...writing.acknowledged];
    expect(await command('backup', data, backup)).toMatchObject({
      code: 0,
      text: expect.stringContaining('through the running service'),
    });
    await writing.atLeast(before.length + 20);
    await writing.end();

    const told = expect.stringContaining(`are in ${join(restored, 'worm')}: move that folder to`);
    expect(await command('restore', restored, backup)).toMatchObject({ code: 0, text: told });
    await expect(startServiceProcess(restored, wormIn('moved'))).rejects.toThrow('data-keys.json are missing');
    await mkdir(`${restored}-signer`, { mode: 0o700 });
    await cp(join(scratch, 'signer', 'data-keys.json'), join(`${restored}-signer`, 'data-keys.json'));
    await expect(startServiceProcess(restored, wormIn('nothing-here'))).rejects.toThrow('is not the folder that holds');
    await rename(join(restored, 'worm'), join(scratch, 'moved'));
    expect(await command('check-data', restored)).toMatchObject({
      code: 0,
      text: expect.stringMatching(/ 0 with faults/),
    });
    await expect(startServiceProcess(restored, wormIn('moved'))).rejects.toThrow(
      'the write-once store is encrypted and its keys are missing',
    );
    await rm(`${restored}-signer`, { recursive: true });
    await cp(join(scratch, 'signer'), `${restored}-signer`, { recursive: true });
    expect(await readFile(join(restored, 'engine.json'), 'utf8')).toContain('"embedded"');

    const second = await startServiceProcess(restored, wormIn('moved'));
    try {
      const http = new Http(second.url, key);
      const read = await http.get(`/v1/documents/${document.document_id}`);
      expect([read.status, read.text.length]).toEqual([200, 1_500_000]);
      expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
      for (const { event_id, entry_hash } of before) {
        expect((await http.get(`/v1/events/${event_id}`)).json).toMatchObject({ event_id, entry_hash });
      }
      const more = await http.post('/v1/events', envelope('after-restore', { source_system: 'source-0' }));
      expect(more.status).toBe(200);
    } finally {
      await second.stop();
    }
  });

  it('fails with exit code 2 and one sentence if it cannot be made', async () => {
    const data = join(scratch, 'data');
    const backup = join(scratch, 'backup');
    const cases: [Promise<{ code: number | null; text: string }>, RegExp][] = [
      [command('backup', data), /^usage: npm run backup -- DIR$/m],
      [command('backup', data, backup), /is not empty/],
      [command('backup', data, join(scratch, 'worm', 'b')), /lies within .*: a backup must be kept elsewhere/],
      [command('backup', join(scratch, 'nowhere'), join(scratch, 'b')), /holds no data of this service/],
      [command('restore', data, backup), /in use by a running server: stop it first/],
      [command('restore', join(scratch, 'restored'), backup), /is not empty; --force moves/],
      [command('restore', join(scratch, 'empty'), scratch), /has no manifest\.json/],
      [command('restore', join(scratch, 'empty'), backup, '--fast'), /^usage: npm run restore/m],
    ];
    for (const [outcome, text] of cases) {
      expect(await outcome).toMatchObject({ code: 2, text: expect.stringMatching(text) });
    }
  });

  it('names the damaged file when a damaged backup is rejected', async () => {
    const manifest = join(scratch, 'backup', 'engine.json');
    const whole = await readFile(manifest);
    await writeFile(manifest, `${whole.toString('utf8').slice(0, -2)}x\n`);
    expect(await command('restore', join(scratch, 'empty'), join(scratch, 'backup'))).toMatchObject({
      code: 2,
      text: expect.stringMatching(/engine\.json .*damaged/),
    });
    await writeFile(manifest, whole);
  });
});
