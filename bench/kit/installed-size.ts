import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryFile, repositoryRoot } from '../../app/repository.js';

const run = promisify(execFile);

/** Sums the files that `npm install` of the packed kit puts on a disk: what it packs, and every package that it needs. */
export async function installedBytes(): Promise<number> {
  const cwd = repositoryRoot();
  const maxBuffer = 64 * 1024 ** 2;
  await run(process.execPath, [repositoryFile('testing-kit/build.mjs')]);
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--workspace', 'testing-kit'], {
    cwd,
    maxBuffer,
  });
  const [{ unpackedSize }]: readonly [{ readonly unpackedSize: number }] = JSON.parse(stdout);
  let bytes = unpackedSize;
  for (const folder of await neededFolders()) bytes += await bytesOf(repositoryFile(folder));
  return bytes;
}

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Follows the lock of the repository from the kit; optional packages for other machines are not installed. */
async function neededFolders(): Promise<ReadonlySet<string>> {
  const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    await readFile(repositoryFile('package-lock.json'), 'utf8'),
  );
  const needed = new Set<string>();
  const add = async (from: string): Promise<void> => {
    const { dependencies = {}, optionalDependencies = {} } = packages[from] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const own = `${from}/node_modules/${name}`;
      const folder = packages[own] === undefined ? `node_modules/${name}` : own;
      if (needed.has(folder) || !(await isInstalled(folder))) continue;
      needed.add(folder);
      await add(folder);
    }
  };
  await add('testing-kit');
  return needed;
}

const isInstalled = (folder: string): Promise<boolean> =>
  stat(repositoryFile(folder)).then(
    () => true,
    () => false,
  );

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
