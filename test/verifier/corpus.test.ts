import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { nodePlatform } from '../../verifier/node/node-platform.js';
import { browserPlatform } from '../../verifier/page/browser-platform.js';
import { verifyBundle } from '../../verifier/verify-bundle.js';
import { itUnless, lackOf } from '../support/needs.js';
import { allCases, type Case } from './cases.js';
import { KEY, specWithDocuments } from './good-cases.js';
import { draftOf, listFiles, signedEntries } from './make-bundle.js';
import { vectorText } from './vector-bundles.js';
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
  it('has at least 400 bundles, each under a unique name', () => {
    expect(cases.length).toBeGreaterThanOrEqual(400);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    expect(cases.filter(({ verdict }) => verdict !== 'INVALID').length).toBeGreaterThanOrEqual(50);
  });

  it('gets the expected verdicts, and each planted break is named', () => {
    const wrong = cases.flatMap(({ name, verdict, code }) => {
      const found = node.get(name);
      const named = code === undefined || found?.codes.includes(code);
      return found?.verdict === verdict && named ? [] : [{ name, verdict, code, found }];
    });
    expect(wrong).toEqual([]);
  });

  itUnless(lackOf(HAS_PYTHON, 'python3'))(
    'gets the same verdict, exit code and breaks from the verifier in Python',
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

describe('docs/evidence-vectors/bundles.json', () => {
  it('holds the small bundles of the corpus, which verify as it says', () => {
    expect(readFileSync(repositoryFile('docs/evidence-vectors/bundles.json'), 'utf8')).toBe(vectorText());
  });
});

/** The largest document that is hashed whole. */
const MOST_ASIDE_BYTES = 8 * 2 ** 20;
/** Sizes at and around the limits between which documents are hashed whole in parallel. */
const DOCUMENT_SIZES = [2 ** 16 - 1, 2 ** 16, MOST_ASIDE_BYTES - 1, MOST_ASIDE_BYTES, MOST_ASIDE_BYTES + 1, 100];

function entriesWithDocuments(sizes = DOCUMENT_SIZES): WrittenEntry[] {
  const documents = sizes.map((size, i) => Buffer.alloc(size, `document ${i}`));
  const draft = draftOf(specWithDocuments(documents));
  listFiles(draft);
  return signedEntries(draft);
}

describe.each([
  ['Node', nodePlatform],
  ['a browser', browserPlatform],
])('documents of every size, on the platform of %s', (_, platform) => {
  const breaksOf = async (bundle: Buffer) =>
    (await verifyBundle(sourceOf(bundle), platform, KEY)).breaks.map(({ code, subject }) => `${code} ${subject}`);

  it('are accepted', async () => {
    expect(await breaksOf(writeZip(entriesWithDocuments()))).toEqual([]);
  });

  it('are rejected if one bit differs, with or without a corrected CRC', async () => {
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

/** A source with asynchronous reads that fails each read of the given length. */
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

it.each([
  ['a document', 'documents/', 5],
  ['the manifest', 'manifest.json', 0],
  ['events, while many documents are still to be read', 'events.jsonl', 4],
])('ends the verification at an unreadable file, and reads nothing after it: %s', async (_, name, at) => {
  const entries = entriesWithDocuments(Array.from({ length: 60 }, (_, i) => 2 ** 16 + i));
  const unreadable = entries[at];
  expect(unreadable?.name).toContain(name);
  const { source, reads } = failing(writeZip(entries), unreadable?.data.length ?? 0);
  await expect(verifyBundle(source, nodePlatform, KEY)).rejects.toThrow(DISK_GONE);
  const { count } = reads;
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  expect(reads.count).toBe(count);
});
