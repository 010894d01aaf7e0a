import type { Db } from 'mongodb';
import type { Clock } from '../clock/clock.js';
import type { WormLimits } from '../config/config.js';
import type { Database } from '../db/database.js';
import type { Ids } from '../ids/ids.js';
import type { Logger } from '../telemetry/logger.js';
import { SegmentDirectory } from './segment-directory.js';
import { TenantBlobs } from './tenant-blobs.js';
import { TenantSegments } from './tenant-segments.js';
import { WormIndex } from './worm-index.js';
import type { TenantWorm, WormStore, WormTenant } from './worm-store.js';

export interface WormDeps {
  readonly database: Database;
  readonly limits: WormLimits;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/**
 * WORM on MongoDB (evidence.md section 4), in a database of its own beside the service's, so that other credentials can
 * hold other rights there. Sealing entries and the roles that revoke insert on sealed segments are not made here yet.
 */
export async function openMongoWormStore(deps: WormDeps): Promise<WormStore> {
  const db = wormDatabase(deps.database);
  const directory = new SegmentDirectory(db, deps.limits, deps.clock);
  const index = new WormIndex(db, directory, deps.logger);
  await directory.prepare();
  await TenantBlobs.prepare(db);
  const tenants = new Map<string, TenantWorm>();
  const make = (tenant: WormTenant): TenantWorm => {
    const segments = new TenantSegments(db, directory, index, deps.limits, tenant);
    const blobs = new TenantBlobs({ db, clock: deps.clock, ids: deps.ids }, tenant, segments);
    return {
      putRecords: (records, options) => segments.put(records, options),
      getRecord: (sha256) => segments.get(sha256),
      readRecords: (sha256s) => segments.read(sha256s),
      presentRecords: (sha256s) => segments.present(sha256s),
      putBlob: (content, maxBytes) => blobs.put(content, maxBytes),
      blobSize: (sha256) => blobs.size(sha256),
      readBlob: (sha256, range) => blobs.read(sha256, range),
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
    close: () => index.close(),
  };
}

/** The database of the segments and blobs. */
export function wormDatabase(database: Database): Db {
  const client = database.connection.getClient() as unknown as { db(name: string): Db };
  return client.db(`${database.db.databaseName}_worm`);
}
