import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WormBucket } from '../../../../shared/config/worm-bucket.js';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import type { Database } from '../../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { KeptWormStore, TenantWorm } from '../../../../shared/worm/worm-store.js';
import { type BucketFault, type BucketProxy, startBucketProxy } from '../../../support/bucket-proxy.js';
import {
  BUCKET_PROGRAMS,
  type BucketServer,
  bucketSettings,
  startBucketServer,
} from '../../../support/bucket-server.js';
import { startTestServer, type TestServer } from '../../../support/database.js';
import { ManualClock, recordingLogger, seededRandomness } from '../../../support/fakes.js';
import { seeded } from '../../../support/random.js';
import { openWorm } from '../drivers.js';

const MIB = 1_048_576;
const TENANT = { tenantId: 'a' as TenantId, logId: 'log_a' };
const SEEDS = [1, 2, 3];
const WRITES = 60;
const FAULTS: readonly BucketFault[] = ['error', 'cut', 'half', 'lost', 'torn', 'slow', 'expired', 'skewed'];
/** Most requests meet a fault, so that the three tries of a request often all fail. */
const FAULT_SHARE = 0.7;
const SIZES = [100, 40_000, 300_000, 9 * MIB];
const TEST_MS = 120_000;

interface Write {
  readonly names: readonly string[];
  readonly store: (worm: TenantWorm) => Promise<unknown>;
  readonly isStored: (worm: TenantWorm) => Promise<boolean>;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function contentOf(bytes: Buffer): Write {
  const sha256 = sha256Hex(bytes);
  return {
    names: [sha256],
    store: (worm) => worm.putBlob(once(bytes), 16 * MIB),
    isStored: async (worm) => {
      const read: Buffer[] = [];
      for await (const chunk of worm.readBlob(sha256)) read.push(chunk);
      return Buffer.concat(read).equals(bytes);
    },
  };
}

function recordsOf(contents: readonly Buffer[]): Write {
  const records = contents.map((bytes) => ({ sha256: sha256Hex(bytes), bytes }));
  const names = records.map(({ sha256 }) => sha256);
  return {
    names,
    store: (worm) => worm.putRecords(records),
    isStored: async (worm) => {
      const found = await worm.readRecords(names);
      return records.every(({ sha256, bytes }) => found.get(sha256)?.bytes.equals(bytes) === true);
    },
  };
}

const program = BUCKET_PROGRAMS.find(({ name }) => name === 'in process');
if (program === undefined) throw new Error('no server runs in this process');

describe('the store on a bucket whose requests fail at random', () => {
  let databases: TestServer;
  let server: BucketServer;
  let proxy: BucketProxy;

  beforeAll(async () => {
    databases = await startTestServer();
    server = await startBucketServer(program);
    proxy = await startBucketProxy(server.port);
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
    await databases.stop();
  });

  const open = (database: Database, place: WormBucket): Promise<KeptWormStore> => {
    const clock = new ManualClock();
    const ids = ulidIds(() => clock.nowMs(), systemRandomness());
    const limits = { segmentRecords: 100, segmentBytes: 8 * MIB };
    return openWorm({ database, limits, clock, ids, logger: recordingLogger().logger }, place);
  };

  const writesOf = (seed: number): readonly Write[] => {
    const random = seeded(seed);
    const randomness = seededRandomness(seed);
    const bytesOf = (length: number): Buffer => Buffer.alloc(length, randomness.fill(new Uint8Array(32)));
    return Array.from({ length: WRITES }, () => {
      const size = SIZES[Math.floor(random() * SIZES.length)] ?? 0;
      if (random() < 0.5 || size > MIB) return contentOf(bytesOf(size));
      return recordsOf(Array.from({ length: 1 + Math.floor(random() * 5) }, () => bytesOf(size)));
    });
  };

  it.each(SEEDS)(
    'loses nothing that it acknowledged, and stores the rest when it is asked again (seed %i)',
    async (seed) => {
      await server.bucket(`worm-${seed}`);
      const place = bucketSettings(proxy.endpoint, `worm-${seed}`);
      const database = await databases.connect(`seeded-${seed}`);
      const store = await open(database, place);
      const random = seeded(seed);
      proxy.vary(() => (random() < FAULT_SHARE ? (FAULTS[Math.floor(random() * FAULTS.length)] ?? 'none') : 'none'));
      const writes = writesOf(seed);
      const outcomes = await Promise.allSettled(writes.map((write) => write.store(store.forTenant(TENANT))));
      expect(proxy.met()).toBeGreaterThan(WRITES);
      proxy.set('none');
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'UNAVAILABLE' });
      }
      await store.close();

      // Another process finds what this one acknowledged.
      const next = await open(database, place);
      const worm = next.forTenant(TENANT);
      const acknowledged = writes.filter((_, i) => outcomes[i]?.status === 'fulfilled');
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(acknowledged.length).toBeLessThan(WRITES);
      for (const write of acknowledged) expect(await write.isStored(worm)).toBe(true);
      for (const write of writes) await write.store(worm);
      for (const write of writes) expect(await write.isStored(worm)).toBe(true);
      await next.close();
    },
    TEST_MS,
  );
});
