import { type Clock, systemClock } from '../clock/clock.js';
import { plainClient } from '../db/plain-client.js';
import { systemRandomness, ulidIds } from '../ids/ids.js';
import type { BlobMedium } from './blob-medium.js';
import { FileBlobs } from './file-blobs.js';
import { GridFsBlobs } from './gridfs-blobs.js';
import { TenantBlobs } from './tenant-blobs.js';
import type { TenantSegments } from './tenant-segments.js';
import type { BlobPlace, WormTenant } from './worm-store.js';

/** Blocks of one archive are written at once, and those of the next content read. */
const POOL_SIZE = 32;

/** The large contents of a store that was opened elsewhere in the process, which writes the segments. */
export interface PlacedBlobs {
  /** @param segments who writes there. @param nowMs by the clock of that store. */
  forTenant(tenant: WormTenant, segments: Pick<TenantSegments, 'put'>, nowMs: number): TenantBlobs;
}

export async function openPlacedBlobs({ uri, database, folder }: BlobPlace): Promise<PlacedBlobs> {
  const client = await plainClient(uri, POOL_SIZE).connect();
  const db = client.db(database);
  return {
    forTenant: (tenant, segments, nowMs) => {
      const clock = aheadBy(nowMs - systemClock.nowMs());
      const ids = ulidIds(() => clock.nowMs(), systemRandomness());
      // Nothing is ever taken away from here: no credential for that is asked for.
      const medium: BlobMedium = folder === null ? new GridFsBlobs(db, db, clock) : new FileBlobs(folder);
      return new TenantBlobs({ db, medium, clock, ids }, tenant, segments);
    },
  };
}

const aheadBy = (ms: number): Clock => ({ ...systemClock, nowMs: () => systemClock.nowMs() + ms });
