import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../checked-access.js';

/** A backup or restore that was not done. The data is unchanged; the text says what to do. */
export class BackupError extends Error {
  override name = 'BackupError';
}

export const MANIFEST_NAME = 'manifest.json';
/** Marks a folder in which a backup is under way or was interrupted. */
export const UNFINISHED_NAME = 'backup.unfinished';

export interface BackupFile extends Digest {
  /** Relative to the backup, with `/`. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
}

/** The contents of a backup. It is written last: a folder without one is an unfinished backup. */
export interface Manifest {
  readonly format: 1;
  readonly takenAt: string;
  /** Folder of the database within the backup; "" when it is the backup itself. */
  readonly database: string;
  readonly files: readonly BackupFile[];
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${MANIFEST_NAME}.draft`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ ...manifest, sha256: checksum(manifest) }, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, MANIFEST_NAME));
  await flushFolder(folder);
}

/** Reads the manifest and verifies every file. Rejects a backup that is unfinished, changed or has extra files. */
export async function verifyBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const listed = new Map(manifest.files.map((file) => [file.path, file]));
  // A mark that outlived its backup means nothing: the manifest came after every file.
  for (const path of await filesBelow(folder, (name) => name === MANIFEST_NAME || name === UNFINISHED_NAME)) {
    if (!listed.has(path)) throw new BackupError(`${folder} holds ${path}, which its manifest does not list`);
  }
  for (const file of manifest.files) {
    const found = await digestOf(join(folder, file.path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new BackupError(`${folder} lacks ${file.path}: the backup is incomplete`);
      throw error;
    });
    requireSame(file, found, folder);
  }
  return manifest;
}

export function requireSame(file: BackupFile, found: Digest, folder: string): void {
  if (found.sizeBytes === file.sizeBytes && found.sha256 === file.sha256) return;
  throw new BackupError(
    `${file.path} in ${folder} is damaged: ${found.sizeBytes} bytes with sha256 ${found.sha256} instead of ` +
      `${file.sizeBytes} with ${file.sha256}; use another backup`,
  );
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST_NAME);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new BackupError(`${folder} has no ${MANIFEST_NAME}: it is not a backup, or an unfinished one`);
  });
  const found = parseJson(text);
  if (isRecord(found) && found['format'] !== undefined && found['format'] !== 1)
    throw new BackupError(`${path} is in format ${String(found['format'])}; this version reads format 1`);
  if (!isManifest(found) || found.sha256 !== checksum(found))
    throw new BackupError(`${path} is damaged; use another backup`);
  return found;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isManifest(value: unknown): value is Manifest & { readonly sha256: unknown } {
  if (!isRecord(value)) return false;
  const { format, takenAt, database, files } = value;
  const isWhole = format === 1 && typeof takenAt === 'string' && typeof database === 'string';
  return isWhole && Array.isArray(files) && files.every(isBackupFile);
}

function isBackupFile(value: unknown): value is BackupFile {
  if (!isRecord(value)) return false;
  const { path, mode, sizeBytes, sha256 } = value;
  const isNamed = typeof path === 'string' && typeof sha256 === 'string';
  return isNamed && typeof mode === 'number' && typeof sizeBytes === 'number';
}

function checksum({ format, takenAt, database, files }: Manifest): string {
  return createHash('sha256').update(JSON.stringify({ format, takenAt, database, files })).digest('hex');
}

/**
 * Lists the relative paths, with `/`, of all files below a folder. Entries that are neither file nor folder are errors
 * unless skipped. A subfolder deleted meanwhile counts as empty.
 */
export async function filesBelow(folder: string, skip: (path: string) => boolean, below = ''): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && below !== '') return [];
    throw error;
  });
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (skip(path)) continue;
    if (entry.isDirectory()) found.push(...(await filesBelow(folder, skip, path)));
    else if (entry.isFile()) found.push(path);
    else throw new BackupError(`${join(folder, path)} is neither a file nor a folder`);
  }
  return found.sort();
}

interface Digest {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Reads a file in chunks. A stream without an encoding yields Buffers, although its type says `any`. */
function chunksOf(path: string): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: 1 << 20 });
}

export async function digestOf(path: string): Promise<Digest> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of chunksOf(path)) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Copies a file to a new path and returns its digest after the copy is on disk. */
export async function copyDurably(from: string, to: string, mode: number): Promise<Digest> {
  const target = await open(to, 'wx', mode);
  try {
    const digest = await pour(from, target);
    // The mode given to open is subject to the umask.
    await target.chmod(mode);
    await target.sync();
    return digest;
  } finally {
    await target.close();
  }
}

async function pour(from: string, target: FileHandle): Promise<Digest> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of chunksOf(from)) {
    hash.update(chunk);
    await target.writeFile(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Flushes the names in a folder. Windows cannot open folders, and orders its metadata itself. */
export async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
