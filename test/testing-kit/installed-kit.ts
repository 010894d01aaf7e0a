import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryFile, repositoryRoot } from '../../app/repository.js';

const run = promisify(execFile);

/** A project with the packed kit, as `npm install` leaves it, but with links to the packages that it needs. */
export interface Project {
  readonly folder: string;
  /** The kit's files in the archive, with their sizes. */
  readonly packed: readonly { readonly path: string; readonly size: number }[];
  /** Runs a command without the variables that the suite's own runner sets; returns what it printed. */
  ran(command: string, args: readonly string[]): Promise<string>;
  /** Links another package of the repository into the project. */
  link(name: string): Promise<void>;
  remove(): Promise<void>;
}

/** @param files of the project, by name. */
export async function projectWithKit(files: Readonly<Record<string, string>>): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-kit-package-'));
  await run(process.execPath, [repositoryFile('testing-kit/build.mjs')]);
  const packing = ['pack', '--json', '--workspace', 'testing-kit', '--pack-destination', folder];
  const { stdout } = await run('npm', packing, { cwd: repositoryRoot(), maxBuffer: 16 * 1024 ** 2 });
  const [{ filename, files: packed }] = JSON.parse(stdout);
  const installed = join(folder, 'node_modules/@eas/testing-kit');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  const link = async (name: string): Promise<void> => {
    const at = join(folder, 'node_modules', name);
    await mkdir(dirname(at), { recursive: true });
    await symlink(repositoryFile(`node_modules/${name}`), at);
  };
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) await link(name);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return {
    folder,
    packed,
    link,
    ran: async (command, args) => {
      const { PATH, HOME } = process.env;
      const ended = await run(command, args, { cwd: folder, env: { PATH, HOME } });
      return ended.stdout + ended.stderr;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
