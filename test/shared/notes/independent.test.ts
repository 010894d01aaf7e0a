import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { leafHash } from '../../../shared/merkle/hashes.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { verifyConsistency, verifyInclusion } from '../../../shared/merkle/verify-proofs.js';
import { formatCheckpoint } from '../../../shared/notes/checkpoint.js';
import { parseVerifier, verifierText } from '../../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { formatNote } from '../../../shared/notes/signed-note.js';
import { itUnless, lackOf } from '../../support/needs.js';
import { MemoryTiles } from '../merkle/memory-tiles.js';
import { entries, entry } from '../merkle/reference-tree.js';
import { Signer } from './signer.js';

// Ours and the Go checksum database's (golang.org/x/mod/sumdb) judge each other. Where there is no Go, or its module is not
// to be had, the tests are skipped by name.

const SIZES = [1, 2, 3, 7, 8, 63, 64, 65, 200, 256, 257, 600];
const LARGEST = 300;
const FOLDER = repositoryFile('test/shared/notes/independent');

interface RecordProof {
  readonly index: number;
  readonly size: number;
  readonly root: string;
  readonly hashes: readonly string[];
}
interface TreeProof {
  readonly first: number;
  readonly first_root: string;
  readonly second: number;
  readonly second_root: string;
  readonly hashes: readonly string[];
}
interface Verdict {
  readonly note_text: string;
  readonly faults: readonly string[];
  readonly roots: readonly string[];
  readonly records: readonly RecordProof[];
  readonly trees: readonly TreeProof[];
  readonly verifier: string;
  readonly note: string;
}

const hasGo =
  spawnSync('go', ['build', '-o', process.platform === 'win32' ? 'NUL' : '/dev/null', '.'], {
    cwd: FOLDER,
    timeout: 120_000,
  }).status === 0;
const withGo = itUnless(lackOf(hasGo, 'go with golang.org/x/mod'));

const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => Buffer.from(hash).toString('hex'));
const bytes = (text: string): Buffer => Buffer.from(text, 'hex');

const log = new Signer('ours.example/log', 5);
const view = new TreeView(new MemoryTiles(entries(600)));
let sent: { readonly records: RecordProof[]; readonly trees: TreeProof[] };
let text: string;
let verdict: Verdict;

async function ours(): Promise<typeof sent> {
  const [records, trees]: [RecordProof[], TreeProof[]] = [[], []];
  for (const size of SIZES) {
    const root = (await view.rootAt(size)).toString('hex');
    for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
      records.push({ index, size, root, hashes: hex(await view.inclusionProof(index, size)) });
    }
    for (const first of SIZES.filter((each) => each <= size)) {
      const first_root = (await view.rootAt(first)).toString('hex');
      const hashes = hex(await view.consistencyProof(first, size));
      trees.push({ first, first_root, second: size, second_root: root, hashes });
    }
  }
  return { records, trees };
}

beforeAll(async () => {
  if (!hasGo) return;
  sent = await ours();
  text = formatCheckpoint({ origin: log.name, size: 600, root: await view.rootAt(600) });
  const note = formatNote({ text, signatures: [log.sign(text)] });
  const input = JSON.stringify({ ...sent, note, verifier: verifierText(log.key), largest: LARGEST });
  const run = spawnSync('go', ['run', '.'], { cwd: FOLDER, input, timeout: 120_000 });
  if (run.status !== 0) throw new Error(`the Go program failed: ${run.stderr}`);
  verdict = JSON.parse(run.stdout.toString()) as Verdict;
}, 240_000);

describe('the Go checksum database', () => {
  withGo('accepts the service’s note and all of its proofs', () => {
    expect(verdict.note_text).toBe(text);
    expect(sent.records.length + sent.trees.length).toBeGreaterThan(100);
    expect(verdict.faults).toEqual([]);
  });

  withGo('computes the same roots', async () => {
    for (const [i, root] of verdict.roots.entries()) expect((await view.rootAt(i + 1)).toString('hex')).toBe(root);
  });

  withGo('makes the same proofs, and the service accepts them', async () => {
    for (const { index, size, root, hashes } of verdict.records) {
      expect(hex(await view.inclusionProof(index, size))).toEqual(hashes);
      const claim = { leaf: leafHash(entry(index)), index, size, root: bytes(root), proof: hashes.map(bytes) };
      expect(verifyInclusion(claim)).toBe(true);
    }
    for (const { first, first_root, second, second_root, hashes } of verdict.trees) {
      const roots = { firstRoot: bytes(first_root), secondRoot: bytes(second_root) };
      expect(hex(await view.consistencyProof(first, second))).toEqual(hashes);
      expect(verifyConsistency({ first, second, ...roots, proof: hashes.map(bytes) })).toBe(true);
    }
  });

  withGo('signs notes that the service opens', () => {
    const key = parseVerifier(verdict.verifier);
    expect(openCheckpoint(verdict.note, { logKeys: [key], origin: 'go.example/log' }).size).toBe(LARGEST);
  });
});
