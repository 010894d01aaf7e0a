import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';

/** @returns the process id of the server that owns a database folder. */
export async function ownerOf(folder: string): Promise<number> {
  const owner: unknown = JSON.parse(await readFile(join(folder, 'owner.json'), 'utf8'));
  if (typeof owner !== 'object' || owner === null || !('pid' in owner)) throw new Error('the folder has no owner');
  return Number(owner.pid);
}

/** Polls until the condition holds, and fails if it does not in time. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const holds = await eventually(async () => {
    try {
      return await condition();
    } catch {
      // Between two children there is no owner file.
      return false;
    }
  }, Boolean);
  if (!holds) throw new Error('the condition did not hold in time');
}

/** The processes that a service consists of. */
export type Part = 'service' | 'database' | 'signer';

const ENTRY_OF_CHILD: Readonly<Record<string, Part>> = { 'embedded-mongo': 'database', signer: 'signer' };

/** @returns the process ids of a service and of its children (proc(5)). */
export function partsOf(pid: number): ReadonlyMap<Part, number> {
  const parts = new Map<Part, number>([['service', pid]]);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || parentOf(name) !== pid) continue;
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
    for (const [folder, part] of Object.entries(ENTRY_OF_CHILD)) {
      if (command.includes(`/dist/${folder}/`)) parts.set(part, Number(name));
    }
  }
  return parts;
}

/** @returns the parent of a process; undefined if the process is gone. */
function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

/** @returns the number of files and sockets that a process has open. */
export const openFilesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
