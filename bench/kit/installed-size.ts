import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../app/repository.js';

const run = promisify(execFile);

/**
 * Sums the files that `npm install` of the packed kit and the packed service puts on a disk: what both packages pack, and
 * every package that they need at run time.
 */
export async function installedBytes(): Promise<number> {
  const cwd = repositoryRoot();
  const maxBuffer = 64 * 1024 ** 2;
  const { stdout: packed } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd, maxBuffer });
  const kit = await run('npm', ['pack', '--dry-run', '--json', '--workspace', 'testing-kit'], { cwd, maxBuffer });
  const own = [packed, kit.stdout].flatMap((text) => JSON.parse(text) as readonly { readonly unpackedSize: number }[]);
  const { stdout: listed } = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd, maxBuffer });
  const folders = [...new Set(listed.split('\n'))].filter((folder) => folder.includes('node_modules'));
  let bytes = own.reduce((sum, { unpackedSize }) => sum + unpackedSize, 0);
  for (const folder of folders) bytes += await bytesOf(folder);
  return bytes;
}

/** Packages within a package are listed by themselves. */
async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesOf(path);
    else if (entry.isFile()) bytes += (await stat(path)).size;
  }
  return bytes;
}
