import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { describeUnless, itUnless, lackOf } from '../support/needs.js';
import { opensslStamps, startTimeStampAuthority, type TimeStampAuthority } from '../support/time-stamp-authority.js';
import { KEY, keySetWith } from './good-cases.js';
import { draftOf, listFiles, signedEntries } from './make-bundle.js';
import { completeSpec } from './map-cases.js';
import { HAS_PYTHON } from './verify-kit.js';
import { writeZip } from './zip-writer.js';

// `--timestamp` of the commands, over tokens of a real authority (openssl ts).

const withOpenssl = describeUnless(lackOf(opensslStamps(), 'openssl ts'));
const COMMANDS = [
  ['verify.mjs', true, process.execPath],
  ['verify.py', HAS_PYTHON, 'python3'],
] as const;
/** Later than any stamp of this run. */
const FUTURE = '2099-01-01T00:00:00.000Z';

const QUIET = { stdio: 'pipe' } as const;

withOpenssl('a time stamp passed with a bundle', () => {
  let folder = '';
  const authorities: TimeStampAuthority[] = [];
  const at = (name: string): string => join(folder, name);

  /** The answer of an authority over these bytes, and the token that it holds. */
  async function stamp(authority: TimeStampAuthority, data: Uint8Array, name: string): Promise<void> {
    writeFileSync(at('data'), data);
    const query = execFileSync('openssl', ['ts', '-query', '-data', at('data'), '-sha256', '-cert'], QUIET);
    writeFileSync(at(`${name}.tsr`), await authority.reply(query));
    execFileSync(
      'openssl',
      ['ts', '-reply', '-in', at(`${name}.tsr`), '-token_out', '-out', at(`${name}.token`)],
      QUIET,
    );
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'eas-verify-stamps-'));
    const built = spawnSync(process.execPath, [repositoryFile('build/verifier.mjs')]);
    expect(built.status).toBe(0);
    for (const [name] of COMMANDS) cpSync(repositoryFile(`dist/verifier/${name}`), at(name));
    const draft = draftOf(completeSpec());
    listFiles(draft);
    const entries = signedEntries(draft);
    writeFileSync(at('bundle.zip'), writeZip(entries));
    authorities.push(await startTimeStampAuthority(), await startTimeStampAuthority('ec'));
    const [trusted, stranger] = authorities as [TimeStampAuthority, TimeStampAuthority];
    const signature = entries.find(({ name }) => name === 'signature.sig')?.data ?? Buffer.alloc(0);
    await stamp(trusted, signature, 'good');
    await stamp(trusted, Buffer.from('something else'), 'other');
    await stamp(stranger, signature, 'stranger');
    writeFileSync(at('ca.pem'), trusted.ca);
    writeFileSync(at('garbage.tsr'), 'no token');
    const compromised = [{ change: 'COMPROMISED', at: FUTURE, reason: 'x', effective_at: FUTURE }];
    writeFileSync(at('keys.json'), keySetWith({ status: 'REVOKED' }, compromised));
  });
  afterAll(async () => {
    for (const authority of authorities) await authority.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const [key = ''] = KEY.keys;
  const CA = ['--tsa-ca', 'ca.pem'];
  const stamped = (file: string, ...more: string[]): string[] => ['--key', key, '--timestamp', file, ...more];
  const CASES: readonly (readonly [what: string, words: string[], exit: number, code: string | null])[] = [
    ['an answer of an authority that is trusted', stamped('good.tsr', ...CA), 0, null],
    ['the bare token', stamped('good.token', ...CA), 0, null],
    ['an authority that nobody vouched for', stamped('good.tsr'), 4, null],
    ['over other bytes', stamped('other.tsr', ...CA), 1, 'TIMESTAMP_OTHER'],
    ['of another authority', stamped('stranger.tsr', ...CA), 1, 'TIMESTAMP_SIGNATURE'],
    ['no token at all', stamped('garbage.tsr', ...CA), 2, null],
    ['a key compromised later, with no stamp', ['--keys', 'keys.json'], 4, null],
    ['a key compromised later, stamped before', ['--keys', 'keys.json', '--timestamp', 'good.tsr', ...CA], 0, null],
    ['a key compromised later, stamped by nobody known', ['--keys', 'keys.json', '--timestamp', 'good.tsr'], 4, null],
  ];

  describe.each(COMMANDS)('%s', (file, isThere, command) => {
    itUnless(lackOf(isThere, command)).each(CASES)('%s', (_, words, exit, code) => {
      const { status, stdout } = spawnSync(command, [file, 'bundle.zip', '--json', ...words], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(status).toBe(exit);
      if (exit === 2) return;
      const report = JSON.parse(stdout) as {
        readonly breaks: readonly { readonly code: string }[];
        readonly checks: readonly { readonly name: string; readonly status: string }[];
      };
      expect(report.breaks.map((each) => each.code)).toEqual(code === null ? [] : [code]);
      const vouched = words.includes('--timestamp') && words.includes('--tsa-ca');
      const status_ = code !== null ? 'failed' : vouched ? 'ok' : 'not_checked';
      expect(report.checks.find(({ name }) => name === 'timestamp')?.status).toBe(status_);
    });
  });

  it('verify.mjs reports a missing openssl', () => {
    const words = ['verify.mjs', 'bundle.zip', ...stamped('good.tsr', ...CA)];
    const { status, stdout } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', env: { PATH: '' } });
    expect([status, stdout]).toEqual([4, expect.stringContaining('whether its authority signed it was not checked')]);
  });
});
