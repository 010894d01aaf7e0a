import type { Db } from 'mongodb';
import { FileBlobs } from './blobs/file-blobs.js';
import { GridFsBlobs } from './blobs/gridfs-blobs.js';
import { keptWormStore, type WormDeps, wormDatabase } from './kept-worm-store.js';
import { FileRecords } from './records/file-records.js';
import { MongoRecords } from './records/mongo-records.js';
import { ownRotator, roleRotator, type SegmentRotator } from './segments/rotator.js';
import { ThreadedBlobs } from './threads/threaded-blobs.js';
import { openWormFolder, refuseFolderStore } from './worm-folder.js';
import type { KeptWormStore } from './worm-store.js';

/**
 * Opens the WORM store on MongoDB (evidence.md section 4). It has a separate database, so that credentials can have other
 * rights there. @throws StartRefused if this database's bytes are in files
 */
export async function openMongoWormStore(deps: WormDeps): Promise<KeptWormStore> {
  const db = wormDatabase(deps.database);
  await refuseFolderStore(db);
  const retention = wormDatabase(deps.retention ?? deps.database);
  return keptWormStore(deps, {
    records: new MongoRecords(db, retention),
    rotator: rotatorOf(deps, db),
    blobs: new ThreadedBlobs(new GridFsBlobs(db, retention, deps.clock), {
      uri: deps.database.uri,
      database: db.databaseName,
    }),
    folder: null,
  });
}

const rotatorOf = ({ rotator, limits }: WormDeps, db: Db): SegmentRotator =>
  rotator === undefined ? ownRotator(db, limits) : roleRotator(wormDatabase(rotator), limits);

/**
 * Opens the WORM store on files (docs/adr/0053). Segments are folders of append-only parts; contents are files. Each file is
 * created with O_EXCL and read-only when complete. @param folder on a file system that all processes of the deployment share
 */
export async function openFileWormStore(deps: WormDeps, folder: string): Promise<KeptWormStore> {
  const places = await openWormFolder(wormDatabase(deps.database), folder, deps.ids);
  const records = new FileRecords({ folder: places.segments, ids: deps.ids, logger: deps.logger });
  return keptWormStore(deps, { records, rotator: records, blobs: new FileBlobs(places.blobs), folder: places.blobs });
}
