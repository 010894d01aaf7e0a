import { StartRefused } from '../../errors/start-refused.js';
import { FileBlobs } from '../blobs/file-blobs.js';
import { GridFsBlobs } from '../blobs/gridfs-blobs.js';
import { type WormDeps, wormDatabase } from '../kept-worm-store.js';
import { FileRecords } from '../records/file-records.js';
import { MongoRecords } from '../records/mongo-records.js';
import type { SegmentRow } from '../segments/directory.js';
import { ownRotator, roleRotator, type SegmentRotator } from '../segments/rotator.js';
import { refuseOuterStore } from '../store-claim.js';
import { openWormFolder } from '../worm-folder.js';
import { type EncryptedStore, type EncryptionDeps, encryptStore } from './encrypt-store.js';
import { contentKeysOf } from './open-keys.js';

/**
 * Encrypts the contents and records of a deployment that an earlier version stored in clear; see encrypt-store.ts.
 *
 * @param folder of the write-once files; null if the bytes lie in the database
 */
export async function encryptWormStore(
  deps: WormDeps,
  folder: string | null,
  report: EncryptionDeps['report'],
): Promise<EncryptedStore> {
  const db = wormDatabase(deps.database);
  const retention = wormDatabase(deps.retention ?? deps.database);
  const keys = contentKeysOf({ db, retention, clock: deps.clock, epochKeys: deps.epochKeys ?? null });
  if (keys === null) throw new StartRefused('the content keys are missing');
  if (folder !== null) {
    const places = await openWormFolder(db, folder, deps.ids);
    const records = new FileRecords({ folder: places.segments, ids: deps.ids, logger: deps.logger });
    return encryptStore({ db, keys, records, blobs: new FileBlobs(places.blobs), rotatorFor: () => records, report });
  }
  await refuseOuterStore(db);
  // A copy needs the room of its segment, whatever the limits are now.
  const rotatorFor = ({ size_bytes, max_records }: SegmentRow): SegmentRotator => {
    const limits = { segmentBytes: size_bytes, segmentRecords: max_records };
    return deps.rotator === undefined ? ownRotator(db, limits) : roleRotator(wormDatabase(deps.rotator), limits);
  };
  const blobs = new GridFsBlobs(db, retention, deps.clock);
  return encryptStore({ db, keys, records: new MongoRecords(db, retention), blobs, rotatorFor, report });
}
