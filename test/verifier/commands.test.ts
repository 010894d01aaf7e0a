import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { openFileSource } from '../../verifier/node/file-source.js';
import { nodePlatform } from '../../verifier/node/node-platform.js';
import { verifyBundle } from '../../verifier/verify-bundle.js';
import { itUnless, lackOf } from '../support/needs.js';
import { KEY, sealed } from './good-cases.js';
import { draftOf, listFiles, signedEntries } from './make-bundle.js';
import { makeLedger } from './make-ledger.js';
import { completeSpec } from './map-cases.js';
import { HAS_PYTHON } from './verify-kit.js';
import { writeZip } from './zip-writer.js';

let folder = '';
let bundle = '';
let other = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'eas-verify-commands-'));
  bundle = join(folder, 'bundle.zip');
  other = join(folder, 'other.zip');
  const bytes = sealed(completeSpec());
  writeFileSync(bundle, bytes);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(other, bytes);
  const built = spawnSync(process.execPath, [repositoryFile('build/verifier.mjs')], { encoding: 'utf8' });
  expect({ status: built.status, stderr: built.stderr }).toEqual({ status: 0, stderr: '' });
  for (const name of ['verify.mjs', 'verify.py']) cpSync(repositoryFile(`dist/verifier/${name}`), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [key = ''] = KEY.keys;
const run = (command: string, ...words: string[]) => spawnSync(command, words, { cwd: folder, encoding: 'utf8' });
const has = (command: string, ...words: string[]): boolean => spawnSync(command, words).status === 0;
const COMMANDS: readonly (readonly [name: string, isThere: boolean, command: string, file: string])[] = [
  ['verify.mjs', true, process.execPath, 'verify.mjs'],
  ['verify.py', HAS_PYTHON, 'python3', 'verify.py'],
];

describe('the source of a bundle on a disk', () => {
  it('reports the bytes read, which reach the size of the bundle when it is verified', async () => {
    const reports: (readonly [number, number])[] = [];
    const source = await openFileSource(bundle, (done, total) => reports.push([done, total]));
    try {
      await verifyBundle(source, nodePlatform, {});
    } finally {
      await source.close();
    }
    const counts = reports.map(([done]) => done);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(reports.at(-1)).toEqual([source.sizeBytes, source.sizeBytes]);
  });
});

describe.each(COMMANDS)('%s, alone in a folder', (_, isThere, command, file) => {
  const there = itUnless(lackOf(isThere, command));

  there('exits with the code of the verdict', () => {
    const code = (...words: string[]): number | null => run(command, file, ...words).status;
    expect(code(bundle, '--key', key)).toBe(0);
    expect(code(other, '--key', key)).toBe(1);
    expect(code(bundle)).toBe(3);
    expect(code()).toBe(2);
    expect(code(bundle, '--nonsense')).toBe(2);
    expect(code(bundle, '--key', 'short')).toBe(2);
    expect(code(bundle, '--keys', 'missing.json')).toBe(2);
    expect(code(join(folder, 'missing.zip'))).toBe(2);
    expect(code('--help')).toBe(0);
  });

  there('prints the verdict, each break and the skipped checks as text', () => {
    const good = run(command, file, bundle, '--key', key).stdout;
    expect(good).toContain('\nVALID: ');
    expect(good).toMatch(/\ncomplete: (\d+) of \1 events of this member at checkpoint 121: M-0\n/);
    expect(good).toContain('Not checked:');
    const bad = run(command, file, other).stdout;
    expect(bad).toContain('\nBreaks:\n');
    expect(bad).toContain('\nINVALID: ');
  });

  there('prints the whole report as JSON', () => {
    const report = JSON.parse(run(command, file, bundle, '--json').stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      schema: 'eas.verification-report/v1',
      verdict: 'INTEGRITY_ONLY',
      exit_code: 3,
      breaks: [],
    });
    expect(report['checks']).toHaveLength(15);
    expect(report['completeness']).toMatchObject({ tree_size: 121, logs: [{ id: 'M-0' }, { id: 'M-1' }] });
    expect(report['not_checked']).not.toHaveLength(0);
  });
});

