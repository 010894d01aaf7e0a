import type { Db } from 'mongodb';
import { z } from 'zod';
import type { WormBucket } from '../../config/worm-bucket.js';
import { StartRefused } from '../../errors/start-refused.js';
import type { Ids } from '../../ids/ids.js';
import { claimPlace } from '../store-claim.js';
import type { Bucket } from './bucket.js';

const LABEL = 'store.json';
const MAX_LABEL_BYTES = 4096;
const LABEL_FORM = z.object({ format: z.literal('eas.worm-bucket/v1'), store_id: z.string().min(1) });

/** Claims a bucket and prefix for this database, or checks the earlier claim. @throws StartRefused */
export async function claimBucket(db: Db, bucket: Bucket, settings: WormBucket, ids: Ids): Promise<void> {
  await claimPlace(db, {
    driver: 's3',
    readLabel: () => readLabel(bucket),
    writeLabel: async () => {
      const store_id = ids.next('log');
      const label = Buffer.from(`${JSON.stringify({ format: 'eas.worm-bucket/v1', store_id })}\n`);
      if (await bucket.putNew(LABEL, label)) return store_id;
      return (await readLabel(bucket)) ?? store_id;
    },
    holdsAny: async () => (await hasAny(bucket, 'segments/')) || (await hasAny(bucket, 'contents/')),
    other: () =>
      new StartRefused(
        `the bucket ${settings.bucket} with the prefix "${settings.prefix}" does not hold the write-once bytes of this database`,
      ),
  });
}

async function readLabel(bucket: Bucket): Promise<string | null> {
  const stored = await bucket.read(LABEL, 0, MAX_LABEL_BYTES);
  if (stored === null) return null;
  try {
    return LABEL_FORM.safeParse(JSON.parse(stored.toString('utf8'))).data?.store_id ?? null;
  } catch {
    // A label that is not JSON names no store.
    return null;
  }
}

async function hasAny(bucket: Bucket, start: string): Promise<boolean> {
  for await (const _ of bucket.names(start)) return true;
  return false;
}
