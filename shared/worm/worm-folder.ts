import { link, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../db/database.js';
import { duplicateKeyOf } from '../db/duplicate-key.js';
import { StartRefused } from '../errors/start-refused.js';
import type { Ids } from '../ids/ids.js';
import { codeOf, makeFolder, syncFolder, writeSealedFile } from './durable-files.js';

/** In the write-once database: which folder holds its bytes. Without the row they lie in the database itself. */
interface StoreRow {
  readonly _id: 'store';
  readonly driver: 'filesystem';
  readonly store_id: string;
}

const STORE_COLLECTION = 'worm_store';
const LABEL = 'store.json';
const SEGMENTS = 'segments';
const BLOBS = 'blobs';

export interface WormFolder {
  readonly segments: string;
  readonly blobs: string;
}

const storeRows = (db: Db): Collection<StoreRow> => db.collection<StoreRow>(STORE_COLLECTION);

/**
 * Opens the folder that holds the bytes of this database's segments and blobs, or makes it for a database that has none yet.
 * Folder and database name each other, so that a process with another folder, or an empty one, does not serve.
 *
 * @throws StartRefused
 */
export async function openWormFolder(db: Db, folder: string, ids: Ids): Promise<WormFolder> {
  await mkdir(folder, { recursive: true });
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

/** Refuses a database whose records and contents lie in a folder: nothing of them would be found. @throws StartRefused */
export async function refuseFolderStore(db: Db): Promise<void> {
  if ((await storeRows(db).findOne({ _id: 'store' })) === null) return;
  throw new StartRefused('the write-once bytes of this database lie in files: set SERVICE_WORM_DRIVER=filesystem');
}

async function claim(db: Db, folder: string, places: WormFolder, ids: Ids): Promise<void> {
  if (await db.collection('worm_segments').findOne({}, { projection: { _id: 1 } })) {
    throw new StartRefused('the write-once bytes of this database lie in it: set SERVICE_WORM_DRIVER=mongodb');
  }
  const isUsed = (await holdsAny(places.segments)) || (await holdsAny(places.blobs));
  // Another process that starts at this moment may have been first, and have written.
  if (isUsed && (await storeRows(db).findOne({ _id: 'store' })) === null) throw otherFolder(folder);
  const store_id = (await readLabel(folder)) ?? (await writeLabel(folder, ids));
  await storeRows(db)
    .insertOne({ _id: 'store', driver: 'filesystem', store_id }, { writeConcern: DURABLE })
    .catch((error: unknown) => {
      if (!duplicateKeyOf(error)) throw error;
    });
}

/** Complete from the moment that it has its name; of two who write it one is first. @returns what stands. */
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
    const { store_id } = JSON.parse(await readFile(join(folder, LABEL), 'utf8')) as { readonly store_id?: unknown };
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
