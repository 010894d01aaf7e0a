import type { Db } from 'mongodb';
import type { Clock } from '../../clock/clock.js';
import { systemRandomness } from '../../ids/ids.js';
import { ContentKeys } from './content-keys.js';
import { type EpochKeySet, EpochKeys } from './epoch-keys.js';

interface KeysDeps {
  readonly db: Db;
  /** The same database under the only credential that may delete. */
  readonly retention: Db;
  readonly clock: Clock;
  readonly epochKeys: EpochKeySet | null;
}

/** The keys of a bucket's objects, which are always encrypted. */
export const bucketKeysOf = ({ epochKeys, ...deps }: KeysDeps): ContentKeys => {
  const randomness = systemRandomness();
  const epochs = epochKeys === null ? null : new EpochKeys(epochKeys, randomness);
  return new ContentKeys({ ...deps, randomness, epochs });
};

/** The keys of contents in a database or in files; null where these are stored in clear. */
export const contentKeysOf = (deps: KeysDeps): ContentKeys | null =>
  deps.epochKeys === null ? null : bucketKeysOf(deps);
