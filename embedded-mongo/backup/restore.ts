import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { liveOwner } from '../store/owner-lock.js';
import { BackupError } from './backup-error.js';
import { copyDurably, flushFolder } from './files.js';
import { type Manifest, requireSame, verifyBackup } from './manifest.js';

export interface RestoreOptions {
  readonly backup: string;
  /** The folder that was backed up, or another to take its place. */
  readonly root: string;
  /** Restore over what is there; that is moved aside, never deleted. */
  readonly force?: boolean;
}

export interface RestoreReport {
  readonly manifest: Manifest;
  /** Where to find what was in the folder before; undefined when it was empty. */
  readonly movedTo: string | undefined;
}

const stagePrefix = '.restoring-';
const asidePrefix = 'replaced-';

/** Whether a restore into a folder was broken off; nothing should be started on it. */
export async function isHalfRestored(root: string): Promise<boolean> {
  return (await namesIn(root)).some((name) => name.startsWith(stagePrefix));
}

/**
 * Puts a backup in place. Everything is verified, copied into a folder beside its place, verified again and flushed
 * before the first name appears where a server would look for it.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const backup = resolve(options.backup);
  const root = resolve(options.root);
  if (!relative(root, backup).startsWith('..'))
    throw new BackupError(`${backup} lies within ${root}, where it would go`);
  const manifest = await verifyBackup(backup);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const owner = await liveOwner(join(root, manifest.database));
  if (owner) throw new BackupError(`${root} is in use by process ${owner.pid}: stop it first`);
  const present = (await namesIn(root)).filter((name) => !name.startsWith(asidePrefix));
  if (present.length > 0 && !options.force) {
    throw new BackupError(`${root} is not empty; with --force what is there is moved aside`);
  }
  const token = randomBytes(4).toString('hex');
  const stage = join(root, `${stagePrefix}${token}`);
  try {
    await copyAll(backup, stage, manifest);
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    throw error;
  }
  const movedTo = present.length > 0 ? await moveAside(root, present, token) : undefined;
  for (const name of await readdir(stage)) await rename(join(stage, name), join(root, name));
  await flushFolder(root);
  await rmdir(stage);
  await flushFolder(root);
  return { manifest, movedTo };
}

async function copyAll(backup: string, stage: string, manifest: Manifest): Promise<void> {
  await mkdir(stage, { mode: 0o700 });
  for (const file of manifest.files) {
    const to = join(stage, file.path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    requireSame(file, await copyDurably(join(backup, file.path), to, file.mode), backup);
  }
  const folders = new Set(manifest.files.map(({ path }) => dirname(join(stage, path))));
  for (const folder of [...folders, stage]) await flushFolder(folder);
}

async function moveAside(root: string, names: readonly string[], token: string): Promise<string> {
  const aside = join(root, `${asidePrefix}${token}`);
  await mkdir(aside, { mode: 0o700 });
  for (const name of names) await rename(join(root, name), join(aside, name));
  await flushFolder(root);
  return aside;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
