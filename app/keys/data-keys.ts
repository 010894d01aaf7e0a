import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Encryption, isEncrypted } from '../../embedded-mongo/index.js';
import type { Config } from '../../shared/config/config.js';
import { StartRefused } from '../../shared/errors/start-refused.js';
import { addKey, type KeyFile, readKeys } from './key-file.js';

// The data keys of the embedded database are in the signer's folder, so that a copy of the data folder opens nothing.

export const dataKeyFile = (config: Config): KeyFile => ({
  path: config.dataKeysFile,
  setting: 'SERVICE_DATA_KEYS_FILE',
});

/**
 * The keys that open the database of a folder; a new database gets its first key here.
 *
 * @returns undefined for files that are not encrypted
 * @throws StartRefused when the keys are missing or damaged
 */
export async function dataKeysFor(config: Config, databaseFolder: string): Promise<Encryption | undefined> {
  const path = config.dataKeysFile;
  if (isEncrypted(databaseFolder)) {
    const found = await readKeys(path);
    if (found !== null) return found;
    throw new StartRefused(
      `${databaseFolder} is encrypted and its keys in ${path} are missing: restore that file from your copy of the signer's folder`,
    );
  }
  const isNew = !existsSync(join(databaseFolder, 'data.mdb'));
  if (!isNew || !config.isEncryptedAtRest) return undefined;
  return (await readKeys(path)) ?? addKey(dataKeyFile(config));
}
