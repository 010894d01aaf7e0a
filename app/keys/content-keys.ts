import type { Config } from '../../shared/config/config.js';
import type { Database } from '../../shared/db/database.js';
import { wormDatabase } from '../../shared/worm/kept-worm-store.js';
import { hasEpochs } from '../../shared/worm/keys/require-epochs.js';
import type { Engine } from '../data-directory.js';
import { addKey, type KeyFile, readKeys, type VersionedKeys } from './key-file.js';

// The keys that wrap the keys of write-once contents and records, by epoch. They are outside of the store.

export const contentKeyFile = (config: Config): KeyFile => ({
  path: config.contentKeysFile,
  setting: 'SERVICE_CONTENT_KEYS_FILE',
});

/**
 * The keys of the write-once store; a store that never had keys gets its first one here.
 *
 * @returns null for a store in clear, and if the keys of an encrypted store are missing, which its opening rejects
 * @throws StartRefused if the file is damaged
 */
export async function contentKeysFor(
  config: Config,
  database: Database,
  engine: Engine,
): Promise<VersionedKeys | null> {
  const file = contentKeyFile(config);
  // Processes on several machines share one external database: only the setting says that they share the file.
  if (engine === 'external' && !config.isContentKeysFileGiven) return null;
  const found = await readKeys(file.path);
  if (found !== null || (await hasEpochs(wormDatabase(database)))) return found;
  return engine === 'external' || config.isEncryptedAtRest ? addKey(file) : null;
}
