import { WritesInFlight } from '../blobs/in-flight.js';
import type { ContentKeys } from '../keys/content-keys.js';
import type { Bucket } from './bucket.js';

/** Requests that run at the same time. */
const LOCKS_IN_FLIGHT = 16;

export interface LengthenedLocks {
  /** Objects with locks that now last for the whole term. */
  readonly lengthened: number;
  /** Objects with longer locks, or that are gone. */
  readonly left: number;
}

/**
 * Locks every object that the store still needs for another whole term from now. A lock lasts from the time of the PUT, and a
 * policy or a hold may outlast it. Objects with a destroyed key keep their term.
 */
export async function lengthenLocks(bucket: Bucket, keys: ContentKeys): Promise<LengthenedLocks> {
  let [lengthened, left] = [0, 0];
  const running = new WritesInFlight(LOCKS_IN_FLIGHT);
  const lengthen = (name: string): Promise<void> =>
    running.add(async () => {
      if (await bucket.lengthen(name)) lengthened++;
      else left++;
    });
  try {
    for await (const owner of keys.living()) {
      if (owner.startsWith(CONTENT)) await lengthen(`contents/${owner}`);
      else for await (const part of bucket.names(`segments/${owner}/`)) await lengthen(part);
    }
    await running.done();
    return { lengthened, left };
  } finally {
    await running.settled();
  }
}

/** Names of contents; all other owners of keys are segments. */
const CONTENT = 'blb_';
