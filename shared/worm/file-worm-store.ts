import { FileBlobs } from './file-blobs.js';
import { FileRecords } from './file-records.js';
import { keptWormStore, type WormDeps, wormDatabase } from './kept-worm-store.js';
import { openWormFolder } from './worm-folder.js';
import type { KeptWormStore } from './worm-store.js';

/**
 * WORM on files (docs/adr/0053): segments are folders of append-only parts, contents are files, each made with O_EXCL and for
 * reading only once it is whole. @param folder on one file system that every process of the deployment sees.
 */
export async function openFileWormStore(deps: WormDeps, folder: string): Promise<KeptWormStore> {
  const places = await openWormFolder(wormDatabase(deps.database), folder, deps.ids);
  const records = new FileRecords({ folder: places.segments, ids: deps.ids, logger: deps.logger });
  return keptWormStore(deps, { records, rotator: records, blobs: new FileBlobs(places.blobs), folder: places.blobs });
}
