import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { asNumber } from '../catalog/bson-arguments.js';
import { BackupError } from './backup-error.js';
import { copyDurably, digestOf, filesBelow, flushFolder } from './files.js';
import { type BackupFile, type Manifest, manifestName, writeManifest } from './manifest.js';
import { reachDatabase } from './reach-database.js';

export interface BackUpOptions {
  /** The folder to back up, with whatever else is kept in it. */
  readonly root: string;
  /** The database's folder within it; "" when it is the root itself. */
  readonly database: string;
  /** An empty or new folder outside of the root. */
  readonly target: string;
  /** A folder that lies elsewhere and whose files the database names; a name of its own in the backup, as in the root. */
  readonly beside?: { readonly name: string; readonly folder: string };
}

type Beside = Required<BackUpOptions>['beside'];

export interface BackupReport {
  readonly manifest: Manifest;
  readonly sizeBytes: number;
  /** Whether the copy was made by the server that was running, or by one started for it. */
  readonly whileRunning: boolean;
}

/** What a server keeps beside its data only while it runs. */
const transient = /^(lock\.mdb|owner\.json.*|.*\.sock)$/;

/**
 * Copies a database as of one commit, with the files kept beside it, into an empty folder. The server may run and be
 * written to: everything acknowledged before this began is in the copy, and of every write either all or nothing. Files are
 * copied after the database, so that those which it names and which are only added to are there; one that is taken away
 * meanwhile is left out.
 */
export async function backUp(options: BackUpOptions): Promise<BackupReport> {
  const root = resolve(options.root);
  const target = resolve(options.target);
  if (!relative(root, target).startsWith('..')) {
    throw new BackupError(`${target} lies within ${root}: a backup must be kept elsewhere`);
  }
  if (options.beside !== undefined) await refuseBeside(root, target, options.beside);
  const made = await emptyFolder(target);
  try {
    return await fill(root, options, target);
  } catch (error) {
    // Without a manifest nobody can take it for a backup; but it would be in the way of the next attempt.
    for (const name of await readdir(target)) await rm(join(target, name), { recursive: true, force: true });
    if (made) await rm(target, { recursive: true, force: true });
    throw error;
  }
}

async function refuseBeside(root: string, target: string, { name, folder }: Beside): Promise<void> {
  if (!relative(folder, target).startsWith('..')) {
    throw new BackupError(`${target} lies within ${folder}: a backup must be kept elsewhere`);
  }
  if ((await readdir(root)).includes(name)) {
    throw new BackupError(`${join(root, name)} has the name that ${folder} takes in a backup`);
  }
}

async function fill(root: string, { database, beside }: BackUpOptions, target: string): Promise<BackupReport> {
  const whileRunning = await copyDatabase(join(root, database), join(target, database));
  const databaseFile = database === '' ? 'data.mdb' : `${database}/data.mdb`;
  const inDatabase = (path: string) =>
    database === '' ? path : path.startsWith(`${database}/`) && path.slice(database.length + 1);
  const skip = (path: string) => {
    const name = inDatabase(path);
    return path === databaseFile || (typeof name === 'string' && transient.test(name));
  };
  const files: BackupFile[] = [await described(target, databaseFile)];
  for (const path of await filesBelow(root, skip)) files.push(...(await copyKept(join(root, path), target, path)));
  if (beside !== undefined) {
    for (const path of await filesBelow(beside.folder, () => false)) {
      files.push(...(await copyKept(join(beside.folder, path), target, `${beside.name}/${path}`)));
    }
  }
  for (const folder of new Set(files.map(({ path }) => dirname(join(target, path))))) await flushFolder(folder);
  const manifest: Manifest = { format: 1, takenAt: new Date(Date.now()).toISOString(), database, files };
  await writeManifest(target, manifest);
  await flushFolder(dirname(target));
  return { manifest, whileRunning, sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0) };
}

async function copyDatabase(dataDir: string, folder: string): Promise<boolean> {
  const reached = await reachDatabase(dataDir);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const reply = await reached.client.command('admin', { embeddedBackup: folder });
    const { size } = await stat(join(folder, 'data.mdb'));
    if (asNumber(reply.get('sizeBytes')) !== size) throw new BackupError(`the copy in ${folder} is not whole`);
    return reached.servedByOther;
  } catch (error) {
    const reason = reached.lost();
    if (reason === undefined) throw error;
    throw new BackupError(`${dataDir} is damaged: the database ended while copying it (${reason})`);
  } finally {
    await reached.close();
  }
}

/** @returns nothing for a file that was taken away since it was listed. */
async function copyKept(from: string, target: string, path: string): Promise<readonly BackupFile[]> {
  if (path === manifestName) throw new BackupError(`${from} has the name of a backup's own manifest`);
  const to = join(target, path);
  const found = await stat(from).catch(nothingWhereGone);
  if (found === null) return [];
  const mode = found.mode & 0o777;
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const digest = await copyDurably(from, to, mode).catch(nothingWhereGone);
  if (digest !== null) return [{ path, mode, ...digest }];
  await rm(to, { force: true });
  return [];
}

function nothingWhereGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

async function described(target: string, path: string): Promise<BackupFile> {
  const { mode } = await stat(join(target, path));
  return { path, mode: mode & 0o777, ...(await digestOf(join(target, path))) };
}

/** For its owner alone: a backup holds keys. Gives whether it was made. */
async function emptyFolder(path: string): Promise<boolean> {
  const made = (await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined;
  if ((await readdir(path)).length > 0)
    throw new BackupError(`${path} is not empty: a backup takes a folder of its own`);
  await chmod(path, 0o700);
  return made;
}
