import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError, flushFolder, MANIFEST_NAME, UNFINISHED_NAME } from './manifest.js';

const STAGE_PREFIX = '.restoring-';
const STAGE_OF_PROCESS = /^\.restoring-(\d+)-/;

export const isStage = (name: string): boolean => name.startsWith(STAGE_PREFIX);

export const stageName = (token: string): string => `${STAGE_PREFIX}${process.pid}-${token}`;

/** Marks a folder as a backup under way, so that the next attempt can tell its files from those of others. */
export async function markUnfinished(folder: string): Promise<void> {
  const file = await open(join(folder, UNFINISHED_NAME), 'wx', 0o600);
  try {
    await file.writeFile(String(process.pid));
    await file.sync();
  } finally {
    await file.close();
  }
  await flushFolder(folder);
}

/**
 * Deletes what an interrupted backup left in a folder. The mark goes last, so that an interrupted deletion can continue.
 *
 * @returns false for a folder with files of others, or with a finished backup
 * @throws BackupError if the process that writes the backup still runs
 */
export async function clearInterruptedBackup(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  if (!names.includes(UNFINISHED_NAME) || names.includes(MANIFEST_NAME)) return false;
  requireEnded(await readFile(join(folder, UNFINISHED_NAME), 'utf8'), folder);
  for (const name of names.filter((each) => each !== UNFINISHED_NAME))
    await rm(join(folder, name), { recursive: true, force: true });
  await rm(join(folder, UNFINISHED_NAME), { force: true });
  return true;
}

/**
 * Deletes the stages of interrupted restores. Call it only where nothing else is in the folder: next to files that were
 * placed already, a stage keeps a server from starting on half of them.
 *
 * @throws BackupError if another restore into this folder runs
 */
export async function clearInterruptedRestores(root: string, stages: readonly string[]): Promise<void> {
  for (const name of stages) requireEnded(STAGE_OF_PROCESS.exec(name)?.[1] ?? '', root);
  for (const name of stages) await rm(join(root, name), { recursive: true, force: true });
}

function requireEnded(pid: string, folder: string): void {
  if (pid !== String(process.pid) && isAlive(Number(pid)))
    throw new BackupError(`process ${pid} is writing to ${folder}: wait until it ends`);
}

/** @param pid 0 if the mark was cut before its number was written */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
