import { join } from 'node:path';
import { MasterKey } from '../../shared/crypto/master-key.js';
import { StartRefused } from '../../shared/errors/start-refused.js';
import type { Randomness } from '../../shared/ids/ids.js';
import { contentOf, replaceFile } from './files.js';

const KEY_BYTES = 32;

/** The secrets that the signer keeps in addition to the signing keys. */
export interface SignerSecrets {
  /** Wraps the seeds of signing keys. Never leaves the signer. */
  readonly wrapping: MasterKey;
  /** Given to the service at its start: the keys of its data are derived from it. */
  readonly dataKey: Buffer;
}

/**
 * Loads the secrets of the folder, and creates those that are missing.
 *
 * @param masterKeyHex SERVICE_MASTER_KEY, which then is the data key and stays out of the folder
 * @param firstDataKeyHex the data key of an earlier version, for a folder that has none yet
 * @throws StartRefused for a file that holds no key
 */
export async function loadSecrets(
  folder: string,
  masterKeyHex: string | null,
  randomness: Randomness,
  firstDataKeyHex?: string,
): Promise<SignerSecrets> {
  const wrapping = await keyFile(join(folder, 'wrapping.key'), randomness);
  const dataKey =
    masterKeyHex === null
      ? await keyFile(join(folder, DATA_KEY), randomness, firstDataKeyHex)
      : Buffer.from(masterKeyHex, 'hex');
  return { wrapping: new MasterKey(wrapping), dataKey };
}

const DATA_KEY = 'master.key';

async function keyFile(path: string, randomness: Randomness, firstHex?: string): Promise<Buffer> {
  const kept = await contentOf(path);
  if (kept === null) {
    const fresh =
      firstHex === undefined ? Buffer.from(randomness.fill(new Uint8Array(KEY_BYTES))) : Buffer.from(firstHex, 'hex');
    await replaceFile(path, `${fresh.toString('hex')}\n`);
    return fresh;
  }
  if (!/^[0-9a-f]{64}\s*$/.test(kept)) throw new StartRefused(`${path} contains no key`);
  return Buffer.from(kept.trim(), 'hex');
}
