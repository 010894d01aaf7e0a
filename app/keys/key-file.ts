import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { StartRefused } from '../../shared/errors/start-refused.js';
import { privateFolder } from '../../shared/files/private-folder.js';
import { systemRandomness } from '../../shared/ids/ids.js';

// Files of keys in versions: the data keys of the embedded database, and the content keys of the write-once store.

const KEY_BYTES = 32;
const FILE_MODE = 0o600;

const KeysFile = z.strictObject({
  format: z.literal(1),
  current: z.int().positive(),
  keys: z.record(z.string().regex(/^[1-9]\d{0,8}$/), z.string().regex(/^[0-9a-f]{64}$/)),
});

/** Keys by version, in hexadecimal digits. */
export interface VersionedKeys {
  readonly current: number;
  readonly keys: Readonly<Record<number, string>>;
}

/** A file of keys, and the setting that names another one. */
export interface KeyFile {
  readonly path: string;
  readonly setting: string;
}

/** @returns null where there is no file. @throws StartRefused for a damaged one */
export async function readKeys(path: string): Promise<VersionedKeys | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new StartRefused(`${path} cannot be read (${error.code ?? error.name})`);
  });
  if (text === null) return null;
  const { success, data } = KeysFile.safeParse(parsed(text));
  if (!success || data.keys[data.current] === undefined)
    throw new StartRefused(`${path} is damaged: restore it from your copy of the signer's folder`);
  return { current: data.current, keys: data.keys };
}

/**
 * Makes a key the current one, and keeps the others. The file is on the disk when it resolves.
 *
 * @param before the keys of the file; null makes the file, or returns the keys of another process that was first
 */
export async function addKey(file: KeyFile, before: VersionedKeys | null = null): Promise<VersionedKeys> {
  const current = Math.max(0, ...Object.keys(before?.keys ?? {}).map(Number)) + 1;
  const added = { current, keys: { ...before?.keys, [current]: newKey() } };
  await writeKeys(file, added, before === null);
  return (before === null ? await readKeys(file.path) : null) ?? added;
}

function newKey(): string {
  const bytes = Buffer.alloc(KEY_BYTES);
  systemRandomness().fill(bytes);
  return bytes.toString('hex');
}

/** Forgets all keys but the current one. Values under the others cannot be read afterwards. */
export async function dropOldKeys(file: KeyFile, { current, keys }: VersionedKeys): Promise<void> {
  const key = keys[current];
  if (key !== undefined) await writeKeys(file, { current, keys: { [current]: key } }, false);
}

async function writeKeys({ path, setting }: KeyFile, { current, keys }: VersionedKeys, isNew: boolean): Promise<void> {
  await privateFolder(dirname(path));
  // Two processes may make a file at the same time.
  const draft = `${path}.${isNew ? process.pid : 'draft'}`;
  const file = await open(draft, 'w', FILE_MODE).catch((error: NodeJS.ErrnoException) => {
    throw new StartRefused(`${path} cannot be written (${error.code ?? error.name}): name another file by ${setting}`);
  });
  try {
    await file.chmod(FILE_MODE);
    await file.writeFile(`${JSON.stringify({ format: 1, current, keys })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  if (isNew) await linkNew(draft, path);
  else await rename(draft, path);
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Gives a file its name unless another process was first. */
async function linkNew(draft: string, path: string): Promise<void> {
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft, { force: true });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
