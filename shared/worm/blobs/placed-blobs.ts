import { type Clock, systemClock } from '../../clock/clock.js';
import { plainClient } from '../../db/plain-client.js';
import { systemRandomness, ulidIds } from '../../ids/ids.js';
import { bucketKeysOf, contentKeysOf } from '../keys/open-keys.js';
import { SealedBlobs } from '../keys/sealed-blobs.js';
import { ObjectBlobs } from '../objects/object-blobs.js';
import { loadS3, S3Bucket } from '../objects/s3-bucket.js';
import type { TenantSegments } from '../segments/tenant-segments.js';
import type { BlobPlace, WormTenant } from '../worm-store.js';
import { FileBlobs } from './file-blobs.js';
import { GridFsBlobs } from './gridfs-blobs.js';
import type { BlobMedium } from './medium.js';
import { TenantBlobs } from './tenant-blobs.js';

/** Connections for writing an archive's blocks while reading the next content. */
const POOL_SIZE = 32;

/** The large contents of a store that another part of the process has opened. That part writes the segments. */
export interface PlacedBlobs {
  /** @param segments writer of the tenant's segments @param nowMs current time of that store's clock */
  forTenant(tenant: WormTenant, segments: Pick<TenantSegments, 'put'>, nowMs: number): TenantBlobs;
}

export async function openPlacedBlobs(place: BlobPlace): Promise<PlacedBlobs> {
  const client = await plainClient(place.uri, POOL_SIZE).connect();
  const db = client.db(place.database);
  const s3 = place.bucket === null ? null : await loadS3();
  const mediumOf = (clock: Clock): BlobMedium => {
    // This side never deletes, so it needs no retention credential.
    const deps = { db, retention: db, clock, epochKeys: place.epochKeys };
    if (place.bucket !== null && s3 !== null)
      return new SealedBlobs(new ObjectBlobs(new S3Bucket(s3, place.bucket, clock)), bucketKeysOf(deps));
    const driver = place.folder === null ? new GridFsBlobs(db, db, clock) : new FileBlobs(place.folder);
    return new SealedBlobs(driver, contentKeysOf(deps));
  };
  return {
    forTenant: (tenant, segments, nowMs) => {
      const clock = aheadBy(nowMs - systemClock.nowMs());
      const ids = ulidIds(() => clock.nowMs(), systemRandomness());
      return new TenantBlobs({ db, medium: mediumOf(clock), clock, ids }, tenant, segments);
    },
  };
}

const aheadBy = (ms: number): Clock => ({ ...systemClock, nowMs: () => systemClock.nowMs() + ms });
