import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../db/database.js';
import { duplicateKeyOf } from '../db/duplicate-key.js';
import { StartRefused } from '../errors/start-refused.js';

type OuterDriver = 'filesystem' | 's3';

/** Row of the write-once database that names the place of its bytes. Without the row the bytes are in the database. */
interface StoreRow {
  readonly _id: 'store';
  readonly driver: OuterDriver;
  readonly store_id: string;
}

const STORE_COLLECTION = 'worm_store';

/** A place outside of the database, with a label that names the store. */
interface LabelledPlace {
  readonly driver: OuterDriver;
  readonly readLabel: () => Promise<string | null>;
  /** Writes the label unless there is one; the first of two writers wins. @returns the store id in the label */
  readonly writeLabel: () => Promise<string>;
  /** True if records or contents are there. */
  readonly holdsAny: () => Promise<boolean>;
  /** The refusal of a place that belongs to another database. */
  readonly other: () => StartRefused;
}

const storeRows = (db: Db): Collection<StoreRow> => db.collection<StoreRow>(STORE_COLLECTION);

const storeRow = (db: Db): Promise<StoreRow | null> => storeRows(db).findOne({ _id: 'store' });

/**
 * Claims a place for the bytes of this database, or checks an earlier claim: a deployment keeps the driver and the place that
 * it began with. @throws StartRefused
 */
export async function claimPlace(db: Db, place: LabelledPlace): Promise<void> {
  const known = await storeRow(db);
  if (known !== null && known.driver !== place.driver) throw otherDriver(known.driver);
  if (known === null) await claim(db, place);
  const label = await place.readLabel();
  const standing = known ?? (await storeRow(db));
  if (label === null || label !== standing?.store_id) throw place.other();
}

/** Rejects a database with records and contents elsewhere, because reads would not find them. @throws StartRefused */
export async function refuseOuterStore(db: Db): Promise<void> {
  const row = await storeRow(db);
  if (row !== null) throw otherDriver(row.driver);
}

async function claim(db: Db, place: LabelledPlace): Promise<void> {
  if (await db.collection('worm_segments').findOne({}, { projection: { _id: 1 } })) {
    throw new StartRefused('the write-once bytes of this database lie in it: set SERVICE_WORM_DRIVER=mongodb');
  }
  // Another process that starts at the same time may have been first and have written.
  if ((await place.holdsAny()) && (await storeRow(db)) === null) throw place.other();
  const store_id = (await place.readLabel()) ?? (await place.writeLabel());
  await storeRows(db)
    .insertOne({ _id: 'store', driver: place.driver, store_id }, { writeConcern: DURABLE })
    .catch((error: unknown) => {
      if (!duplicateKeyOf(error)) throw error;
    });
}

const LIES_IN: Readonly<Record<OuterDriver, string>> = { filesystem: 'files', s3: 'a bucket' };

const otherDriver = (driver: OuterDriver): StartRefused =>
  new StartRefused(
    `the write-once bytes of this database lie in ${LIES_IN[driver] ?? 'another place'}: set SERVICE_WORM_DRIVER=${driver}`,
  );
