import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';

const run = promisify(execFile);
const COPIED = /^(package\.json|package-lock\.json|tsconfig.*\.json|[A-Z]+\.md)$/;
const NOT_COPIED = new Set(['node_modules', 'dist', 'test', 'coverage', 'docker']);

// One copy of the sources serves all steps: they follow each other as commands do on one machine.
describe('build/build.mjs', () => {
  let copy = '';
  const build = async (mode: string): Promise<string> =>
    (await run(process.execPath, [join(copy, 'build/build.mjs'), mode])).stderr;
  const builtAt = async (): Promise<number> => (await stat(join(copy, 'dist/.built-from'))).mtimeMs;

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'eas-build-'));
    for (const entry of await readdir(repositoryFile('.'), { withFileTypes: true })) {
      const isWanted = entry.isDirectory()
        ? !entry.name.startsWith('.') && !NOT_COPIED.has(entry.name)
        : COPIED.test(entry.name);
      if (isWanted) await cp(repositoryFile(entry.name), join(copy, entry.name), { recursive: true });
    }
    await symlink(repositoryFile('node_modules'), join(copy, 'node_modules'));
  });
  afterAll(() => rm(copy, { recursive: true, force: true }));

  it('compiles once when two commands find nothing built at the same time', async () => {
    await Promise.all([build('--missing'), build('--fresh')]);
    expect(await readFile(join(copy, 'dist/app/main.js'), 'utf8')).toContain('bundled/load.mjs');
    expect((await readdir(copy)).filter((name) => name.startsWith('.dist') || name === '.building')).toEqual([]);
  });

  it('leaves built files alone while the sources are the same', async () => {
    const before = await builtAt();
    expect(await build('--fresh')).toBe('');
    expect(await builtAt()).toBe(before);
  });

  it('makes only the site again when a start finds a changed page', async () => {
    const before = await builtAt();
    await appendFile(join(copy, 'docs/errors.md'), '\nA changed page.\n');
    await build('--fresh');
    expect(await builtAt()).toBe(before);
    expect(await readFile(join(copy, 'dist/docs-site/errors.html'), 'utf8')).toContain('A changed page.');
  });

  it('refuses a page with a link to a file that does not exist, and keeps the site', async () => {
    await appendFile(join(copy, 'docs/errors.md'), '\n[None](none.md)\n');
    await expect(build('--fresh')).rejects.toThrow('docs/errors.md links to none.md');
    expect(await readFile(join(copy, 'dist/docs-site/errors.html'), 'utf8')).not.toContain('None');
    await writeFile(join(copy, 'docs/errors.md'), '# Error codes\n');
  });

  it('leaves built files alone, and says so, when a maintenance command finds newer sources', async () => {
    const before = await builtAt();
    await appendFile(join(copy, 'app/main.ts'), '\n// changed\n');
    expect(await build('--missing')).toContain('"npm run build" compiles');
    expect(await builtAt()).toBe(before);
  });

  it('compiles again when a start finds newer sources', async () => {
    const before = await builtAt();
    await build('--fresh');
    expect(await builtAt()).toBeGreaterThan(before);
    expect(await build('--missing')).toBe('');
  });
});
