import { randomBytes } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectVersionsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '../../../../shared/clock/clock.js';
import type { WormBucket } from '../../../../shared/config/worm-bucket.js';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import type { Database } from '../../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { wormDatabase } from '../../../../shared/worm/kept-worm-store.js';
import { testBucket } from '../../../../shared/worm/objects/lock-test.js';
import { lengthenBucketLocks } from '../../../../shared/worm/open-worm-store.js';
import type { KeptWormStore } from '../../../../shared/worm/worm-store.js';
import { BUCKET_PROGRAMS, type BucketServer, startBucketServer } from '../../../support/bucket-server.js';
import { startTestServer, type TestServer } from '../../../support/database.js';
import { ManualClock, recordingLogger } from '../../../support/fakes.js';
import { describeUnless } from '../../../support/needs.js';
import { openWorm, type WormPlace } from '../drivers.js';

const MIB = 1_048_576;
const DAY_MS = 24 * 3_600_000;
const TENANT = { tenantId: 'a' as TenantId, logId: 'log_a' };
/** Rights that a server leaves to a credential, by mode: moto 5 lets a client shorten any lock, and locks no upload in parts. */
const RIGHTS = {
  versitygw: { COMPLIANCE: [], GOVERNANCE: ['bypass'] },
  moto: { COMPLIANCE: ['shorten', 'delete'], GOVERNANCE: ['shorten', 'bypass', 'delete'] },
  'in process': { COMPLIANCE: [], GOVERNANCE: ['bypass'] },
} as const;

