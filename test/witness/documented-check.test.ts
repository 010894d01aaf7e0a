import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { TreeView } from '../../shared/merkle/tree-view.js';
import { formatCheckpoint, formatTlogProof } from '../../shared/notes/checkpoint.js';
import { COSIGNATURE_V1, verifierText } from '../../shared/notes/note-keys.js';
import { formatNote } from '../../shared/notes/signed-note.js';
import { MemoryTiles } from '../shared/merkle/memory-tiles.js';
import { entries, entry } from '../shared/merkle/reference-tree.js';
import { Signer } from '../shared/notes/signer.js';
import { itUnless, lackOf } from '../support/needs.js';

// The program of docs/checkpoints.md, as a reader would copy it; skipped by name where Python or openssl is absent.

const has = (command: string): boolean => spawnSync(command, ['--help']).error === undefined;
const withTools = itUnless(lackOf(has('python3') && has('openssl'), 'python3 or openssl'));

const ORIGIN = 'eas.example/eas/log_1/inc-1';
const log = new Signer(ORIGIN, 1);
const witness = new Signer('witness.example/w1', 2, COSIGNATURE_V1);
const SIZE = 300;
const view = new TreeView(new MemoryTiles(entries(SIZE)));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'documented-'));
  const page = await readFile(repositoryFile('docs/checkpoints.md'), 'utf8');
  const program = /```python\n([\s\S]*?)```/.exec(page)?.[1];
  if (program === undefined) throw new Error('docs/checkpoints.md holds no program');
  await writeFile(join(folder, 'check.py'), program);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function proofOf(index: number): Promise<string> {
  const text = formatCheckpoint({ origin: ORIGIN, size: SIZE, root: await view.rootAt(SIZE) });
  const checkpoint = formatNote({ text, signatures: [log.sign(text), witness.cosign(text, 1_772_460_670)] });
  return formatTlogProof({ index, hashes: await view.inclusionProof(index, SIZE), checkpoint });
}

async function check(proof: string, of: Uint8Array, verifier = verifierText(log.key)) {
  const path = join(folder, 'proof.tlog-proof');
  await writeFile(path, proof);
  const entryHash = Buffer.from(of).toString('hex');
  const run = spawnSync('python3', [join(folder, 'check.py'), path, entryHash, verifier]);
  return { status: run.status, said: run.stdout.toString() };
}

describe('the documented way to check a proof without the service', () => {
  withTools('accepts a valid proof', async () => {
    for (const index of [0, 1, 170, 256, SIZE - 1]) {
      const told = await check(await proofOf(index), entry(index));
      expect(told).toEqual({ status: 0, said: `entry ${index} of ${SIZE} in ${ORIGIN}\n` });
    }
  });

  withTools('rejects an invalid proof', async () => {
    const good = await proofOf(170);
    const stranger = new Signer(ORIGIN, 3);
    expect((await check(good, entry(171))).status).not.toBe(0);
    expect((await check(good.replace('index 170', 'index 171'), entry(170))).status).not.toBe(0);
    expect((await check(good.replace(`\n${SIZE}\n`, `\n${SIZE + 1}\n`), entry(170))).status).not.toBe(0);
    expect((await check(good, entry(170), verifierText(stranger.key))).status).not.toBe(0);
    const shorter = good.replace(/(index 170\n).*\n/, '$1');
    expect((await check(shorter, entry(170))).status).not.toBe(0);
  });
});
