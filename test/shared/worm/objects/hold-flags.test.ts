import {
  GetObjectLegalHoldCommand,
  ListObjectVersionsCommand,
  PutObjectLegalHoldCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../../shared/clock/clock.js';
import type { WormBucket } from '../../../../shared/config/worm-bucket.js';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import type { Database } from '../../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { wormDatabase } from '../../../../shared/worm/kept-worm-store.js';
import type { HoldFlags } from '../../../../shared/worm/objects/hold-flags.js';
import { testBucket } from '../../../../shared/worm/objects/lock-test.js';
import type { KeptWormStore } from '../../../../shared/worm/worm-store.js';
import { type BucketProxy, startBucketProxy } from '../../../support/bucket-proxy.js';
import { BUCKET_PROGRAMS, type BucketServer, startBucketServer } from '../../../support/bucket-server.js';
import { startTestServer, type TestServer } from '../../../support/database.js';
import { ManualClock, recordingLogger } from '../../../support/fakes.js';
import { describeUnless } from '../../../support/needs.js';
import { dropFolder, openWorm, SEALED_DRIVERS, type WormPlace } from '../drivers.js';

const MIB = 1_048_576;
const DAY_MS = 24 * 3_600_000;
const TENANT = { tenantId: 'a' as TenantId, logId: 'log_a' };
/** Longer than the store needs to add two records to one group. */
const GATHER_MS = 50;

let databases: TestServer;
beforeAll(async () => {
  databases = await startTestServer();
});
afterAll(() => databases.stop());

const clock = new ManualClock();
function open(database: Database, place: WormPlace): Promise<KeptWormStore> {
  const ids = ulidIds(() => clock.nowMs(), systemRandomness());
  const limits = { segmentRecords: 20, segmentBytes: 4 * MIB };
  return openWorm({ database, limits, clock, ids, logger: recordingLogger().logger }, place);
}

const textOf = (text: string) => ({ sha256: sha256Hex(Buffer.from(text)), bytes: Buffer.from(text) });

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

function flagsIn(store: KeptWormStore): HoldFlags {
  const { holdFlags } = store.upkeepOf(TENANT);
  if (holdFlags === null) throw new Error('a bucket has hold flags');
  return holdFlags;
}

for (const program of BUCKET_PROGRAMS) {
  describeUnless(program.lack)(`legal hold flags in a bucket of ${program.name}`, () => {
    let server: BucketServer;
    let proxy: BucketProxy;
    let client: S3Client;
    let buckets = 0;

    beforeAll(async () => {
      server = await startBucketServer(program);
      proxy = await startBucketProxy(server.port);
      client = new S3Client({ endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true });
    });
    afterAll(async () => {
      client.destroy();
      await proxy.stop();
      await server.stop();
    });

    const opened = async () => {
      const name = `held-${buckets++}`;
      const place = { ...(await server.bucket(name)), endpoint: proxy.endpoint, gatherMs: GATHER_MS };
      const database = await databases.connect(`${program.name.replace(' ', '-')}-${name}`);
      return { place, database, store: await open(database, place) };
    };

    /** The objects by their names, with the flag; each has one version. */
    const flagsUnder = async ({ bucket: Bucket }: WormBucket, under: string): Promise<Record<string, string>> => {
      const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: `eas/${under}` }));
      const found: Record<string, string> = {};
      for (const { Key = '', VersionId } of Versions) {
        const ask = new GetObjectLegalHoldCommand({ Bucket, Key, VersionId });
        // A version that never had a flag has no answer to give.
        const answer = await client.send(ask).catch(() => null);
        found[Key] = answer?.LegalHold?.Status ?? 'OFF';
      }
      return found;
    };
    const statesUnder = async (place: WormBucket, under: string): Promise<readonly string[]> =>
      Object.values(await flagsUnder(place, under)).sort();

    it('cover the objects of records and contents until the last hold is lifted', async () => {
      const { place, store } = await opened();
      const [letter, record] = [textOf('a letter'), textOf('a record')];
      await store.forTenant(TENANT).putRecords([record]);
      await store.forTenant(TENANT).putBlob(pieces(letter.bytes), MIB);
      await store.forTenant(TENANT).putBlob(pieces(Buffer.from('another letter')), MIB);
      const flags = flagsIn(store);
      const bytes = { records: [record.sha256], contents: [letter.sha256] };
      for (const hold of ['hld_1', 'hld_2', 'hld_2']) expect((await flags.set(hold, bytes)).size).toBe(0);
      expect(await statesUnder(place, 'contents/')).toEqual(['OFF', 'ON']);
      expect((await statesUnder(place, 'segments/')).filter((state) => state === 'ON')).toHaveLength(1);

      expect(await flags.lift('hld_1', 10)).toBe(2);
      expect(await statesUnder(place, 'contents/')).toEqual(['OFF', 'ON']);
      expect(await flags.lift('hld_2', 10)).toBe(2);
      expect(await flags.lift('hld_2', 10)).toBe(0);
      expect(await statesUnder(place, 'contents/')).toEqual(['OFF', 'OFF']);
      expect(await statesUnder(place, 'segments/')).not.toContain('ON');
      await store.close();
    });

    it('stay on an object of several records while a hold needs any of them', async () => {
      const { place, store } = await opened();
      const [one, other] = [textOf('one'), textOf('other')];
      await store.forTenant(TENANT).putRecords([one, other]);
      expect(await statesUnder(place, 'segments/')).toEqual(['OFF']);
      const flags = flagsIn(store);
      await flags.set('hld_1', { records: [one.sha256], contents: [] });
      await flags.set('hld_2', { records: [other.sha256], contents: [] });
      await flags.lift('hld_1', 10);
      expect(await statesUnder(place, 'segments/')).toEqual(['ON']);
      await flags.lift('hld_2', 10);
      expect(await statesUnder(place, 'segments/')).toEqual(['OFF']);
      await store.close();
    });

    it('are lifted from an object that a disposal hid', async () => {
      const { place, store } = await opened();
      const letter = textOf('a letter that is disposed of');
      await store.forTenant(TENANT).putBlob(pieces(letter.bytes), MIB);
      const flags = flagsIn(store);
      await flags.set('hld_1', { records: [], contents: [letter.sha256] });
      clock.advance(2 * DAY_MS);
      expect(await store.upkeepOf(TENANT).dropBlob(letter.sha256, async () => false)).toBe(true);
      expect(await statesUnder(place, 'contents/')).toEqual(['ON']);
      await flags.lift('hld_1', 10);
      expect(await statesUnder(place, 'contents/')).toEqual(['OFF']);
      await store.close();
    });

    it('are tested at start: a credential that may not set them is named', async () => {
      const { place, store } = await opened();
      expect((await testBucket(place, systemClock)).mayHold).toBe(true);
      proxy.set('denied', 'PUT', 'legal-hold');
      expect((await testBucket(place, systemClock)).mayHold).toBe(false);
      proxy.set('none');
      await store.close();
    });

    it('name the bytes that no object holds', async () => {
      const { store } = await opened();
      const bytes = { records: [textOf('x').sha256], contents: [textOf('y').sha256] };
      expect(await flagsIn(store).set('hld_1', bytes)).toEqual(new Set([...bytes.records, ...bytes.contents]));
      await store.close();
    });

    it('pass to the copy of a record that is restored', async () => {
      const { place, store } = await opened();
      const record = textOf('a record to restore');
      await store.forTenant(TENANT).putRecords([record]);
      await flagsIn(store).set('hld_1', { records: [record.sha256], contents: [] });
      await store.upkeepOf(TENANT).restoreRecord(record);
      expect(await statesUnder(place, 'segments/')).toEqual(['ON', 'ON']);
      await store.close();
    });

    it.each(['error', 'lost', 'expired'] as const)(
      'are set and lifted by the next attempt after requests that fail (%s)',
      async (fault) => {
        const { place, store } = await opened();
        const letter = textOf('a letter');
        await store.forTenant(TENANT).putBlob(pieces(letter.bytes), MIB);
        const flags = flagsIn(store);
        const bytes = { records: [], contents: [letter.sha256] };
        proxy.set(fault, 'PUT');
        await expect(flags.set('hld_1', bytes)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
        proxy.set('none');
        await flags.set('hld_1', bytes);
        expect(await statesUnder(place, 'contents/')).toEqual(['ON']);
        proxy.set(fault, 'PUT');
        await expect(flags.lift('hld_1', 10)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
        proxy.set('none');
        expect(await flags.lift('hld_1', 10)).toBe(1);
        expect(await statesUnder(place, 'contents/')).toEqual(['OFF']);
        await store.close();
      },
    );

    it('are set again if a process died while it lifted one that another hold came to need', async () => {
      const { place, database, store } = await opened();
      const letter = textOf('a letter');
      await store.forTenant(TENANT).putBlob(pieces(letter.bytes), MIB);
      const flags = flagsIn(store);
      const bytes = { records: [], contents: [letter.sha256] };
      await flags.set('hld_1', bytes);
      await flags.set('hld_2', bytes);
      // The flag was lifted after the other hold had set it, and the process died before its second look.
      const rows = wormDatabase(database).collection('worm_holds');
      await rows.updateOne({ '_id.hold': 'hld_1' }, { $set: { lifting: true } });
      const [Key] = Object.keys(await flagsUnder(place, 'contents/'));
      const off = { Bucket: place.bucket, Key, LegalHold: { Status: 'OFF' } } as const;
      await client.send(new PutObjectLegalHoldCommand(off));
      expect(await statesUnder(place, 'contents/')).toEqual(['OFF']);
      expect(await flags.lift('hld_1', 10)).toBe(1);
      expect(await statesUnder(place, 'contents/')).toEqual(['ON']);
      await store.close();
    });
  });
}

describe('drivers without legal hold flags', () => {
  it.each(SEALED_DRIVERS)('$name says so', async ({ folder, name }) => {
    const place = await folder();
    const store = await open(await databases.connect(`none-${name.length}`), place);
    expect([store.hasHoldFlags, store.upkeepOf(TENANT).holdFlags]).toEqual([false, null]);
    await store.close();
    await dropFolder(place);
  });
});
