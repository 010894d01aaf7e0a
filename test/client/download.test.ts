import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BundleBytesError, downloadBundle, saveBundle } from '../../client/index.js';
import { download } from '../bundles/bundles-kit.js';
import { eventually } from '../support/eventually.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { type Caller, freshCaller, sealedBundle, throughFaults } from './client-kit.js';
import type { FaultyProxy } from './faulty-proxy.js';

const DOWNLOAD = /\/download/;
const AT_ONCE = { resumeAfterMs: 0 };

// All tests read one sealed bundle: its build takes seconds, and a download changes nothing of it.
let service: WholeService;
let caller: Caller;
let bundleId: string;
let zip: Buffer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eas-client-'));
  service = await startWholeService();
  caller = await freshCaller(service);
  bundleId = await sealedBundle(caller, 'M-77');
  zip = await download(caller.http, bundleId);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const bytesOf = async (stream: ReadableStream<Uint8Array>): Promise<Buffer> =>
  Buffer.from(await new Response(stream).arrayBuffer());

/** Reads a stream to its end, and ends its connection when so many bytes have been read. */
async function bytesCutAt(
  sizesBytes: readonly number[],
  proxy: FaultyProxy,
  stream: ReadableStream<Uint8Array>,
): Promise<Buffer> {
  let read = Buffer.alloc(0);
  for await (const chunk of stream) {
    read = Buffer.concat([read, chunk]);
    if (sizesBytes.includes(read.length)) proxy.cut();
  }
  return read;
}

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('downloadBundle', () => {
  it('streams the sealed ZIP', async () => {
    expect((await bytesOf(await downloadBundle(caller.client, bundleId))).equals(zip)).toBe(true);
  });

  it('continues where the connection was cut, twice, over a 503 between', async () => {
    const faults = [
      { kind: 'held', afterBytes: 1_000 },
      { kind: 'answer', status: 503, retryAfterSeconds: 1 },
      { kind: 'held', afterBytes: 500 },
    ] as const;
    const { client, proxy, waits } = await throughFaults(caller.http, DOWNLOAD, faults);
    const bytes = await bytesCutAt([1_000, 1_500], proxy, await downloadBundle(client, bundleId, AT_ONCE));
    expect(bytes.equals(zip)).toBe(true);
    expect(proxy.seen.map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=1000-',
      'bytes=1000-',
      'bytes=1500-',
    ]);
    expect(waits).toHaveLength(1);
    await proxy.close();
  });

  it('ends well when the connection is cut behind the last byte', async () => {
    const { client, proxy } = await throughFaults(caller.http, DOWNLOAD, [{ kind: 'held', afterBytes: zip.length }]);
    const stream = await downloadBundle(client, bundleId, { maxResumes: 0 });
    const bytes = await bytesCutAt([zip.length], proxy, stream);
    expect([bytes.equals(zip), proxy.seen.length]).toEqual([true, 1]);
    await proxy.close();
  });

  it('fails when the connection is cut more often than it may go on', async () => {
    const faults = [1, 2, 3].map(() => ({ kind: 'cut', afterBytes: 100 }) as const);
    const { client, proxy } = await throughFaults(caller.http, DOWNLOAD, faults);
    const cut = bytesOf(await downloadBundle(client, bundleId, { ...AT_ONCE, maxResumes: 2 }));
    await expect(cut).rejects.toThrow();
    expect(proxy.seen).toHaveLength(3);
    await proxy.close();
  });

  it('fails with BundleBytesError when a byte differs', async () => {
    const { client, proxy } = await throughFaults(caller.http, DOWNLOAD, [{ kind: 'changed', at: 2_000 }]);
    await expect(bytesOf(await downloadBundle(client, bundleId))).rejects.toBeInstanceOf(BundleBytesError);
    await proxy.close();
  });

  it('throws the error of a bundle that there is not', async () => {
    const missing = downloadBundle(caller.client, 'bdl_01JQ0000000000000000000009');
    await expect(missing).rejects.toMatchObject({ name: 'ApiError', code: 'NOT_FOUND', status: 404 });
  });
});

describe('saveBundle', () => {
  it('writes the ZIP, leaves no .part, and returns hash and size', async () => {
    const path = join(folder, 'whole.zip');
    const saved = await saveBundle(caller.client, bundleId, path);
    expect(saved).toEqual({ path, sha256: sha256Of(zip), sizeBytes: zip.length });
    expect((await readFile(path)).equals(zip)).toBe(true);
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  it('continues the .part file of a cut call', async () => {
    const path = join(folder, 'later.zip');
    const { client, proxy } = await throughFaults(caller.http, DOWNLOAD, [{ kind: 'held', afterBytes: 3_000 }]);
    const cut = expect(saveBundle(client, bundleId, path, { maxResumes: 0 })).rejects.toThrow();
    const part = await eventually(
      () => readFile(`${path}.part`).catch(() => Buffer.alloc(0)),
      (bytes) => bytes.length === 3_000,
    );
    proxy.cut();
    await cut;
    expect(part.equals(zip.subarray(0, 3_000))).toBe(true);
    expect(existsSync(path)).toBe(false);
    expect(await saveBundle(client, bundleId, path)).toMatchObject({ sha256: sha256Of(zip), sizeBytes: zip.length });
    expect(proxy.seen.at(-1)?.headers.range).toBe('bytes=3000-');
    expect((await readFile(path)).equals(zip)).toBe(true);
    await proxy.close();
  });

  it('deletes a .part of other bytes, and the next call succeeds', async () => {
    const path = join(folder, 'other.zip');
    await writeFile(`${path}.part`, Buffer.alloc(2_000));
    await expect(saveBundle(caller.client, bundleId, path)).rejects.toBeInstanceOf(BundleBytesError);
    expect(await saveBundle(caller.client, bundleId, path)).toMatchObject({ sha256: sha256Of(zip) });
  });

  it.each([
    ['is already whole', () => zip],
    ['is longer than the ZIP', () => Buffer.concat([zip, Buffer.alloc(10)])],
  ])('downloads the whole again when the .part %s', async (_, part) => {
    const path = join(folder, `${part().length}.zip`);
    await writeFile(`${path}.part`, part());
    await saveBundle(caller.client, bundleId, path);
    expect((await readFile(path)).equals(zip)).toBe(true);
  });
});