for (const program of BUCKET_PROGRAMS) {
  describeUnless(program.lack)(`a bucket of ${program.name}`, () => {
    const clock = new ManualClock();
    let databases: TestServer;
    let server: BucketServer;
    let client: S3Client;
    let buckets = 0;

    beforeAll(async () => {
      databases = await startTestServer();
      server = await startBucketServer(program);
      client = new S3Client({ endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true });
    });
    afterAll(async () => {
      client.destroy();
      await databases.stop();
      await server.stop();
    });

    const freshBucket = (lock = true): Promise<WormBucket> => server.bucket(`worm-${buckets++}`, { lock });
    const open = (database: Database, place: WormPlace): Promise<KeptWormStore> => {
      const ids = ulidIds(() => clock.nowMs(), systemRandomness());
      const limits = { segmentRecords: 20, segmentBytes: 4 * MIB };
      return openWorm({ database, limits, clock, ids, logger: recordingLogger().logger }, place);
    };
    const versionsOf = async ({ bucket: Bucket }: WormBucket, under: string) => {
      const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: `eas/${under}` }));
      return Versions.map(({ Key, VersionId }) => ({ Bucket, Key, VersionId }));
    };
    /** versitygw names no lock in the head of a hidden version, and moto does not answer the other question. */
    const lockedUntil = async (version: Awaited<ReturnType<typeof versionsOf>>[number]): Promise<Date | undefined> => {
      const { ObjectLockRetainUntilDate: until } = await client.send(new HeadObjectCommand(version));
      if (until !== undefined) return until;
      const { Retention } = await client.send(new GetObjectRetentionCommand(version));
      return Retention?.RetainUntilDate;
    };
    async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
      yield content;
    }

    it('without object lock, or one that does not exist, is rejected at start by its name', async () => {
      const database = await databases.connect('no-lock');
      const plain = await freshBucket(false);
      await expect(open(database, plain)).rejects.toThrow(`the bucket ${plain.bucket} has no object lock`);
      await expect(open(database, { ...plain, bucket: 'no-such-bucket' })).rejects.toThrow('does not exist');
    });

    it.each(['COMPLIANCE', 'GOVERNANCE'] as const)('in the mode %s is tested at start', async (mode) => {
      const settings = { ...(await freshBucket()), mode };
      expect(await testBucket(settings, systemClock)).toEqual({ rights: RIGHTS[program.name][mode], mayHold: true });
    });

    it('is bound to its database: another database, another prefix and another driver are rejected', async () => {
      const [database, other] = [await databases.connect('bound'), await databases.connect('bound-other')];
      const place = await freshBucket();
      const store = await open(database, place);
      const bytes = Buffer.from('kept');
      await store.forTenant(TENANT).putRecords([{ sha256: sha256Hex(bytes), bytes }]);
      await store.close();
      await expect(open(other, place)).rejects.toThrow('does not hold the write-once bytes of this database');
      await expect(open(database, { ...place, prefix: 'x/' })).rejects.toThrow('does not hold the write-once bytes');
      await expect(open(database, null)).rejects.toThrow('SERVICE_WORM_DRIVER=s3');
      const again = await open(database, place);
      expect((await again.forTenant(TENANT).readRecords([sha256Hex(bytes)])).get(sha256Hex(bytes))?.bytes).toEqual(
        bytes,
      );
      await again.close();
    });

    it('keeps records and contents locked and encrypted', async () => {
      const place = await freshBucket();
      const store = await open(await databases.connect('locked'), place);
      const text = Buffer.from('the text of a record, long enough to be found');
      const large = Buffer.concat([text, randomBytes(9 * MIB), text]);
      await store.forTenant(TENANT).putRecords([{ sha256: sha256Hex(text), bytes: text }]);
      await store.forTenant(TENANT).putBlob(pieces(text), MIB);
      await store.forTenant(TENANT).putBlob(pieces(large), 16 * MIB);
      const objects = [...(await versionsOf(place, 'segments/')), ...(await versionsOf(place, 'contents/'))];
      // Two contents, and at least one object of a segment.
      expect(objects.length).toBeGreaterThanOrEqual(3);
      const heads: { readonly object: (typeof objects)[number]; readonly head: HeadObjectCommandOutput }[] = [];
      for (const object of objects) {
        const { Body } = await client.send(new GetObjectCommand(object));
        expect(Buffer.from((await Body?.transformToByteArray()) ?? []).includes(text)).toBe(false);
        heads.push({ object, head: await client.send(new HeadObjectCommand(object)) });
      }
      const isKept = ({ head }: (typeof heads)[number]) => program.name !== 'moto' || (head.ContentLength ?? 0) < MIB;
      for (const { object, head } of heads.filter(isKept)) {
        expect(head.ObjectLockMode).toBe('COMPLIANCE');
        const days = (Number(head.ObjectLockRetainUntilDate) - clock.nowMs()) / DAY_MS;
        expect(Math.round(days)).toBe(place.retainDays);
        await expect(client.send(new DeleteObjectCommand(object))).rejects.toMatchObject({ name: 'AccessDenied' });
      }
      await store.close();
    });

    it('of a disposed content and a dropped segment keeps bytes that no key decrypts', async () => {
      const place = await freshBucket();
      const database = await databases.connect('disposed');
      const store = await open(database, place);
      const [content, kept, record] = ['a letter to dispose of', 'a letter to keep', 'a record'].map((t) =>
        Buffer.from(t),
      );
      if (!content || !kept || !record) throw new Error('three texts');
      const worm = store.forTenant(TENANT);
      await worm.putRecords([{ sha256: sha256Hex(record), bytes: record }]);
      for (const each of [content, kept]) await worm.putBlob(pieces(each), MIB);
      const before = await versionsOf(place, '');
      clock.advance(2 * DAY_MS);
      const upkeep = store.upkeepOf(TENANT);
      expect(await upkeep.dropBlob(sha256Hex(content), async () => false)).toBe(true);
      const [segment] = await upkeep.segments();
      await upkeep.dropSegment(segment?._id ?? '');

      // Every locked version is still there, and the keys of the kept content and of the empty segment are the last ones.
      const after = await versionsOf(place, '');
      expect(after).toEqual(expect.arrayContaining(before));
      const keys = await wormDatabase(database).collection('worm_keys').find({}).toArray();
      expect(keys.filter((row) => row['destroyed_at'] !== undefined)).toEqual([]);
      expect(keys).toHaveLength(2);
      expect(await worm.blobSize(sha256Hex(content))).toBeNull();
      expect((await worm.readRecords([sha256Hex(record)])).size).toBe(0);
      const read: Buffer[] = [];
      for await (const chunk of worm.readBlob(sha256Hex(kept))) read.push(chunk);
      expect(Buffer.concat(read)).toEqual(kept);
      await store.close();
    });

    it('locks again, for a whole term, what the store still needs', async () => {
      const place = await freshBucket();
      const database = await databases.connect('lengthened');
      const short = { ...place, retainDays: 20_000 };
      const store = await open(database, short);
      const worm = store.forTenant(TENANT);
      const [kept, disposed] = ['kept', 'disposed'].map((text) => Buffer.from(`${text} content`));
      if (!kept || !disposed) throw new Error('two texts');
      await worm.putRecords([{ sha256: sha256Hex(kept), bytes: kept }]);
      for (const each of [kept, disposed]) await worm.putBlob(pieces(each), MIB);
      const before = await versionsOf(place, '');
      clock.advance(2 * DAY_MS);
      expect(await store.upkeepOf(TENANT).dropBlob(sha256Hex(disposed), async () => false)).toBe(true);
      const depsOf = { database, clock, ids: ulidIds(() => clock.nowMs(), systemRandomness()) };
      const deps = { ...depsOf, limits: { segmentRecords: 20, segmentBytes: MIB }, logger: recordingLogger().logger };
      const daysOf = async (under: string): Promise<number[]> => {
        const days: number[] = [];
        for (const object of before.filter(({ Key }) => Key?.startsWith(`eas/${under}`))) {
          days.push(Math.round((Number(await lockedUntil(object)) - clock.nowMs()) / DAY_MS));
        }
        return days.sort();
      };
      expect(await daysOf('contents/')).toEqual([19_998, 19_998]);
      const { lengthened, left } = await lengthenBucketLocks(deps, place);
      expect({ objects: lengthened, left }).toEqual({ objects: (await daysOf('segments/')).length + 1, left: 0 });
      expect(await daysOf('contents/')).toEqual([19_998, place.retainDays]);
      expect(new Set(await daysOf('segments/'))).toEqual(new Set([place.retainDays]));
      if (program.name !== 'moto') {
        // A shorter term lifts no lock.
        expect(await lengthenBucketLocks(deps, short)).toEqual({ lengthened: 0, left: lengthened });
        expect(await daysOf('contents/')).toEqual([19_998, place.retainDays]);
      }
      await store.close();
    });

    it('removes the keys and objects of uploads that never became a content', async () => {
      const place = await freshBucket();
      const database = await databases.connect('orphans');
      const store = await open(database, place);
      async function* breaking(): AsyncGenerator<Buffer> {
        yield randomBytes(10 * MIB);
        throw new Error('the sender went away');
      }
      await expect(store.forTenant(TENANT).putBlob(breaking(), 64 * MIB)).rejects.toThrow('went away');
      const keys = wormDatabase(database).collection<{ _id: string }>('worm_keys');
      expect(await keys.countDocuments({ _id: /^blb_/ })).toBe(1);
      clock.advance(2 * DAY_MS);
      expect(await store.removeOrphans(0)).toBe(1);
      expect(await keys.countDocuments({ _id: /^blb_/ })).toBe(0);
      await store.close();
    });

    it('reports a record as absent when a delete marker hides its object', async () => {
      const place = await freshBucket();
      const store = await open(await databases.connect('hidden'), place);
      const bytes = Buffer.from('hidden');
      const worm = store.forTenant(TENANT);
      await worm.putRecords([{ sha256: sha256Hex(bytes), bytes }]);
      expect((await worm.presentRecords([sha256Hex(bytes)])).size).toBe(1);
      const versions = await versionsOf(place, 'segments/');
      for (const { Bucket, Key } of versions) await client.send(new DeleteObjectCommand({ Bucket, Key }));
      expect((await worm.presentRecords([sha256Hex(bytes)])).size).toBe(0);
      expect((await worm.readRecords([sha256Hex(bytes)])).size).toBe(0);
      await store.close();
    });
  });
}
