import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ed25519Sign } from '../../shared/crypto/ed25519.js';
import { EMPTY_ROOT } from '../../shared/merkle/hashes.js';
import { formatCheckpoint } from '../../shared/notes/checkpoint.js';
import { COSIGNATURE_V1 } from '../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../shared/notes/open-checkpoint.js';
import { formatNote } from '../../shared/notes/signed-note.js';
import { formatWitnessRequest } from '../../shared/notes/witness-request.js';
import { Witness } from '../../witness/add-checkpoint.js';
import { stateFiles } from '../../witness/state-files.js';
import { Signer } from '../shared/notes/signer.js';
import { ORIGIN, StandInLog } from './log-stand-in.js';

const witnessKey = new Signer('witness.example/w1', 50, COSIGNATURE_V1);
const NOW_MS = 1_772_460_670_500;
const log = new StandInLog(40);
/** The same log as another client sees it: the same first 10 entries, then another history. */
const fork = new StandInLog(40, { fork: 'x', forkAt: 10 });
let folder: string;
let next = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witness-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function witnessIn(dir: string): Promise<Witness> {
  return new Witness({
    key: witnessKey.key,
    sign: (message) => ed25519Sign(witnessKey.seed, message),
    nowMs: () => NOW_MS,
    state: await stateFiles(dir),
    logs: new Map([[ORIGIN, [log.signer.key]]]),
  });
}
const newDir = (): string => join(folder, String(next++));
/** A witness that has cosigned the log's tree of this size. */
async function seenUpTo(size: number): Promise<Witness> {
  const witness = await witnessIn(newDir());
  expect((await witness.addCheckpoint(await log.request(0, size))).status).toBe(200);
  return witness;
}

