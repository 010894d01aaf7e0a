import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { ByteRange } from '../../../shared/worm/worm-store.js';
import type { ScanEngine } from '../../../subgraphs/vault/scan/ports.js';
import { scanStored } from '../../../subgraphs/vault/scan/scan-document.js';
import { ManualClock, recordingLogger } from '../../support/fakes.js';

const MIB = 1_048_576;

/** What an engine got of head, whole and tail, and how often the store was asked. */
async function scanned(bytes: Buffer, isDamaged = false) {
  let asked = 0;
  const got: Buffer[] = [];
  async function* readBlob(_: string, { start, end }: ByteRange = { start: 0, end: bytes.length }) {
    asked++;
    if (isDamaged) throw new Error('damaged');
    yield bytes.subarray(start, end);
  }
  const engine = (name: string): ScanEngine => ({
    name,
    scan: async (content) => {
      for (const range of [{ start: 0, end: Math.min(9, content.size) }, undefined, { start: 3, end: content.size }]) {
        const pieces: Buffer[] = [];
        for await (const piece of content.read(range)) pieces.push(piece);
        got.push(Buffer.concat(pieces));
      }
      return [];
    },
  });
  const deps = {
    engines: [engine('first'), engine('second')],
    worm: { forTenant: () => ({ readBlob }) },
    tenants: { find: async () => ({ log_id: 'log_x' }) },
    clock: new ManualClock(),
    logger: recordingLogger().logger,
  } as unknown as Parameters<typeof scanStored>[0];
  const scan = await scanStored(deps, {
    tenant_id: 't-scan' as TenantId,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
    media_type: 'text/plain',
    filename: 'a.txt',
  });
  return { asked, got, status: scan.status };
}

it.each([10, 70_000, MIB])('reads content of %i bytes once for all engines', async (size) => {
  const bytes = randomBytes(size);
  const { asked, got, status } = await scanned(bytes);
  const wanted = [bytes.subarray(0, 9), bytes, bytes.subarray(3)];
  expect(got.map((part) => part.toString('base64'))).toEqual(
    [...wanted, ...wanted].map((part) => part.toString('base64')),
  );
  expect([asked, status]).toEqual([1, 'CLEAN']);
});

it('reads larger content by range, without holding it in memory', async () => {
  expect((await scanned(randomBytes(MIB + 1))).asked).toBe(6);
});

it('does not pass content that cannot be read', async () => {
  expect((await scanned(randomBytes(50), true)).status).toBe('FLAGGED');
});
