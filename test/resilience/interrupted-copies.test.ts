import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { backUp, isHalfRestored, restoreBackup } from '../../embedded-mongo/index.js';
import { type Running, startChild } from '../../embedded-mongo/launch/launch.js';

const FILES = ['first.txt', 'second.txt', 'third.txt'];

let scratch: string;
let root: string;
let running: Running;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'eas-interrupted-'));
  root = join(scratch, 'data');
  await mkdir(join(root, 'extra'), { recursive: true });
  for (const name of FILES) await writeFile(join(root, 'extra', name), `content of ${name}`);
  running = await startChild({ dataDir: join(root, 'embedded') });
});
afterAll(async () => {
  await running.stop();
  await rm(scratch, { recursive: true, force: true });
});

/** Runs a copy in another process, which SIGKILL ends at its first report: after the first file. */
async function killed(call: 'backUp' | 'restoreBackup', options: object): Promise<void> {
  const index = JSON.stringify(repositoryFile('dist/embedded-mongo/index.js'));
  const script = `import { ${call} } from ${index};
    const options = ${JSON.stringify(options)};
    await ${call}({ ...options, report: () => process.kill(process.pid, 'SIGKILL') });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  const [code, signal] = await once(child, 'exit');
  expect([code, signal]).toEqual([null, 'SIGKILL']);
}

const options = (target: string) => ({ root, database: 'embedded', target });
const contents = (folder: string): Promise<string[]> =>
  Promise.all(FILES.map((name) => readFile(join(folder, 'extra', name), 'utf8')));

describe('a backup that was killed', () => {
  it('is no backup, and is finished by the same command run again', async () => {
    const target = join(scratch, 'backup');
    await killed('backUp', options(target));
    expect(await readdir(target)).toContain('backup.unfinished');
    await expect(restoreBackup({ backup: target, root: join(scratch, 'nowhere') })).rejects.toThrow();
    const { manifest } = await backUp(options(target));
    expect(manifest.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(FILES.map((name) => `extra/${name}`)),
    );
    expect((await readdir(target)).sort()).toEqual(['embedded', 'extra', 'manifest.json']);
  });

  it('leaves files of others alone: a folder with them, or with a finished backup, is refused', async () => {
    const others = join(scratch, 'others');
    await mkdir(others);
    await writeFile(join(others, 'letter.txt'), 'mine');
    await expect(backUp(options(others))).rejects.toThrow('is not empty');
    expect(await readdir(others)).toEqual(['letter.txt']);
    const finished = join(scratch, 'finished');
    await backUp(options(finished));
    await writeFile(join(finished, 'backup.unfinished'), '');
    await expect(backUp(options(finished))).rejects.toThrow('is not empty');
    await restoreBackup({ backup: finished, root: join(scratch, 'of-finished') });
  });

  it('is not begun again while its process runs', async () => {
    const target = join(scratch, 'busy');
    await mkdir(target);
    await writeFile(join(target, 'backup.unfinished'), String(process.ppid));
    await expect(backUp(options(target))).rejects.toThrow(`process ${process.ppid} is writing`);
    expect(await readdir(target)).toEqual(['backup.unfinished']);
  });
});

describe('a restore that was killed', () => {
  it('keeps a server from starting, and is finished by the same command run again', async () => {
    const backup = join(scratch, 'to-restore');
    await backUp(options(backup));
    const into = join(scratch, 'restored');
    await killed('restoreBackup', { backup, root: into });
    expect(await isHalfRestored(into)).toBe(true);
    const { movedTo } = await restoreBackup({ backup, root: into });
    expect([movedTo, await isHalfRestored(into)]).toEqual([undefined, false]);
    expect(await contents(into)).toEqual(await contents(root));
    expect((await readdir(into)).sort()).toEqual(['embedded', 'extra']);
  });

  it('is refused without --force next to files that were placed already, and stays marked', async () => {
    const backup = join(scratch, 'to-place');
    await backUp(options(backup));
    const into = join(scratch, 'half-placed');
    await mkdir(join(into, 'extra'), { recursive: true });
    await mkdir(join(into, '.restoring-1-00000000'));
    await expect(restoreBackup({ backup, root: into })).rejects.toThrow('--force');
    expect(await isHalfRestored(into)).toBe(true);
    const { movedTo } = await restoreBackup({ backup, root: into, force: true });
    expect([typeof movedTo, await isHalfRestored(into)]).toEqual(['string', false]);
  });
});
