import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { runServiceCommand } from '../support/commands.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant, Http } from '../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { upload } from '../vault/vault-kit.js';

// What lies in the folders of a service that `npm start` runs.

const MARKERS = ['QUAGMIRE-MEMBER', 'QUAGMIRE-NOTE', 'QUAGMIRE-DOCUMENT'] as const;
const [MEMBER, NOTE, TEXT] = MARKERS;
/** Of a test that starts the service or a command several times. */
const LONG_MS = 420_000;

let scratch: string;
const folder = (name: string): string => join(scratch, name);

interface Kept {
  readonly key: string;
  readonly eventId: string;
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'eas-at-rest-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** The files below a folder that hold one of the markers. Sockets and files that left meanwhile hold none. */
async function filesWithMarkers(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(path, { recursive: true })) {
    const bytes = await readFile(join(path, name)).catch(() => Buffer.alloc(0));
    if (MARKERS.some((marker) => bytes.includes(marker))) found.push(name);
  }
  return found;
}

/** Posts an event and a document with the markers. */
async function fill(service: ServiceProcess): Promise<Kept> {
  const { http } = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin']);
  const event = envelope('at-rest', { member_id: MEMBER, payload: { note: NOTE } });
  const { json } = await http.post('/v1/events', event);
  await upload(http, `${TEXT}\n`.repeat(2_000), { member_id: MEMBER });
  return { key: http.key ?? '', eventId: json.event_id };
}

async function readNote(service: ServiceProcess, { key, eventId }: Kept): Promise<unknown> {
  const { json } = await new Http(service.url, key).get(`/v1/events/${eventId}`);
  return json.payload?.note;
}

async function isValid(service: ServiceProcess, { key }: Kept): Promise<unknown> {
  return (await new Http(service.url, key).get('/v1/ledger/verify')).json.valid;
}

const dataKeys = (dataDir: string, verb: string) =>
  runServiceCommand('data-keys', [verb], { SERVICE_DATA_DIR: dataDir });

describe('a new data folder', () => {
  let kept: Kept;
  beforeAll(async () => {
    const service = await startServiceProcess(folder('data'));
    kept = await fill(service);
    expect(await filesWithMarkers(folder('data'))).toEqual([]);
    await service.stop();
  });

  it('shows no content to who reads its files, and a later start reads it', async () => {
    expect(await filesWithMarkers(folder('data'))).toEqual([]);
    const service = await startServiceProcess(folder('data'));
    expect(await readNote(service, kept)).toBe(NOTE);
    expect(await isValid(service, kept)).toBe(true);
    await service.stop();
  });

  it('does not open without the file of its keys, and the refusal says what to do', async () => {
    const keys = `${folder('data')}-signer/data-keys.json`;
    await rename(keys, `${keys}.away`);
    await expect(startServiceProcess(folder('data'))).rejects.toThrow(/is encrypted and its keys .*restore that file/);
    expect(existsSync(keys)).toBe(false);
    await rename(`${keys}.away`, keys);
  });

  it('gets a new key by a command, and keeps its records', async () => {
    expect(await dataKeys(folder('data'), 'rotate')).toMatchObject({ code: 0, text: expect.stringMatching(/key 2/) });
    expect(await dataKeys(folder('data'), 'forget')).toMatchObject({ code: 0 });
    expect(await dataKeys(folder('data'), 'status')).toMatchObject({ text: expect.stringMatching(/: 2\n/) });
    const service = await startServiceProcess(folder('data'));
    expect(await readNote(service, kept)).toBe(NOTE);
    expect(await isValid(service, kept)).toBe(true);
    await service.stop();
  });
});

const contentKeys = (dataDir: string, verb: string, settings: Record<string, string> = {}) =>
  runServiceCommand('content-keys', [verb], { SERVICE_DATA_DIR: dataDir, ...settings });

