import type { Collection, Db } from 'mongodb';
import type { Clock } from '../../clock/clock.js';
import { DURABLE } from '../../db/connection-options.js';
import { duplicateKeyOf } from '../../db/duplicate-key.js';
import { StartRefused } from '../../errors/start-refused.js';
import { systemRandomness } from '../../ids/ids.js';
import type { KeyRow } from './content-keys.js';
import { type EpochKeySet, EpochKeys } from './epoch-keys.js';

/** Row of `worm_store` that tells the key of an epoch from another key of the same number. */
interface CheckRow {
  readonly _id: string;
  readonly wrapped: Uint8Array;
}

const CHECK_ID = /^epoch\/(\d+)$/;
const checkId = (epoch: number): string => `epoch/${epoch}`;
const CHECKED = Buffer.from('eas.worm-epoch/v1');
const RESTORE =
  'restore the newest copy of the content keys (SERVICE_CONTENT_KEYS_FILE); a backup from before the end of an epoch cannot be opened after it';

/**
 * Requires the keys with which this store was written, before anything is read or written with other ones.
 *
 * @param clock dates the segments that end here
 * @throws StartRefused if keys are missing, older than the store, or of another store
 */
export async function requireEpochs(db: Db, keySet: EpochKeySet | null, clock: Clock): Promise<void> {
  const begin = await checkEpochs(db, keySet);
  await begin?.(clock);
}

/**
 * Checks the keys, and changes nothing.
 *
 * @returns begins the current epoch; null if it has begun, or there are no keys
 * @throws StartRefused
 */
export async function checkEpochs(
  db: Db,
  keySet: EpochKeySet | null,
): Promise<null | ((clock: Clock) => Promise<void>)> {
  const checks = db.collection<CheckRow>('worm_store', { promoteBuffers: true });
  const rows = await checks.find({ _id: CHECK_ID }).toArray();
  const needed = new Set(rows.map(({ _id }) => Number(CHECK_ID.exec(_id)?.[1])));
  if (keySet === null) {
    if (needed.size > 0)
      throw new StartRefused(`the write-once store is encrypted and its keys are missing: ${RESTORE}`);
    return null;
  }
  const keys = new EpochKeys(keySet, systemRandomness());
  const lacking = Math.max(0, ...needed) > keys.current ? Math.max(...needed) : await unknownEpoch(db, keys);
  if (lacking !== null)
    throw new StartRefused(`the write-once store needs the key of epoch ${lacking}, which is missing: ${RESTORE}`);
  for (const row of rows) requireSame(keys, row);
  if (needed.has(keys.current)) return null;
  return (clock) => beginEpoch(db, checks, keys, { isFirst: needed.size === 0, clock });
}

/** Tells whether the store was ever opened with keys. */
export const hasEpochs = async (db: Db): Promise<boolean> =>
  (await db.collection<CheckRow>('worm_store').findOne({ _id: CHECK_ID }, { projection: { _id: 1 } })) !== null;

/** The first epoch of a key in the store that nothing here opens. */
async function unknownEpoch(db: Db, keys: EpochKeys): Promise<number | null> {
  const row = await db
    .collection<KeyRow>('worm_keys')
    .findOne({ epoch: { $exists: true, $nin: [...keys.epochs] } }, { projection: { epoch: 1 } });
  return row?.epoch ?? null;
}

function requireSame(keys: EpochKeys, { _id, wrapped }: CheckRow): void {
  const epoch = Number(CHECK_ID.exec(_id)?.[1]);
  // The key of an epoch that ended is gone.
  if (!keys.epochs.includes(epoch)) return;
  try {
    keys.unwrap(_id, { epoch, wrapped: Buffer.from(wrapped) });
  } catch {
    throw new StartRefused(`the key of epoch ${epoch} is not the one of this write-once store: ${RESTORE}`);
  }
}

/** Ends segments in clear at the first epoch, so that new records are encrypted from then on. */
async function beginEpoch(
  db: Db,
  checks: Collection<CheckRow>,
  keys: EpochKeys,
  { isFirst, clock }: { readonly isFirst: boolean; readonly clock: Clock },
): Promise<void> {
  if (isFirst) {
    const change = { $set: { state: 'FULL', full_at: new Date(clock.nowMs()) } };
    await db.collection('worm_segments').updateMany({ state: 'OPEN' }, change, { writeConcern: DURABLE });
  }
  const _id = checkId(keys.current);
  const { wrapped } = keys.wrap(_id, CHECKED);
  await checks.insertOne({ _id, wrapped }, { writeConcern: DURABLE }).catch(async (error: unknown) => {
    if (!duplicateKeyOf(error)) throw error;
    // Another process was first: its key must be the same.
    const standing = await checks.findOne({ _id });
    if (standing !== null) requireSame(keys, standing);
  });
}
