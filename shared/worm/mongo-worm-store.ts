import type { Db } from 'mongodb';
import { GridFsBlobs } from './gridfs-blobs.js';
import { keptWormStore, type WormDeps, wormDatabase } from './kept-worm-store.js';
import { MongoRecords } from './mongo-records.js';
import { ownRotator, roleRotator, type SegmentRotator } from './segment-rotator.js';
import { ThreadedBlobs } from './threaded-blobs.js';
import { refuseFolderStore } from './worm-folder.js';
import type { KeptWormStore } from './worm-store.js';

/**
 * WORM on MongoDB (evidence.md section 4), in a database of its own beside the service's, so that other credentials can
 * hold other rights there. @throws StartRefused when this database's bytes lie in files.
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
