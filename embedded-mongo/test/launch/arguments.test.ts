import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const program = join(
  dirname(fileURLToPath(import.meta.url)),
  ...['..', '..', '..', 'dist', 'embedded-mongo', 'launch', 'serve-main.js'],
);
const run = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });

describe('npm run embedded-mongo', () => {
  it('prints its usage with --help', () => {
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('usage: '), stderr: '' });
  });

  it.each([
    ['no folder', [], '--data DIR is missing.'],
    ['a port that is no number', ['--data', 'd', '--port', 'x'], '--port must be a whole number from 0 to 65535.'],
    ['a certificate without a key', ['--data', 'd', '--tls-cert', 'c'], '--tls-cert and --tls-key must be given'],
    ['an unknown option', ['--data', 'd', '--nope'], "Unknown option '--nope'"],
  ])('names the mistake for %s', (_name, args, text) => {
    expect(run(...args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(text) });
  });
});
