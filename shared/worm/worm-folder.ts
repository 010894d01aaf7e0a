import { link, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Db } from 'mongodb';
import { StartRefused } from '../errors/start-refused.js';
import { privateOrMounted } from '../files/private-folder.js';
import type { Ids } from '../ids/ids.js';
import { codeOf, makeFolder, syncFolder, writeSealedFile } from './durable-files.js';
import { claimPlace } from './store-claim.js';

const LABEL = 'store.json';
const SEGMENTS = 'segments';
const BLOBS = 'blobs';

interface WormFolder {
  readonly segments: string;
  readonly blobs: string;
}

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
  await claimPlace(db, {
    driver: 'filesystem',
    readLabel: () => readLabel(folder),
    writeLabel: () => writeLabel(folder, ids),
    holdsAny: async () => (await holdsAny(places.segments)) || (await holdsAny(places.blobs)),
    other: () => new StartRefused(`${folder} is not the folder that holds the write-once bytes of this database`),
  });
  for (const place of Object.values(places)) await makeFolder(place);
  return places;
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
