import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { MOST_ASIDE_BYTES } from '../../verifier/archive/aside-digests.js';
import { nodePlatform } from '../../verifier/node/node-platform.js';
import { browserPlatform } from '../../verifier/page/browser-platform.js';
import { verifyBundle } from '../../verifier/verify-bundle.js';
import { allCases, type Case } from './cases.js';
import { KEY, standardSpec } from './good-cases.js';
import { draftOf, listFiles, signedEntries } from './make-bundle.js';
import { HAS_PYTHON, optionsOf, sourceOf, wordsOf } from './verify-kit.js';
import { type WrittenEntry, writeZip } from './zip-writer.js';

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

/** Where documents begin and cease to be hashed whole and beside the rest, and what lies on either side. */
const DOCUMENT_SIZES = [2 ** 16 - 1, 2 ** 16, MOST_ASIDE_BYTES - 1, MOST_ASIDE_BYTES, MOST_ASIDE_BYTES + 1, 100];

function entriesWithDocuments(sizes = DOCUMENT_SIZES): WrittenEntry[] {
  const documents = sizes.map((size, i) => Buffer.alloc(size, `document ${i}`));
  const draft = draftOf({ ...standardSpec(), documents });
  listFiles(draft);
  return signedEntries(draft);
}

describe.each([
  ['Node', nodePlatform],
  ['a browser', browserPlatform],
])('documents of every size, on the means of %s', (_, platform) => {
  const breaksOf = async (bundle: Buffer) =>
    (await verifyBundle(sourceOf(bundle), platform, KEY)).breaks.map(({ code, subject }) => `${code} ${subject}`);

  test('are found true', async () => {
    expect(await breaksOf(writeZip(entriesWithDocuments()))).toEqual([]);
  });

  test('are found false by one bit, whether the CRC was put right or not', async () => {
    const entries = entriesWithDocuments();
    const archive = writeZip(entries);
    const documents = entries.filter(({ name }) => String(name).startsWith('documents/'));
    expect(documents.map(({ data }) => data.length)).toEqual(DOCUMENT_SIZES);
    for (const { name, data } of documents) {
      const flipped = Buffer.from(data);
      flipped[data.length - 1] = (flipped[data.length - 1] ?? 0) ^ 0x10;
      const told = [`FILE_HASH ${name}`, `DOCUMENT_HASH ${name}`];
      const sealedAnew = writeZip(entries.map((one) => (one.name === name ? { ...one, data: flipped } : one)));
      expect((await breaksOf(sealedAnew)).sort()).toEqual(told.toSorted());
      const damaged = Buffer.from(archive);
      flipped.copy(damaged, archive.indexOf(data));
      expect((await breaksOf(damaged)).sort()).toEqual([`ZIP_CRC ${name}`, ...told].sort());
    }
  });
});

const DISK_GONE = 'the disk is gone';

/** A source whose reads take turns, of which those of that length fail. */
function failing(bundle: Buffer, failingLength: number) {
  const whole = sourceOf(bundle);
  const reads = { count: 0 };
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    reads.count++;
    await new Promise(setImmediate);
    if (length === failingLength) throw new Error(DISK_GONE);
    return whole.read(offset, length);
  };
  return { source: { sizeBytes: whole.sizeBytes, read }, reads };
}

test.each([
  ['a document', 'documents/', 4],
  ['the manifest', 'manifest.json', 0],
  ['events, while many documents are still to be read', 'events.jsonl', 3],
])('what cannot be read ends the verification, and nothing is read after its end: %s', async (_, name, at) => {
  const entries = entriesWithDocuments(Array.from({ length: 60 }, (_, i) => 2 ** 16 + i));
  const unreadable = entries[at];
  expect(unreadable?.name).toContain(name);
  const { source, reads } = failing(writeZip(entries), unreadable?.data.length ?? 0);
  await expect(verifyBundle(source, nodePlatform, KEY)).rejects.toThrow(DISK_GONE);
  const { count } = reads;
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  expect(reads.count).toBe(count);
});
