import type { Db } from 'mongodb';
import type { Clock } from '../clock/clock.js';
import type { WormLimits } from '../config/config.js';
import type { WormBucket } from '../config/worm-bucket.js';
import type { Database } from '../db/database.js';
import type { Ids } from '../ids/ids.js';
import type { Logger } from '../telemetry/logger.js';
import type { BlobMedium } from './blobs/medium.js';
import { removeOrphans } from './blobs/removal.js';
import { TenantBlobs } from './blobs/tenant-blobs.js';
import type { EpochKeySet } from './keys/epoch-keys.js';
import { type FlaggedObjects, type HoldFlags, prepareHoldFlags, TenantHoldFlags } from './objects/hold-flags.js';
import type { RecordMedium } from './records/medium.js';
import { SegmentDirectory } from './segments/directory.js';
import type { SegmentRotator } from './segments/rotator.js';
import { TenantSegments } from './segments/tenant-segments.js';
import { WormIndex } from './worm-index.js';
import type { KeptWormStore, TenantWorm, WormTenant } from './worm-store.js';
import { TenantUpkeep } from './worm-upkeep.js';

export interface WormDeps {
  readonly database: Database;
  readonly limits: WormLimits;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Under the only credential that may delete; defaults to the service's credential. */
  readonly retention?: Database;
  /** Under the only credential that opens and closes segments; defaults to the service's credential. */
  readonly rotator?: Database;
  /** Keys that wrap the keys of contents and segments; without them only a bucket encrypts. */
  readonly epochKeys?: EpochKeySet;
}

/** The media in which a driver keeps bytes. */
interface WormMedia {
  readonly records: RecordMedium;
  readonly rotator: SegmentRotator;
  readonly blobs: BlobMedium;
  /** Folder of the blobs if they are files. */
  readonly folder: string | null;
  /** The bucket of the blobs if they are objects. */
  readonly bucket: WormBucket | null;
  /** Its objects, if they have legal hold flags. */
  readonly flagged: FlaggedObjects | null;
}

/**
 * Makes a store over a medium. The catalogue (segments and their free space, blobs, claims) is always in rows of the
 * write-once database, because several processes share it.
 */
export async function keptWormStore(deps: WormDeps, media: WormMedia): Promise<KeptWormStore> {
  const { clock, ids, limits } = deps;
  const db = wormDatabase(deps.database);
  const directory = new SegmentDirectory(db, limits, clock, media.rotator);
  const index = new WormIndex(db, media.records, directory, deps.logger);
  await directory.prepare();
  await TenantBlobs.prepare(db);
  await media.blobs.prepare();
  if (media.flagged !== null) await prepareHoldFlags(db);
  const removal = { db, retention: wormDatabase(deps.retention ?? deps.database), blobs: media.blobs, clock, ids };
  const { flagged: objects } = media;
  const flagsOf = (tenant: WormTenant): HoldFlags | null =>
    objects === null ? null : new TenantHoldFlags({ db, retention: removal.retention, objects, directory }, tenant);
  const tenants = new Map<string, TenantWorm>();
  const make = (tenant: WormTenant): TenantWorm => {
    const segments = new TenantSegments(media.records, directory, index, limits, tenant);
    const blobs = new TenantBlobs({ db, medium: media.blobs, clock, ids }, tenant, segments);
    return {
      putRecords: (records, options) => segments.put(records, options),
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
    upkeepOf: (tenant) => {
      const flags = flagsOf(tenant);
      return new TenantUpkeep({ records: media.records, directory, index, flags, ...removal }, tenant);
    },
    hasHoldFlags: media.flagged !== null,
    blobPlace: {
      uri: deps.database.uri,
      database: db.databaseName,
      folder: media.folder,
      bucket: media.bucket,
      epochKeys: deps.epochKeys ?? null,
    },
    removeOrphans: (fromMs) => removeOrphans(removal, fromMs),
    close: async () => {
      await index.close();
      await media.blobs.close();
    },
  };
}

/** Returns the database of the segments and blobs. */
export function wormDatabase(database: Database): Db {
  return database.db.client.db(`${database.db.databaseName}_worm`);
}
