import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from './backup-error.js';
import { type Digest, digestOf, filesBelow, flushFolder } from './files.js';

export const manifestName = 'manifest.json';

export interface BackupFile extends Digest {
  /** Relative to the backup, with `/`. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
}

/** What a backup holds. It is written last: a backup without one was not finished. */
export interface Manifest {
  readonly format: 1;
  readonly takenAt: string;
  /** Folder of the database within the backup; "" when it is the backup itself. */
  readonly database: string;
  readonly files: readonly BackupFile[];
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${manifestName}.draft`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ ...manifest, sha256: checksum(manifest) }, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, manifestName));
  await flushFolder(folder);
}

/** Reads the manifest and holds every file against it; refuses a backup that is unfinished, altered or added to. */
export async function verifyBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const listed = new Map(manifest.files.map((file) => [file.path, file]));
  for (const path of await filesBelow(folder, (name) => name === manifestName)) {
    if (!listed.has(path)) throw new BackupError(`${folder} holds ${path}, which its manifest does not list`);
  }
  for (const file of manifest.files) {
    const found = await digestOf(join(folder, file.path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new BackupError(`${folder} lacks ${file.path}: the backup is not whole`);
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
  const path = join(folder, manifestName);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new BackupError(`${folder} has no ${manifestName}: it is no backup, or one that was not finished`);
  });
  const found = parse(text);
  if (found?.format !== undefined && found.format !== 1) {
    throw new BackupError(`${path} is in format ${String(found.format)}; this version reads format 1`);
  }
  if (!found || found.sha256 !== checksum(found)) throw new BackupError(`${path} is damaged; use another backup`);
  return found;
}

function parse(text: string): (Manifest & { sha256?: unknown }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'files' in value && Array.isArray(value.files)
      ? (value as Manifest)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function checksum({ format, takenAt, database, files }: Manifest): string {
  return createHash('sha256').update(JSON.stringify({ format, takenAt, database, files })).digest('hex');
}