describe('verify.mjs', () => {
  it('verifies many records in worker threads, and names the changed one', () => {
    const ledger = makeLedger({ seed: 5, entries: 8000 });
    const spec = { ledger, events: Array.from({ length: 8000 }, (_, i) => i) };
    writeFileSync(join(folder, 'many.zip'), sealed(spec));
    expect(run(process.execPath, 'verify.mjs', 'many.zip', '--key', key).status).toBe(0);
    const draft = draftOf(spec);
    const lines = draft.files.get('events.jsonl')?.toString('utf8').split('\n') ?? [];
    lines[7500] = (lines[7500] ?? '').replace('DENIED', 'APPROVED');
    draft.files.set('events.jsonl', Buffer.from(lines.join('\n')));
    listFiles(draft);
    writeFileSync(join(folder, 'many.zip'), writeZip(signedEntries(draft)));
    const report = JSON.parse(run(process.execPath, 'verify.mjs', 'many.zip', '--json').stdout) as {
      readonly breaks: readonly { readonly code: string; readonly subject: string }[];
    };
    expect(report.breaks.map(({ code, subject }) => `${code} ${Number(subject.slice(4))}`).sort()).toEqual([
      'COMMIT_MISMATCH 7500',
      'EVENT_HASH 7500',
      'FIELDS_MISMATCH 7500',
    ]);
  });

  it('is built to the same bytes on every machine', () => {
    const first = readFileSync(join(folder, 'verify.mjs'));
    const again = spawnSync(process.execPath, [repositoryFile('build/verifier.mjs')], {
      cwd: folder,
      env: { ...process.env, TZ: 'Asia/Kolkata', LANG: 'tr_TR.UTF-8' },
    });
    expect(again.status).toBe(0);
    expect(readFileSync(repositoryFile('dist/verifier/verify.mjs')).equals(first)).toBe(true);
    expect(first.toString('utf8')).not.toContain(repositoryFile('').replace(/\/$/, ''));
  });

  it('imports no package and contacts no host', () => {
    const text = readFileSync(join(folder, 'verify.mjs'), 'utf8');
    const wanted = [...text.matchAll(/^import .* from "([^"]+)"/gm)].map(([, name = '']) => name);
    expect(wanted.length).toBeGreaterThan(2);
    expect(
      wanted.filter(
        (name) => !/^node:(buffer|crypto|zlib|fs\/promises|child_process|os|path|worker_threads|url)$/.test(name),
      ),
    ).toEqual([]);
  });
});

const hasTools = HAS_PYTHON && has('unzip', '-v') && has('sha256sum', '--version') && has('bash', '--version');

describe('the stock tools of README.txt', () => {
  itUnless(lackOf(hasTools, 'unzip, openssl, sha256sum or bash'))(
    'unzip, openssl and sha256sum accept a good bundle',
    () => {
      const readme = readFileSync(repositoryFile('verifier/shipped/README.txt'), 'utf8');
      const part = readme.slice(readme.indexOf('2. With stock tools'), readme.indexOf('3. What stands where'));
      const commands = part
        .split('\n')
        .filter((line) => /^ {3}(unzip|python3|openssl) /.test(line))
        .map((line) => line.trim());
      expect(commands).toHaveLength(6);
      const script = `set -e -o pipefail\n${commands.join('\n')}\n`.replaceAll('BUNDLE.zip', 'bundle.zip');
      const { status, stdout, stderr } = run('bash', '-c', script);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain('No errors detected');
      expect(stdout).toContain('Signature Verified Successfully');
      expect(stdout).toContain(`\n${key}\n`);
      expect(stdout.match(/: OK$/gm)?.length).toBeGreaterThan(8);
    },
  );
});