describe('write-once files', () => {
  const FILES = { SERVICE_WORM_DRIVER: 'filesystem' };
  const keys = (): string => `${folder('files')}-signer/content-keys.json`;
  let kept: Kept;
  let before: Buffer;

  const expectWhole = async (): Promise<void> => {
    const service = await startServiceProcess(folder('files'), FILES);
    expect(await readNote(service, kept)).toBe(NOTE);
    expect(await isValid(service, kept)).toBe(true);
    await service.stop();
  };

  beforeAll(async () => {
    const service = await startServiceProcess(folder('files'), FILES);
    kept = await fill(service);
    await service.stop();
  }, LONG_MS);

  it('show no content, and the service reads them', async () => {
    expect((await readdir(join(folder('files'), 'worm', 'blobs'))).length).toBeGreaterThan(0);
    expect(await filesWithMarkers(folder('files'))).toEqual([]);
    await expectWhole();
  });

  it('are not opened without the content keys, and no new keys are made', async () => {
    await rename(keys(), `${keys()}.away`);
    await expect(startServiceProcess(folder('files'), FILES)).rejects.toThrow(/is encrypted and its keys are missing/);
    expect(existsSync(keys())).toBe(false);
    await rename(`${keys()}.away`, keys());
  });

  it(
    'stay readable over a rotation and the end of an epoch',
    async () => {
      before = await readFile(keys());
      const rotated = await contentKeys(folder('files'), 'rotate', FILES);
      expect(rotated).toMatchObject({ code: 0, text: expect.stringMatching(/epoch 2/) });
      expect(await contentKeys(folder('files'), 'end-epoch', FILES)).toMatchObject({ code: 0 });
      const { text } = await contentKeys(folder('files'), 'status', FILES);
      expect(text).toMatch(/epoch 3 wraps new keys; 0 keys are under other epochs/);
      expect(text).toMatch(/: 3\n/);
      await expectWhole();
    },
    LONG_MS,
  );

  it(
    'are not opened with a copy of the content keys from before',
    async () => {
      const present = await readFile(keys());
      await writeFile(keys(), before);
      await expect(startServiceProcess(folder('files'), FILES)).rejects.toThrow(/needs the key of epoch 3/);
      await writeFile(keys(), present);
    },
    LONG_MS,
  );

  it(
    'are encrypted by a command where an earlier version stored them in clear',
    async () => {
      const plain = { ...FILES, SERVICE_ENCRYPT_AT_REST: 'false' };
      const service = await startServiceProcess(folder('plain-files'), plain);
      const other = await fill(service);
      await service.stop();
      expect((await filesWithMarkers(folder('plain-files'))).some((name) => name.startsWith('worm/'))).toBe(true);
      expect(await contentKeys(folder('plain-files'), 'encrypt', FILES)).toMatchObject({ code: 0 });
      expect((await filesWithMarkers(folder('plain-files'))).filter((name) => name.startsWith('worm/'))).toEqual([]);
      const again = await startServiceProcess(folder('plain-files'), FILES);
      expect(await readNote(again, other)).toBe(NOTE);
      expect(await isValid(again, other)).toBe(true);
      await again.stop();
    },
    LONG_MS,
  );
});

describe('a data folder from before', () => {
  let kept: Kept;
  beforeAll(async () => {
    const service = await startServiceProcess(folder('old'), { SERVICE_ENCRYPT_AT_REST: 'false' });
    kept = await fill(service);
    await service.stop();
    expect(await filesWithMarkers(folder('old'))).toEqual(['embedded/data.mdb']);
  });

  it('is served as it is, with a warning that names the command', async () => {
    const service = await startServiceProcess(folder('old'));
    expect(await readNote(service, kept)).toBe(NOTE);
    expect(service.output()).toMatch(/npm run data-keys -- encrypt/);
    await service.stop();
  });

  it('is encrypted by a command that was killed and run again', async () => {
    for (const killAfterMs of [150, 600]) {
      const data = folder(`killed-${killAfterMs}`);
      await cp(folder('old'), data, { recursive: true, filter: (path) => !path.endsWith('.sock') });
      await cp(`${folder('old')}-signer`, `${data}-signer`, {
        recursive: true,
        filter: (path) => !path.endsWith('.sock'),
      });
      const child = spawn(process.execPath, [repositoryFile('dist/app/commands/data-keys.js'), 'encrypt'], {
        env: { PATH: process.env['PATH'], SERVICE_DATA_DIR: data },
        stdio: 'ignore',
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      await ended;
      const again = await dataKeys(data, 'encrypt');
      // The first command may have been done before the signal came.
      expect([0, 2]).toContain(again.code);
      expect(await filesWithMarkers(data)).toEqual([]);
      const service = await startServiceProcess(data);
      expect(await readNote(service, kept)).toBe(NOTE);
      expect(await isValid(service, kept)).toBe(true);
      await service.stop();
    }
  });

  it('is not encrypted while a service uses it', async () => {
    const service = await startServiceProcess(folder('old'));
    expect(await dataKeys(folder('old'), 'encrypt')).toMatchObject({ code: 2, text: expect.stringMatching(/in use/) });
    expect(await readNote(service, kept)).toBe(NOTE);
    await service.stop();
  });
});
