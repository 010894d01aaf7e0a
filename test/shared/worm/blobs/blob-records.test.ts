import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemRandomness, ulidIds } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { GridFsBlobs } from '../../../../shared/worm/blobs/gridfs-blobs.js';
import { TenantBlobs } from '../../../../shared/worm/blobs/tenant-blobs.js';
import { contentKeysOf } from '../../../../shared/worm/keys/open-keys.js';
import { SealedBlobs } from '../../../../shared/worm/keys/sealed-blobs.js';
import type { WormRecord } from '../../../../shared/worm/worm-store.js';
import { startTestServer, type TestServer } from '../../../support/database.js';
import { ManualClock } from '../../../support/fakes.js';

const GROUPED = Buffer.alloc(1_000, 1);
const ALONE = Buffer.alloc(400_000, 2);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Contents of a tenant with segments that fail on request. */
async function setUp(name: string) {
  const { db } = await server.connect(name);
  await TenantBlobs.prepare(db);
  const clock = new ManualClock();
  const medium = new SealedBlobs(
    new GridFsBlobs(db, db, clock),
    contentKeysOf({ db, retention: db, clock, epochKeys: null }),
  );
  const ids = ulidIds(() => clock.nowMs(), systemRandomness());
  const records = new Map<string, WormRecord>();
  const segments = {
    failing: true,
    put: async (added: readonly WormRecord[]) => {
      if (segments.failing) throw new Error('no space left');
      for (const record of added) records.set(record.sha256, record);
    },
  };
  const blobs = new TenantBlobs({ db, medium, clock, ids }, { tenantId: 't-a' as TenantId, logId: 'log_a' }, segments);
  const put = (content: Buffer) => blobs.put(pieces(content), content.length);
  return { segments, records, put };
}

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

describe.each([
  ['a grouped content', 'grouped', GROUPED],
  ['a content of its own', 'alone', ALONE],
])('%s without its record after a failure', (_, name, content) => {
  it('is not reported, also when it is sent again, until its record exists', async () => {
    const { segments, records, put } = await setUp(name);
    await expect(put(content)).rejects.toThrow('no space left');
    await expect(put(content)).rejects.toThrow('no space left');
    segments.failing = false;
    expect(await put(content)).toMatchObject({ sizeBytes: content.length, created: false });
    expect(records.size).toBe(1);
  });
});
