import type { Db } from 'mongodb';
import type { WormBucket } from '../config/worm-bucket.js';
import { FileBlobs } from './blobs/file-blobs.js';
import { GridFsBlobs } from './blobs/gridfs-blobs.js';
import { keptWormStore, type WormDeps, wormDatabase } from './kept-worm-store.js';
import { contentName } from './keys/content-cipher.js';
import type { ContentKeys } from './keys/content-keys.js';
import { bucketKeysOf, contentKeysOf } from './keys/open-keys.js';
import { requireEpochs } from './keys/require-epochs.js';
import { SealedBlobs } from './keys/sealed-blobs.js';
import { SealedRecords } from './keys/sealed-records.js';
import { claimBucket } from './objects/claim-bucket.js';
import type { FlaggedObjects } from './objects/hold-flags.js';
import { type LengthenedLocks, lengthenLocks } from './objects/lengthen-locks.js';
import { requireObjectLock } from './objects/lock-test.js';
import { ObjectBlobs } from './objects/object-blobs.js';
import { ObjectRecords } from './objects/object-records.js';
import { RecordPlaceRows } from './objects/record-places.js';
import { loadS3, S3Bucket } from './objects/s3-bucket.js';
import { FileRecords } from './records/file-records.js';
import type { RecordMedium } from './records/medium.js';
import { MongoRecords } from './records/mongo-records.js';
import { ownRotator, roleRotator, type SegmentRotator } from './segments/rotator.js';
import { refuseOuterStore } from './store-claim.js';
import { ThreadedBlobs } from './threads/threaded-blobs.js';
import { openWormFolder } from './worm-folder.js';
import type { KeptWormStore } from './worm-store.js';

/**
 * Opens the WORM store on MongoDB (evidence.md section 4). It has a separate database, so that credentials can have other
 * rights there. @throws StartRefused if this database's bytes are elsewhere
 */
export async function openMongoWormStore(deps: WormDeps): Promise<KeptWormStore> {
  const db = wormDatabase(deps.database);
  await refuseOuterStore(db);
  const { retention, epochKeys } = await keysDepsOf(deps);
  const keys = contentKeysOf({ db, retention, clock: deps.clock, epochKeys });
  const direct = new SealedBlobs(new GridFsBlobs(db, retention, deps.clock), keys);
  return keptWormStore(deps, {
    ...sealed(db, keys, new MongoRecords(db, retention), rotatorOf(deps, db)),
    blobs: new ThreadedBlobs(direct, { uri: deps.database.uri, database: db.databaseName, epochKeys }),
    folder: null,
    bucket: null,
    flagged: null,
  });
}

/** The databases and keys of a store. @throws StartRefused if the keys are not those of the store */
async function keysDepsOf(deps: WormDeps): Promise<Parameters<typeof contentKeysOf>[0]> {
  const db = wormDatabase(deps.database);
  const epochKeys = deps.epochKeys ?? null;
  await requireEpochs(db, epochKeys, deps.clock);
  return { db, retention: wormDatabase(deps.retention ?? deps.database), clock: deps.clock, epochKeys };
}

/** The medium of segments, encrypted where there are keys. */
function sealed(
  db: Db,
  keys: ContentKeys | null,
  medium: RecordMedium,
  rotator: SegmentRotator,
): { readonly records: RecordMedium; readonly rotator: SegmentRotator } {
  if (keys === null) return { records: medium, rotator };
  const rows = db.collection<{ _id: string }>('worm_segments');
  const isListed = async (segment: string): Promise<boolean> =>
    (await rows.findOne({ _id: segment }, { projection: { _id: 1 } })) !== null;
  const records = new SealedRecords({ medium, rotator, keys, isListed });
  return { records, rotator: records };
}

const rotatorOf = ({ rotator, limits }: WormDeps, db: Db): SegmentRotator =>
  rotator === undefined ? ownRotator(db, limits) : roleRotator(wormDatabase(rotator), limits);

/**
 * Opens the WORM store on files (docs/adr/0053). Segments are folders of append-only parts; contents are files. Each file is
 * created with O_EXCL and read-only when complete. @param folder on a file system that all processes of the deployment share
 */
export async function openFileWormStore(deps: WormDeps, folder: string): Promise<KeptWormStore> {
  const places = await openWormFolder(wormDatabase(deps.database), folder, deps.ids);
  const keysDeps = await keysDepsOf(deps);
  const keys = contentKeysOf(keysDeps);
  const records = new FileRecords({ folder: places.segments, ids: deps.ids, logger: deps.logger });
  return keptWormStore(deps, {
    ...sealed(keysDeps.db, keys, records, records),
    blobs: new SealedBlobs(new FileBlobs(places.blobs), keys),
    folder: places.blobs,
    bucket: null,
    flagged: null,
  });
}

/** Lengthens the locks of a deployment's bucket; see lengthen-locks.ts. */
export async function lengthenBucketLocks(deps: WormDeps, settings: WormBucket): Promise<LengthenedLocks> {
  const keysDeps = await keysDepsOf(deps);
  const bucket = new S3Bucket(await loadS3(), settings, deps.clock);
  const keys = bucketKeysOf(keysDeps);
  try {
    return await lengthenLocks(bucket, keys);
  } finally {
    bucket.close();
  }
}

/**
 * Opens the WORM store on a bucket with object lock (docs/adr/0113). Each group of records and each content is a locked,
 * encrypted object. @throws StartRefused if the bucket has no object lock, or belongs to another database
 */
export async function openObjectWormStore(deps: WormDeps, settings: WormBucket): Promise<KeptWormStore> {
  const { db, retention, ...rest } = await keysDepsOf(deps);
  const sdk = await loadS3();
  const bucket = new S3Bucket(sdk, settings, deps.clock);
  await requireObjectLock(sdk, settings);
  await claimBucket(db, bucket, settings, deps.ids);
  const keys = bucketKeysOf({ db, retention, ...rest });
  const places = new RecordPlaceRows(db, retention);
  await places.prepare();
  const { ids } = deps;
  const records = new ObjectRecords({ bucket, keys, places, ids, gatherMs: settings.gatherMs });
  const blobs = new SealedBlobs(new ObjectBlobs(bucket), keys);
  const flagged: FlaggedObjects = {
    ofRecords: (segment, sha256s) => records.objectsOf(segment, sha256s),
    ofContent: contentName,
    version: (object) => bucket.version(object),
    hold: (object, version, on) => bucket.hold(object, version, on),
  };
  return keptWormStore(deps, { records, rotator: records, blobs, folder: null, bucket: settings, flagged });
}
