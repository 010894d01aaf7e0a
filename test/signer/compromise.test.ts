import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { download, eventOf, postEvents, sealed, verifiedOffline } from '../bundles/bundles-kit.js';
import { eventually } from '../support/eventually.js';
import { freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

// The steps of docs/signer.md "After a compromise", in their order.

let service: WholeService;
let http: Http;
let tenantId: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compromise-'));
  service = await startWholeService();
  ({ http, tenantId } = await freshTenant(service.operator, ['admin']));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const latest = async () => (await http.get('/v1/ledger/checkpoints/latest')).json;
const scope = { scope: { member_id: 'M-1' } };

interface Keys {
  readonly keys: readonly {
    readonly purpose: string;
    readonly thumbprint: string;
    readonly compromised_from?: string;
  }[];
}
const published = (): Promise<Keys> =>
  fetch(`${http.url}/v1/signing-keys/jwks?tenant_id=${tenantId}`).then((answer) => answer.json() as Promise<Keys>);

/** The exit code of the offline verifier with the set of keys that is published now. */
async function judged(zip: Buffer): Promise<number> {
  const file = join(folder, 'keys.json');
  await writeFile(file, JSON.stringify(await published()));
  return (await verifiedOffline(zip, ['--keys', file])).exitCode;
}

it('the runbook of a compromise ends with new keys, a new origin, bundles that verify, and old ones that do not', async () => {
  await postEvents(http, [eventOf('M-1', 1)]);
  const before = await sealed(http, scope);
  const note = await latest();
  const sinceMs = Date.parse(before.sealed_at) + 1;
  const after = await sealed(http, scope);
  const zips = [await download(http, before.bundle_id), await download(http, after.bundle_id)] as const;
  expect([await judged(zips[0]), await judged(zips[1])]).toEqual([0, 0]);

  // 1. Revoke.
  const effective_at = new Date(sinceMs).toISOString();
  const active = (await http.get('/v1/signing-keys?status=ACTIVE')).json.items;
  for (const { key_id } of active) {
    const revoked = await http.post(`/v1/signing-keys/${key_id}/revoke`, { reason: 'KEY_COMPROMISE', effective_at });
    expect(revoked.status).toBe(200);
  }
  expect(await judged(zips[0])).toBe(4);
  expect(await judged(zips[1])).toBe(1);

  // 2. Begin a new incarnation.
  const known = `known_size=${note.tree_size}&known_root=${note.root_hash}`;
  expect((await http.get(`/v1/ledger/verify?${known}`)).json).toMatchObject({
    verdict: 'INVALID',
    breaks: expect.arrayContaining([expect.objectContaining({ detail: expect.stringContaining('revoked') })]),
  });
  expect((await http.post('/v1/ledger/incarnations', { reason: 'A key was stolen.' })).status).toBeLessThan(300);
  const origin = note.origin.replace(/inc-1$/, 'inc-2');
  await promisify(execFile)(
    process.execPath,
    [repositoryFile('dist/app/commands/signer.js'), 'accept', origin, '--reason', 'A key was stolen.'],
    { env: { SERVICE_DATA_DIR: service.dataDir } },
  );
  const renewed = await eventually(latest, (checkpoint) => checkpoint.incarnation === 2);
  expect(renewed.origin).toBe(origin);
  expect(renewed.key_id).not.toBe(note.key_id);

  // 3. Seal again.
  const again = await http.post(`/v1/bundles/${after.bundle_id}/regenerate`, {});
  const resealed = await eventually(
    async () => (await http.get(`/v1/bundles/${again.json.bundle_id}`)).json,
    ({ status }) => status === 'SEALED',
  );
  expect(resealed.signing_key_id).not.toBe(after.signing_key_id);
  expect(await judged(await download(http, resealed.bundle_id))).toBe(0);

  // 4. Tell verifiers.
  const { keys } = await published();
  expect(keys.find(({ thumbprint }) => thumbprint === after.signing_key_id)?.compromised_from).toBe(effective_at);
  expect(keys.find(({ thumbprint }) => thumbprint === resealed.signing_key_id)?.compromised_from).toBeUndefined();
  expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ breaks: [], verdict: 'VALID_UNANCHORED' });
});
