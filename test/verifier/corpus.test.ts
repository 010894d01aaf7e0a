import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { nodePlatform } from '../../verifier/node/node-platform.js';
import { verifyBundle } from '../../verifier/verify-bundle.js';
import { allCases, type Case } from './cases.js';
import { HAS_PYTHON, optionsOf, sourceOf, wordsOf } from './verify-kit.js';

// Good and bad bundles that a seeded maker and mutator wrote: what each must be is known by construction, and two
// verifiers that share no code must both say it.

let folder = '';
let cases: Case[] = [];
const node = new Map<string, { readonly exit: number; readonly verdict: string; readonly codes: readonly string[] }>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'eas-corpus-'));
  cases = allCases();
  for (const { name, bundle, options } of cases) {
    const { exit_code, verdict, breaks } = await verifyBundle(sourceOf(bundle), nodePlatform, optionsOf(options));
    node.set(name, { exit: exit_code, verdict, codes: [...new Set(breaks.map(({ code }) => code))].sort() });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the corpus', () => {
  test('has no less than 200 bundles, each under a name of its own', () => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    expect(cases.filter(({ verdict }) => verdict !== 'INVALID').length).toBeGreaterThanOrEqual(50);
  });

  test('is judged as it was made, and the break that was made is named', () => {
    const wrong = cases.flatMap(({ name, verdict, code }) => {
      const found = node.get(name);
      const named = code === undefined || found?.codes.includes(code);
      return found?.verdict === verdict && named ? [] : [{ name, verdict, code, found }];
    });
    expect(wrong).toEqual([]);
  });

  (HAS_PYTHON ? test : test.skip)(
    'is judged alike by the verifier in Python: verdict, exit code and breaks',
    () => {
      const lines = cases.map((one, i) => {
        const path = join(folder, `${i}.zip`);
        writeFileSync(path, one.bundle);
        return JSON.stringify(wordsOf(one, path));
      });
      const words = [repositoryFile('test/verifier/run-cases.py'), repositoryFile('verifier/shipped/verify.py')];
      const { stdout, stderr } = spawnSync('python3', words, {
        input: lines.join('\n'),
        encoding: 'utf8',
        maxBuffer: 1 << 26,
      });
      const answers = stdout.trimEnd().split('\n');
      expect({ count: answers.length, stderr }).toEqual({ count: cases.length, stderr: '' });
      const differing = cases.flatMap(({ name }, i) => {
        const python = JSON.parse(answers[i] ?? 'null') as unknown;
        const ours = node.get(name);
        return JSON.stringify(python) === JSON.stringify(ours) ? [] : [{ name, python, ours }];
      });
      expect(differing).toEqual([]);
    },
    240_000,
  );
});
