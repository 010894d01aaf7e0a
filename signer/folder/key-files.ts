import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SIGNING_PURPOSES } from '../../shared/contracts/signing-keys.js';
import { StartRefused } from '../../shared/errors/start-refused.js';
import { contentOf, replaceFile } from './files.js';

/** A signing key in the signer's folder. */
const KeyFile = z.object({
  key_id: z.string(),
  tenant_id: z.string(),
  purpose: z.enum(SIGNING_PURPOSES),
  /** The public point, base64url. */
  x: z.string(),
  /** The seed, wrapped by wrapping.key, base64. */
  wrapped_seed: z.string(),
  /** It signs nothing more since then; null while it may sign. RFC 3339. */
  ended_at: z.string().nullable(),
});
export type KeyFile = z.infer<typeof KeyFile>;

/** The keys of the folder, in memory and in one file each. */
export class KeyFiles {
  readonly #folder: string;
  readonly #keys: Map<string, KeyFile>;

  private constructor(folder: string, keys: Map<string, KeyFile>) {
    this.#folder = folder;
    this.#keys = keys;
  }

  /** @throws StartRefused for a file that cannot be read: a missing key must not look like a key that never was */
  static async open(root: string): Promise<KeyFiles> {
    const folder = join(root, 'keys');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const keys = new Map<string, KeyFile>();
    for (const name of await readdir(folder)) {
      // Of a replacement that a crash interrupted.
      if (name.endsWith('.new')) await rm(join(folder, name));
      if (!name.endsWith('.json')) continue;
      const key = parsed(await contentOf(join(folder, name)));
      if (key === null || `${key.key_id}.json` !== name) throw new StartRefused(`${join(folder, name)} is damaged`);
      keys.set(key.key_id, key);
    }
    return new KeyFiles(folder, keys);
  }

  get size(): number {
    return this.#keys.size;
  }

  get(keyId: string): KeyFile | null {
    return this.#keys.get(keyId) ?? null;
  }

  ofTenant(tenantId: string): readonly KeyFile[] {
    return [...this.#keys.values()].filter(({ tenant_id }) => tenant_id === tenantId);
  }

  /** Durable when it resolves. */
  async put(key: KeyFile): Promise<void> {
    await replaceFile(join(this.#folder, `${key.key_id}.json`), `${JSON.stringify(key)}\n`);
    this.#keys.set(key.key_id, key);
  }
}

function parsed(text: string | null): KeyFile | null {
  try {
    return KeyFile.parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
}
