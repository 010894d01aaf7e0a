import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { envelope } from '../support/envelopes.js';
import { freshTenant, Http } from '../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { upload } from '../vault/vault-kit.js';

let root: string;
let service: ServiceProcess | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'private-folders-'));
});
afterEach(async () => {
  await service?.stop();
  await rm(root, { recursive: true, force: true });
});

const start = async (): Promise<Http> => {
  const worm = { SERVICE_WORM_DRIVER: 'filesystem', SERVICE_WORM_DIR: join(root, 'worm') };
  service = await startServiceProcess(join(root, 'data'), worm);
  return new Http(service.url, TEST_OPERATOR_KEY);
};

/** Files and folders below a folder that someone else than the owner may read, write or enter. */
async function openToOthers(): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(root, { recursive: true })) {
    const { mode } = await stat(join(root, name)).catch(() => ({ mode: 0 }));
    if ((mode & 0o077) !== 0) found.push(`${name} ${(mode & 0o777).toString(8)}`);
  }
  return found;
}

it('everything that the service writes on disk is for its owner alone, and is made so again at the next start', async () => {
  const operator = await start();
  const { http } = await freshTenant(operator, ['admin']);
  await http.post('/v1/events', envelope('first'));
  await upload(http, { bytes: Buffer.alloc(1_500_000, 'page ') });
  while ((await http.get('/v1/ledger/checkpoints/latest')).status !== 200)
    await new Promise((ended) => setTimeout(ended, 100));
  expect(await openToOthers()).toEqual([]);
  await service?.stop();
  for (const name of ['data/embedded', 'data-signer', 'worm']) await chmod(join(root, name), 0o755);
  await chmod(join(root, 'data/embedded/data.mdb'), 0o644);
  expect(await openToOthers()).toHaveLength(4);
  await start();
  expect(await openToOthers()).toEqual([]);
});
