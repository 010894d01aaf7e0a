import type { ObjectLockRetention, PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '../../clock/clock.js';
import type { WormBucket } from '../../config/worm-bucket.js';
import { StartRefused } from '../../errors/start-refused.js';
import { loadS3, type S3Sdk, s3Client } from './s3-bucket.js';
import { bucketUnavailable, isDenied, nameOf } from './s3-errors.js';

/** What the bucket lets this credential do with an object that it should keep. */
type BucketRight = 'delete' | 'shorten' | 'bypass' | 'ignore holds on';

/** The findings of the test at start. */
interface BucketFindings {
  /** Rights that the credential should not have; empty if the bucket keeps locked and held objects. */
  readonly rights: readonly BucketRight[];
  /** True if the credential may set and lift legal hold flags, as the holds of the service need it. */
  readonly mayHold: boolean;
}

const PROBE = 'self-test';
const HELD = '-held';
/** Locked for a day: the probe of each start stays for that time. */
const PROBE_LOCK_MS = 24 * 3_600_000;
const SHORTENED_MS = 3_600_000;

/** Rejects a bucket that is missing or has no object lock. @throws StartRefused, UNAVAILABLE */
export async function requireObjectLock(sdk: S3Sdk, settings: WormBucket): Promise<void> {
  const client = s3Client(sdk, settings);
  try {
    const command = new sdk.GetObjectLockConfigurationCommand({ Bucket: settings.bucket });
    const { ObjectLockConfiguration: found } = await client.send(command);
    if (found?.ObjectLockEnabled !== 'Enabled') throw noLock(settings);
  } catch (error) {
    if (error instanceof StartRefused) throw error;
    if (nameOf(error) === 'ObjectLockConfigurationNotFoundError') throw noLock(settings);
    if (nameOf(error) === 'NoSuchBucket') throw new StartRefused(`the bucket ${settings.bucket} does not exist`);
    throw new StartRefused(`the bucket ${settings.bucket} cannot be used (${nameOf(error)})`);
  } finally {
    client.destroy();
  }
}

const noLock = ({ bucket }: WormBucket): StartRefused =>
  new StartRefused(`the bucket ${bucket} has no object lock: make a bucket with object lock, or enable it`);

/**
 * Stores two probes that are locked for a day, one whole and one in parts, because a compatible store may lock only the first.
 * Tries to delete each, to shorten its lock, and to delete it past the lock. A third probe has a legal hold and no lock, so that only
 * the hold can keep it.
 */
export async function testBucket(settings: WormBucket, clock: Clock): Promise<BucketFindings> {
  const sdk = await loadS3();
  const client = s3Client(sdk, settings);
  const at = { Bucket: settings.bucket, Key: settings.prefix + PROBE };
  const lock = { ObjectLockMode: settings.mode, ObjectLockRetainUntilDate: new Date(clock.nowMs() + PROBE_LOCK_MS) };
  const probe: Probe = { ...at, ...lock, ChecksumAlgorithm: 'SHA256' };
  const shortenedTo = new Date(clock.nowMs() + SHORTENED_MS);
  const granted = new Set<BucketRight>();
  try {
    for (const store of [storeWhole, storeInParts]) {
      const version = { ...at, VersionId: await store(sdk, client, probe) };
      for (const right of await rightsOn(sdk, client, version, { Mode: settings.mode, RetainUntilDate: shortenedTo })) {
        granted.add(right);
      }
    }
    const held = await heldProbe(sdk, client, { ...at, Key: at.Key + HELD });
    if (held === 'deleted') granted.add('ignore holds on');
    return { rights: [...granted], mayHold: held !== 'refused' };
  } catch (error) {
    throw bucketUnavailable(error);
  } finally {
    client.destroy();
  }
}

/** Holds a probe without a lock, tries to delete it with and without the bypass, and lifts the hold again. */
async function heldProbe(
  sdk: S3Sdk,
  client: S3Client,
  at: { readonly Bucket: string; readonly Key: string },
): Promise<'kept' | 'deleted' | 'refused'> {
  const { PutObjectCommand, PutObjectLegalHoldCommand, DeleteObjectCommand } = sdk;
  const stored = new PutObjectCommand({ ...at, Body: Buffer.alloc(0), ChecksumAlgorithm: 'SHA256' });
  const version = { ...at, VersionId: versionIn(await client.send(stored)) };
  const set = (Status: 'ON' | 'OFF') =>
    client.send(new PutObjectLegalHoldCommand({ ...version, LegalHold: { Status } }));
  if (!(await isAllowed(() => set('ON')))) return 'refused';
  for (const past of [{}, { BypassGovernanceRetention: true }]) {
    if (await isAllowed(() => client.send(new DeleteObjectCommand({ ...version, ...past })))) return 'deleted';
  }
  return (await isAllowed(() => set('OFF'))) ? 'kept' : 'refused';
}

type Probe = Omit<PutObjectCommandInput, 'Body'>;

async function storeWhole(sdk: S3Sdk, client: S3Client, probe: Probe): Promise<string> {
  return versionIn(await client.send(new sdk.PutObjectCommand({ ...probe, Body: Buffer.alloc(0) })));
}

async function storeInParts(sdk: S3Sdk, client: S3Client, probe: Probe): Promise<string> {
  const { Bucket, Key } = probe;
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(probe));
  const part = { Bucket, Key, UploadId, PartNumber: 1, Body: Buffer.from(PROBE), ChecksumAlgorithm: 'SHA256' } as const;
  const { ETag, ChecksumSHA256 } = await client.send(new sdk.UploadPartCommand(part));
  const Parts = [{ PartNumber: 1, ETag, ChecksumSHA256 }];
  const complete = new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
  return versionIn(await client.send(complete));
}

function versionIn({ VersionId }: { readonly VersionId?: string | undefined }): string {
  if (VersionId === undefined) throw new Error('the bucket keeps no versions');
  return VersionId;
}

async function rightsOn(
  sdk: S3Sdk,
  client: S3Client,
  version: { readonly Bucket: string; readonly Key: string; readonly VersionId: string },
  Retention: ObjectLockRetention,
): Promise<readonly BucketRight[]> {
  const { DeleteObjectCommand, PutObjectRetentionCommand } = sdk;
  if (await isAllowed(() => client.send(new DeleteObjectCommand(version)))) return ['delete'];
  const rights: BucketRight[] = [];
  if (await isAllowed(() => client.send(new PutObjectRetentionCommand({ ...version, Retention }))))
    rights.push('shorten');
  const past = new DeleteObjectCommand({ ...version, BypassGovernanceRetention: true });
  if (await isAllowed(() => client.send(past))) rights.push('bypass');
  return rights;
}

async function isAllowed(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (isDenied(error)) return false;
    throw error;
  }
}
