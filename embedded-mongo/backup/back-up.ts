import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { asNumber } from '../bson/number.js';
import type { Encryption } from '../store/data-cipher.js';
import { isOwned } from '../store/owner-lock.js';
import { isEncrypted, PAGE_KEY_FILE } from '../store/page-key.js';
import { reachDatabase } from './check-database.js';
import { clearInterruptedBackup, clearInterruptedRestores, isStage, markUnfinished, stageName } from './interrupted.js';
import {
  BackupError,
  type BackupFile,
  copyDurably,
  digestOf,
  filesBelow,
  flushFolder,
  MANIFEST_NAME,
  type Manifest,
  requireSame,
  UNFINISHED_NAME,
  verifyBackup,
  writeManifest,
} from './manifest.js';

interface BackUpOptions {
  /** The folder to back up, with all files in it. */
  readonly root: string;
  /** The folder of the database inside the root; "" when it is the root. */
  readonly database: string;
  /** An empty or new folder outside of the root. */
  readonly target: string;
  /** The data keys, when the database is encrypted. */
  readonly encryption?: Encryption;
  /** A folder outside the root that the database refers to, and its name in the backup. */
  readonly external?: { readonly name: string; readonly folder: string };
  /** Called with the number of copied bytes and, about, of all. */
  readonly report?: ReportBytes;
}

/** @param total null while it is not known */
type ReportBytes = (done: number, total: number | null) => void;

type External = Required<BackUpOptions>['external'];

interface BackupReport {
  readonly manifest: Manifest;
  readonly sizeBytes: number;
  /** Whether the running server made the copy, or one started for the backup. */
  readonly whileRunning: boolean;
}

/** Files that exist only while a server runs. */
const TRANSIENT = /^(lock\.mdb|owner\.(json|lock).*|.*\.sock|spare\.bin)$/;

/**
 * Copies a database as of one commit, with the files in its folder, into an empty folder. The server may run and
 * accept writes: the copy contains every write acknowledged before the start, and each later write completely or not
 * at all. Files are copied after the database, so that the files it names are present; files deleted meanwhile are
 * skipped. An interrupted backup of a database in a folder begins again in its target.
 */
export async function backUp(options: BackUpOptions): Promise<BackupReport> {
  const root = resolve(options.root);
  const target = resolve(options.target);
  if (!relative(root, target).startsWith('..'))
    throw new BackupError(`${target} lies within ${root}: a backup must be kept elsewhere`);
  if (options.external !== undefined) await rejectOverlap(root, target, options.external);
  const made = await emptyFolder(target);
  // A server copies only into an empty folder: without a separate folder the database leaves no room for the mark.
  if (options.database !== '') await markUnfinished(target);
  try {
    return await fill(root, options, target);
  } catch (error) {
    // An unfinished backup has no manifest; without this removal it would block the next attempt.
    for (const name of await readdir(target)) await rm(join(target, name), { recursive: true, force: true });
    if (made) await rm(target, { recursive: true, force: true });
    throw error;
  }
}

async function rejectOverlap(root: string, target: string, { name, folder }: External): Promise<void> {
  if (!relative(folder, target).startsWith('..'))
    throw new BackupError(`${target} lies within ${folder}: a backup must be kept elsewhere`);
  if ((await readdir(root)).includes(name))
    throw new BackupError(`${join(root, name)} has the name that ${folder} takes in a backup`);
}

async function fill(root: string, options: BackUpOptions, target: string): Promise<BackupReport> {
  const { database, external, report } = options;
  const whileRunning = await copyDatabase(join(root, database), join(target, database), options);
  const databaseFile = database === '' ? 'data.mdb' : `${database}/data.mdb`;
  const inDatabase = (path: string) =>
    database === '' ? path : path.startsWith(`${database}/`) && path.slice(database.length + 1);
  const skip = (path: string) => {
    const name = inDatabase(path);
    return path === databaseFile || (typeof name === 'string' && (name === PAGE_KEY_FILE || TRANSIENT.test(name)));
  };
  const files: BackupFile[] = [await described(target, databaseFile)];
  if (isEncrypted(join(target, database)))
    files.push(await described(target, database === '' ? PAGE_KEY_FILE : `${database}/${PAGE_KEY_FILE}`));
  const copied = (kept: readonly BackupFile[]): void => {
    files.push(...kept);
    report?.(sizeOf(files), null);
  };
  for (const path of await filesBelow(root, skip)) copied(await copyKept(join(root, path), target, path));
  if (external !== undefined) {
    for (const path of await filesBelow(external.folder, () => false))
      copied(await copyKept(join(external.folder, path), target, `${external.name}/${path}`));
  }
  for (const folder of new Set(files.map(({ path }) => dirname(join(target, path))))) await flushFolder(folder);
  const manifest: Manifest = { format: 1, takenAt: new Date(Date.now()).toISOString(), database, files };
  await writeManifest(target, manifest);
  await rm(join(target, UNFINISHED_NAME), { force: true });
  await flushFolder(target);
  await flushFolder(dirname(target));
  return { manifest, whileRunning, sizeBytes: sizeOf(files) };
}

