import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsFault } from './settings.js';
import { hasCode } from './state-files.js';

/**
 * Locks the folder for one witness, because two would overwrite each other's state. Takes over the lock of a dead process.
 *
 * @throws SettingsFault while another process holds the lock
 */
export async function lockFolder(folder: string, pid: number): Promise<() => Promise<void>> {
  const path = join(folder, 'lock');
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(`${pid}\n`);
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      const holder = Number(await readFile(path, 'utf8'));
      if (holder !== pid && isAlive(holder)) throw new SettingsFault(`--dir: process ${holder} uses this folder`);
      await rm(path, { force: true });
    }
  }
  throw new SettingsFault('--dir: another process uses this folder');
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