describe('a witness', () => {
  it('cosigns a log from its first checkpoint on, while it only grows', async () => {
    const witness = await witnessIn(newDir());
    for (const [from, to] of [
      [0, 7],
      [7, 7],
      [7, 8],
      [8, 32],
      [32, 40],
    ] as const) {
      const answer = await witness.addCheckpoint(await log.request(from, to));
      expect(answer).toMatchObject({ status: 200 });
      const trust = { logKeys: [log.signer.key], witnesses: [witnessKey.key], quorum: 1 };
      const opened = openCheckpoint((await log.note(to)) + answer.body, trust);
      expect(opened).toMatchObject({ size: to, witnesses: ['witness.example/w1'] });
    }
  });

  it('returns the size it has seen to a client with another one', async () => {
    const witness = await seenUpTo(12);
    for (const oldSize of [0, 11, 13]) {
      const answer = await witness.addCheckpoint(await log.request(oldSize, 20));
      expect(answer).toEqual({ status: 409, body: '12\n', contentType: 'text/x.tlog.size' });
    }
  });

  it('cosigns no split view', async () => {
    const witness = await seenUpTo(12);
    expect((await witness.addCheckpoint(await fork.request(12, 20))).status).toBe(422);
    // Another tree of the same size, and a proof that is of the honest one.
    expect((await witness.addCheckpoint(await fork.request(12, 12))).status).toBe(409);
    const honestProof = await log.proof(12, 20);
    const mixed = formatWitnessRequest({ oldSize: 12, proof: honestProof, checkpoint: await fork.note(20) });
    expect((await witness.addCheckpoint(mixed)).status).toBe(422);
    expect((await witness.addCheckpoint(await log.request(12, 20))).status).toBe(200);
  });

  it('rejects a stale note, and keeps its state', async () => {
    const witness = await seenUpTo(20);
    expect(await witness.addCheckpoint(await log.request(12, 15))).toMatchObject({ status: 409, body: '20\n' });
    expect(await witness.addCheckpoint(await log.request(20, 15))).toMatchObject({ status: 400 });
    expect(await witness.addCheckpoint(await log.request(0, 15))).toMatchObject({ status: 409, body: '20\n' });
  });

  it('rejects one more entry under the same root', async () => {
    const witness = await seenUpTo(12);
    const text = (await log.text(12)).replace('\n12\n', '\n13\n');
    const checkpoint = formatNote({ text, signatures: [log.signer.sign(text)] });
    for (const proof of [[], await log.proof(12, 13), await log.proof(11, 12)]) {
      const answer = await witness.addCheckpoint(formatWitnessRequest({ oldSize: 12, proof, checkpoint }));
      expect(answer.status).toBe(422);
    }
  });

  it('identifies its logs by origin and key', async () => {
    const witness = await witnessIn(newDir());
    const elsewhere = new StandInLog(5, { origin: 'eas.example/eas/log_2/inc-1' });
    expect((await witness.addCheckpoint(await elsewhere.request(0, 5))).status).toBe(404);
    const forged = new StandInLog(5, { key: 99 });
    expect((await witness.addCheckpoint(await forged.request(0, 5))).status).toBe(403);
    // Signed by a log that it knows, and about another one.
    const text = (await log.text(5)).replace(ORIGIN, 'eas.example/eas/log_2/inc-1');
    const checkpoint = formatNote({ text, signatures: [log.signer.sign(text)] });
    const wrongOrigin = formatWitnessRequest({ oldSize: 0, proof: [], checkpoint });
    expect((await witness.addCheckpoint(wrongOrigin)).status).toBe(404);
    // The text was changed after it was signed.
    const changed = (await log.request(0, 5)).replace('\n5\n', '\n6\n');
    expect((await witness.addCheckpoint(changed)).status).toBe(403);
  });

  it('rejects an invalid request', async () => {
    const witness = await witnessIn(newDir());
    const good = await log.request(0, 5);
    for (const bad of ['', 'old 0\n', good.replace('old 0', 'old x'), good.replace('\u2014', '-')]) {
      expect((await witness.addCheckpoint(bad)).status).toBe(400);
    }
    expect((await witness.addCheckpoint(good.replace('old 0\n', `old 0\n${'A'.repeat(43)}=\n`))).status).toBe(422);
    const empty = formatCheckpoint({ origin: ORIGIN, size: 0, root: EMPTY_ROOT });
    const emptyNote = formatNote({ text: empty, signatures: [log.signer.sign(empty)] });
    const ofNothing = formatWitnessRequest({ oldSize: 0, proof: [], checkpoint: emptyNote });
    expect((await witness.addCheckpoint(ofNothing)).status).toBe(200);
  });

  it('remembers its state over a restart, and does not cosign without it', async () => {
    const dir = newDir();
    expect((await (await witnessIn(dir)).addCheckpoint(await log.request(0, 12))).status).toBe(200);
    const again = await witnessIn(dir);
    expect(await again.addCheckpoint(await fork.request(0, 20))).toMatchObject({ status: 409, body: '12\n' });
    expect((await again.addCheckpoint(await log.request(12, 20))).status).toBe(200);
    const [file] = await readdir(dir);
    await writeFile(join(dir, file ?? ''), 'spoilt');
    await expect((await witnessIn(dir)).addCheckpoint(await log.request(0, 30))).rejects.toThrow('cannot be read');
  });

  it('accepts one of many concurrent requests, and never moves back', async () => {
    const witness = await seenUpTo(10);
    const sizes = [20, 15, 30, 11, 40, 12];
    const answers = await Promise.all(sizes.map(async (size) => witness.addCheckpoint(await log.request(10, size))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const told = new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body));
    expect(told.size).toBe(1);
    const [now] = [...told];
    expect(sizes).toContain(Number(now));
  });

  it('signs nothing that it could not store', async () => {
    const state = {
      seen: async () => null,
      remember: async () => Promise.reject(new Error('the disk is full')),
    };
    let signed = 0;
    const sign = (message: Uint8Array): Buffer => {
      signed++;
      return ed25519Sign(witnessKey.seed, message);
    };
    const logs = new Map([[ORIGIN, [log.signer.key]]]);
    const witness = new Witness({ key: witnessKey.key, sign, nowMs: () => NOW_MS, state, logs });
    await expect(witness.addCheckpoint(await log.request(0, 5))).rejects.toThrow('the disk is full');
    expect(signed).toBe(0);
  });
});
