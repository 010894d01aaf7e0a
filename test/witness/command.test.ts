import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifierText } from '../../shared/notes/note-keys.js';
import { lockFolder } from '../../witness/folder-lock.js';
import { logsFrom, SettingsFault, settingsFrom } from '../../witness/settings.js';
import { witnessKey } from '../../witness/witness-key.js';
import { Signer } from '../shared/notes/signer.js';
import { seededRandomness } from '../support/fakes.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witness-command-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const NAMED = ['--name', 'witness.example/w1', '--logs', 'logs.txt'];

describe('the witness command', () => {
  it('requires its name and its logs, and rejects unknown options', () => {
    expect(settingsFrom(NAMED)).toEqual({
      name: 'witness.example/w1',
      logs: 'logs.txt',
      dir: '.witness',
      host: '127.0.0.1',
      port: 8090,
    });
    for (const args of [
      [],
      ['--name', 'w1'],
      ['--name', 'with space', '--logs', 'x'],
      [...NAMED, '--port', '70000'],
      [...NAMED, '--port', 'x'],
      [...NAMED, '--unknown'],
    ]) {
      expect(() => settingsFrom(args)).toThrow(SettingsFault);
    }
  });

  it('reads the keys of logs, several for one log, and names an invalid line', () => {
    const [one, next, other] = [
      new Signer('log.example/a', 1),
      new Signer('log.example/a', 2),
      new Signer('log.example/b', 3),
    ];
    const text = `# ours\n${verifierText(one.key)}\n\n${verifierText(next.key)} # after the rotation\n${verifierText(other.key)}\n`;
    expect([...logsFrom(text)]).toEqual([
      ['log.example/a', [one.key, next.key]],
      ['log.example/b', [other.key]],
    ]);
    expect(() => logsFrom(`${verifierText(one.key)}\nnothing\n`)).toThrow('line 2');
  });

  it('keeps its key, readable only by its owner, and never creates a second one', async () => {
    const dir = join(folder, 'key');
    const made = await witnessKey(dir, 'witness.example/w1', seededRandomness(1));
    const again = await witnessKey(dir, 'witness.example/w1', seededRandomness(2));
    expect(verifierText(again.key)).toBe(verifierText(made.key));
    expect((await stat(join(dir, 'key.hex'))).mode & 0o077).toBe(0);
    await writeFile(join(dir, 'key.hex'), 'spoilt');
    await expect(witnessKey(dir, 'witness.example/w1', seededRandomness(3))).rejects.toThrow('cannot be read');
  });

  it('locks its folder, and takes over from a process that has exited', async () => {
    const unlock = await lockFolder(folder, process.pid);
    await expect(lockFolder(folder, process.pid + 1)).rejects.toThrow(SettingsFault);
    await unlock();
    await writeFile(join(folder, 'lock'), '999999999\n');
    const again = await lockFolder(folder, process.pid);
    expect(await readFile(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`);
    await again();
  });
});