const sizeOf = (files: readonly BackupFile[]): number => files.reduce((sum, file) => sum + file.sizeBytes, 0);

const LOOK_EVERY_MS = 1_000;

/** Reports the size of the copy while the server writes it. @returns a function that ends it */
function watchCopy(dataDir: string, folder: string, report: ReportBytes | undefined): () => void {
  if (report === undefined) return () => undefined;
  const look = async (): Promise<void> => {
    const [whole, copy] = await Promise.all(
      [dataDir, folder].map((at) => stat(join(at, 'data.mdb')).catch(() => null)),
    );
    // The copy leaves free pages out, so its size is at most that of the source.
    if (copy) report(copy.size, whole?.size ?? null);
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

async function copyDatabase(
  dataDir: string,
  folder: string,
  { encryption, report }: Pick<BackUpOptions, 'encryption' | 'report'>,
): Promise<boolean> {
  const reached = await reachDatabase(dataDir, encryption);
  const unwatch = watchCopy(dataDir, folder, report);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const reply = await reached.client.command('admin', { embeddedBackup: folder });
    const { size } = await stat(join(folder, 'data.mdb'));
    if (asNumber(reply.get('sizeBytes')) !== size) throw new BackupError(`the copy in ${folder} is incomplete`);
    return reached.servedByOther;
  } catch (error) {
    const reason = reached.lost();
    if (reason === undefined) throw error;
    throw new BackupError(`${dataDir} is damaged: the database ended while copying it (${reason})`);
  } finally {
    unwatch();
    await reached.close();
  }
}

/** @returns nothing for a file deleted since it was listed. */
async function copyKept(from: string, target: string, path: string): Promise<readonly BackupFile[]> {
  if (path === MANIFEST_NAME) throw new BackupError(`${from} has the name of a backup's own manifest`);
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

/** Creates a folder for its owner alone, because a backup holds keys. @returns whether it was created. */
async function emptyFolder(path: string): Promise<boolean> {
  const made = (await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined;
  if ((await readdir(path)).length > 0 && !(await clearInterruptedBackup(path)))
    throw new BackupError(`${path} is not empty: choose an empty or new folder for the backup`);
  await chmod(path, 0o700);
  return made;
}

interface RestoreOptions {
  readonly backup: string;
  /** The folder that was backed up, or a replacement. */
  readonly root: string;
  /** Moves existing files aside and restores; never deletes them. */
  readonly force?: boolean;
  /** Called with the number of copied bytes and of all. */
  readonly report?: ReportBytes;
}

interface RestoreReport {
  readonly manifest: Manifest;
  /** The new place of the files that were in the folder; undefined when it was empty. */
  readonly movedTo: string | undefined;
}

const ASIDE_PREFIX = 'replaced-';

/** Whether a restore into a folder was interrupted; no server may start on it. */
export async function isHalfRestored(root: string): Promise<boolean> {
  return (await namesIn(root)).some(isStage);
}

/**
 * Restores a backup. It verifies all files, copies them to a temporary folder next to the target, verifies and flushes
 * the copies, and only then moves them to the names that a server opens. It deletes the copies of an interrupted restore
 * and begins again.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const backup = resolve(options.backup);
  const root = resolve(options.root);
  if (!relative(root, backup).startsWith('..'))
    throw new BackupError(`${backup} lies within ${root}, where it would go`);
  const manifest = await verifyBackup(backup);
  await mkdir(root, { recursive: true, mode: 0o700 });
  if (await isOwned(join(root, manifest.database)))
    throw new BackupError(`${root} is in use by a running server: stop it first`);
  const present = (await namesIn(root)).filter((name) => !name.startsWith(ASIDE_PREFIX));
  const hasOnlyStages = present.every(isStage);
  if (!hasOnlyStages && !options.force) throw new BackupError(`${root} is not empty; --force moves its files aside`);
  if (hasOnlyStages) await clearInterruptedRestores(root, present);
  const token = randomBytes(4).toString('hex');
  const stage = join(root, stageName(token));
  try {
    await copyAll(backup, stage, manifest, options.report);
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    throw error;
  }
  const movedTo = hasOnlyStages ? undefined : await moveAside(root, present, token);
  for (const name of await readdir(stage)) await rename(join(stage, name), join(root, name));
  await flushFolder(root);
  await rmdir(stage);
  await flushFolder(root);
  return { manifest, movedTo };
}

async function copyAll(
  backup: string,
  stage: string,
  manifest: Manifest,
  report: ReportBytes | undefined,
): Promise<void> {
  await mkdir(stage, { mode: 0o700 });
  const totalBytes = sizeOf(manifest.files);
  let copiedBytes = 0;
  for (const file of manifest.files) {
    const to = join(stage, file.path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    requireSame(file, await copyDurably(join(backup, file.path), to, file.mode), backup);
    copiedBytes += file.sizeBytes;
    report?.(copiedBytes, totalBytes);
  }
  const folders = new Set(manifest.files.map(({ path }) => dirname(join(stage, path))));
  for (const folder of [...folders, stage]) await flushFolder(folder);
}

async function moveAside(root: string, names: readonly string[], token: string): Promise<string> {
  const aside = join(root, `${ASIDE_PREFIX}${token}`);
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
