import type { Db } from 'mongodb';
import type { Clock } from '../clock/clock.js';
import type { WormLimits } from '../config/config.js';
import type { Database } from '../db/database.js';
import type { Ids } from '../ids/ids.js';
import type { Logger } from '../telemetry/logger.js';
import type { BlobMedium } from './blob-medium.js';
import { removeOrphans } from './blob-removal.js';
import type { RecordMedium } from './record-medium.js';
import { SegmentDirectory } from './segment-directory.js';
import type { SegmentRotator } from './segment-rotator.js';
import { TenantBlobs } from './tenant-blobs.js';
import { TenantSegments } from './tenant-segments.js';
import { WormIndex } from './worm-index.js';
import type { KeptWormStore, TenantWorm, WormTenant } from './worm-store.js';
import { TenantUpkeep } from './worm-upkeep.js';

export interface WormDeps {
  readonly database: Database;
  readonly limits: WormLimits;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Under the credential that alone may take away; the service's own where there is no other. */
  readonly retention?: Database;
  /** Under the credential that alone opens segments and closes them; the service's own where there is no other. */
  readonly rotator?: Database;
}

/** Where a driver keeps bytes. */
export interface WormMedia {
  readonly records: RecordMedium;
  readonly rotator: SegmentRotator;
  readonly blobs: BlobMedium;
  /** Of the blobs, where they are files. */
  readonly folder: string | null;
}

/**
 * A store over some medium. The catalogue (which segments there are and how much room they have, which blobs, who wants them
 * kept) is rows of the write-once database whatever the medium is: there several processes meet.
 */
export async function keptWormStore(deps: WormDeps, media: WormMedia): Promise<KeptWormStore> {
  const { clock, ids, limits } = deps;
  const db = wormDatabase(deps.database);
  const directory = new SegmentDirectory(db, limits, clock, media.rotator);
  const index = new WormIndex(db, media.records, directory, deps.logger);
  await directory.prepare();
  await TenantBlobs.prepare(db);
  await media.blobs.prepare();
  const removal = { db, retention: wormDatabase(deps.retention ?? deps.database), blobs: media.blobs, clock, ids };
  const tenants = new Map<string, TenantWorm>();
  const make = (tenant: WormTenant): TenantWorm => {
    const segments = new TenantSegments(media.records, directory, index, limits, tenant);
    const blobs = new TenantBlobs({ db, medium: media.blobs, clock, ids }, tenant, segments);
    return {
      putRecords: (records, options) => segments.put(records, options),
      getRecord: (sha256) => segments.get(sha256),
      readRecords: (sha256s) => segments.read(sha256s),
      presentRecords: (sha256s) => segments.present(sha256s),
      putBlob: (content, maxBytes) => blobs.put(content, maxBytes),
      putSmallBlobs: (contents) => blobs.putSmall(contents),
      blobSize: (sha256) => blobs.size(sha256),
      presentBlobs: (sha256s) => blobs.present(sha256s),
      readBlob: (sha256, range) => blobs.read(sha256, range),
      lendBlob: (sha256, range) => blobs.read(sha256, range, { isLent: true }),
    };
  };
  return {
    forTenant: (tenant) => {
      const known = tenants.get(tenant.logId);
      if (known) return known;
      const made = make(tenant);
      tenants.set(tenant.logId, made);
      return made;
    },
    upkeepOf: (tenant) => new TenantUpkeep({ records: media.records, directory, index, ...removal }, tenant),
    blobPlace: { uri: deps.database.uri, database: db.databaseName, folder: media.folder },
    removeOrphans: (fromMs) => removeOrphans(removal, fromMs),
    close: async () => {
      await index.close();
      await media.blobs.close();
    },
  };
}

/** The database of the segments and blobs. */
export function wormDatabase(database: Database): Db {
  const client = database.connection.getClient() as unknown as { db(name: string): Db };
  return client.db(`${database.db.databaseName}_worm`);
}
