import { link, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../db/database.js';
import { duplicateKeyOf } from '../db/duplicate-key.js';
import { StartRefused } from '../errors/start-refused.js';
import { privateOrMounted } from '../files/private-folder.js';
import type { Ids } from '../ids/ids.js';
import { codeOf, makeFolder, syncFolder, writeSealedFile } from './durable-files.js';

/** Row of the write-once database that names the folder of its bytes. Without the row the bytes are in the database. */
interface StoreRow {
  readonly _id: 'store';
  readonly driver: 'filesystem';
  readonly store_id: string;
}

const STORE_COLLECTION = 'worm_store';
const LABEL = 'store.json';
const SEGMENTS = 'segments';
const BLOBS = 'blobs';

interface WormFolder {
  readonly segments: string;
  readonly blobs: string;
}

const storeRows = (db: Db): Collection<StoreRow> => db.collection<StoreRow>(STORE_COLLECTION);

/**
 * Opens the folder with the bytes of this database's segments and blobs, or makes it for a new database. Folder and database
 * name each other, so a process with another or an empty folder does not start.
 *
 * @throws StartRefused
 */
export async function openWormFolder(db: Db, folder: string, ids: Ids): Promise<WormFolder> {
  await privateOrMounted(folder);
  await syncFolder(dirname(folder));
  const places = { segments: join(folder, SEGMENTS), blobs: join(folder, BLOBS) };
  const known = await storeRows(db).findOne({ _id: 'store' });
  if (known === null) await claim(db, folder, places, ids);
  const label = await readLabel(folder);
  const standing = known ?? (await storeRows(db).findOne({ _id: 'store' }));
  if (label === null || label !== standing?.store_id) throw otherFolder(folder);
  for (const place of Object.values(places)) await makeFolder(place);
  return places;
}

/** Rejects a database with records and contents in a folder, because reads would not find them. @throws StartRefused */
export async function refuseFolderStore(db: Db): Promise<void> {
  if ((await storeRows(db).findOne({ _id: 'store' })) === null) return;
  throw new StartRefused('the write-once bytes of this database lie in files: set SERVICE_WORM_DRIVER=filesystem');
}

async function claim(db: Db, folder: string, places: WormFolder, ids: Ids): Promise<void> {
  if (await db.collection('worm_segments').findOne({}, { projection: { _id: 1 } })) {
    throw new StartRefused('the write-once bytes of this database lie in it: set SERVICE_WORM_DRIVER=mongodb');
  }
  const isUsed = (await holdsAny(places.segments)) || (await holdsAny(places.blobs));
  // Another process that starts at the same time may have been first and have written.
  if (isUsed && (await storeRows(db).findOne({ _id: 'store' })) === null) throw otherFolder(folder);
  const store_id = (await readLabel(folder)) ?? (await writeLabel(folder, ids));
  await storeRows(db)
    .insertOne({ _id: 'store', driver: 'filesystem', store_id }, { writeConcern: DURABLE })
    .catch((error: unknown) => {
      if (!duplicateKeyOf(error)) throw error;
    });
}

/** Writes the label atomically; the first of two writers wins. @returns the store id in the label */
async function writeLabel(folder: string, ids: Ids): Promise<string> {
  const store_id = ids.next('log');
  const draft = join(folder, `${store_id}.tmp`);
  await writeSealedFile(draft, Buffer.from(`${JSON.stringify({ format: 'eas.worm-folder/v1', store_id })}\n`));
  await link(draft, join(folder, LABEL)).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await rm(draft);
  await syncFolder(folder);
  return (await readLabel(folder)) ?? store_id;
}

async function readLabel(folder: string): Promise<string | null> {
  try {
    const { store_id }: { readonly store_id?: unknown } = JSON.parse(await readFile(join(folder, LABEL), 'utf8'));
    return typeof store_id === 'string' ? store_id : null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

async function holdsAny(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length > 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

const otherFolder = (folder: string): StartRefused =>
  new StartRefused(`${folder} is not the folder that holds the write-once bytes of this database`);
