import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';

const SCRIPT = `(function (exports, require) {
exports.start = {
  'app/say': () => console.log('said', process.execArgv.length, typeof require('node:fs').readFileSync),
  'app/other': () => console.log('other'),
  'app/fail': () => { throw new Error('failed'); },
};
})`;

describe('build/load-bundle.mjs', () => {
  let folder = '';
  const run = (program: string, key = 'k1', flags: readonly string[] = []) => {
    const script = `import { startBundled } from './load.mjs'; startBundled('small', '${program}', '${key}');`;
    const words = [...flags, '--input-type=module', '-e', script];
    const { stdout, stderr, status } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
    return { stdout, stderr, status };
  };
  const kept = async (): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.includes('.cjs.app')).sort();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eas-load-'));
    await copyFile(repositoryFile('build/load-bundle.mjs'), join(folder, 'load.mjs'));
    await writeFile(join(folder, 'small.cjs'), SCRIPT);
  });
  beforeEach(async () => {
    for (const name of await kept()) await rm(join(folder, name));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('keeps the compiled code of a program at its exit, and starts from it', async () => {
    expect(run('app/say').stdout).toContain('said');
    const [first, ...more] = await kept();
    expect(first).toMatch(/^small\.cjs\.app-say\.k1\.[0-9a-f]+\.cache$/);
    expect(more).toEqual([]);
    expect(run('app/say').stdout).toContain('said');
    expect(await kept()).toEqual([first]);
  });

  it('keeps the code of each program, build and set of flags of V8 apart', async () => {
    run('app/say');
    run('app/other');
    run('app/say', 'k2');
    run('app/say', 'k1', ['--max-semi-space-size=8', '--stack-size=900']);
    expect(await kept()).toHaveLength(4);
  });

  it('starts, and keeps new code, when the kept code is damaged', async () => {
    run('app/say');
    const [name = ''] = await kept();
    await truncate(join(folder, name), 40);
    expect(run('app/say')).toMatchObject({ status: 0, stderr: '' });
    run('app/say');
    expect(await kept()).toEqual([name]);
  });

  it('leaves no part of a file when the folder is not writable', async () => {
    await chmod(folder, 0o500);
    try {
      expect(run('app/say')).toMatchObject({ status: 0, stderr: '' });
    } finally {
      await chmod(folder, 0o700);
    }
    expect((await kept()).filter((name) => !name.endsWith('.cache'))).toEqual([]);
  });

  it('names the sources in stacks when Node is to use source maps', async () => {
    // The failing function is in line 5 of the script: from its fourth line on, the lines are one less in the source.
    const lines = { sources: ['../app/other.ts', '../app/fail.ts'], starts: [0, 0, 0, 3, 1, -1, 6, -1, 0] };
    await writeFile(join(folder, 'small.cjs.lines.json'), JSON.stringify(lines));
    const { stderr, status } = run('app/fail', 'k1', ['--enable-source-maps']);
    expect(stderr).toContain(`Error: failed\n    at app/fail (${join(folder, '../app/fail.ts')}:4)\n`);
    expect(status).toBe(1);
  });
});
