import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startServer } from '../../server/server.js';
import { makePrivate } from '../../store/private-files.js';

const WINDOWS = process.platform === 'win32';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'private-files-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (...path: string[]): string => (statSync(join(root, ...path)).mode & 0o777).toString(8);

async function modesOnceStarted(name: string): Promise<Record<string, string>> {
  const dataDir = join(root, name);
  const server = await startServer({ dataDir, socketPath: join(root, 's.sock') });
  try {
    return Object.fromEntries(readdirSync(dataDir).map((file) => [file, modeOf(name, file)]));
  } finally {
    await server.close();
  }
}

(WINDOWS ? describe.skip : describe)('the folder of a database', () => {
  it('and all files in it are for the owner alone', async () => {
    const modes = await modesOnceStarted('data');
    expect(Object.keys(modes)).toEqual(expect.arrayContaining(['data.mdb', 'lock.mdb']));
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']));
    expect(modeOf('data')).toBe('700');
  });

  it('is tightened at the start when others may read it', async () => {
    await modesOnceStarted('data');
    chmodSync(join(root, 'data'), 0o755);
    chmodSync(join(root, 'data', 'data.mdb'), 0o644);
    expect(new Set(Object.values(await modesOnceStarted('data')))).toEqual(new Set(['600']));
    expect(modeOf('data')).toBe('700');
  });

  it('stays as it is when it holds other files, or is shared by many', () => {
    mkdirSync(join(root, 'mixed'), { mode: 0o755 });
    writeFileSync(join(root, 'mixed', 'notes.txt'), 'mine');
    makePrivate(join(root, 'mixed'));
    mkdirSync(join(root, 'shared'));
    chmodSync(join(root, 'shared'), 0o1777);
    makePrivate(join(root, 'shared'));
    expect([modeOf('mixed'), modeOf('shared')]).toEqual(['755', '777']);
  });

  it('is refused with the command that mends it when it cannot be tightened', () => {
    mkdirSync(join(root, 'foreign'));
    chmodSync(join(root, 'foreign'), 0o755);
    const refuse = () => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    };
    expect(() => makePrivate(join(root, 'foreign'), refuse)).toThrow(
      `others may read ${join(root, 'foreign')} (EPERM); run: chmod 700 ${join(root, 'foreign')}`,
    );
  });
});
