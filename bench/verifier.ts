import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFile } from '../app/repository.js';
import { draftOf, listFiles, signedEntries } from '../test/verifier/make-bundle.js';
import { makeLedger } from '../test/verifier/make-ledger.js';
import { writeZip } from '../test/verifier/zip-writer.js';
import { openFileSource } from '../verifier/node/file-source.js';
import { nodePlatform } from '../verifier/node/node-platform.js';
import { verifyBundle } from '../verifier/verify-bundle.js';
import { writeLargeBundle } from './support/large-bundle.js';
import { type Figure, type Ratio, ratioOf } from './support/measure.js';

const ROUNDS = 9;
const MEMBER = { events: 1_000, documents: 20, documentBytes: 2_500_000 };
/** The aim is a million in twelve seconds; a part of them tells the same rate. */
const AIM_PER_SECOND = 1_000_000 / 12;
const MANY_EVENTS = Number(process.argv.find((word) => word.startsWith('--events='))?.slice(9) ?? 100_000);

function bundleOf(events: number, documents: number, documentBytes: number): Buffer {
  const draft = draftOf({
    ledger: makeLedger({ seed: 1, entries: events }),
    events: Array.from({ length: events }, (_, i) => i),
    documents: Array.from({ length: documents }, (_, i) => Buffer.alloc(documentBytes, `document ${i}`)),
  });
  listFiles(draft);
  return writeZip(signedEntries(draft));
}

const seconds = async (work: () => Promise<void>): Promise<number> => {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
};

/** Verification against the bare loop: every byte of the archive read and hashed once. */
export async function benchVerifier(): Promise<{ readonly ratio: Ratio; readonly figure: Figure }> {
  const folder = mkdtempSync(join(tmpdir(), 'eas-bench-verifier-'));
  try {
    return { ratio: await memberRatio(join(folder, 'member.zip')), figure: await manyEvents(join(folder, 'many.zip')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function memberRatio(path: string): Promise<Ratio> {
  const { events, documents, documentBytes } = MEMBER;
  writeFileSync(path, bundleOf(events, documents, documentBytes));
  const pairs: [number, number][] = [];
  // The first round is not counted: code is compiled.
  for (let round = 0; round <= ROUNDS; round++) {
    const source = await openFileSource(path);
    const ours = await seconds(async () => {
      const { verdict, breaks } = await verifyBundle(source, nodePlatform);
      if (verdict !== 'INTEGRITY_ONLY') throw new Error(`the bundle of the benchmark must verify: ${breaks[0]?.code}`);
    });
    const bare = await seconds(async () => {
      const hash = createHash('sha256');
      for (let at = 0; at < source.sizeBytes; at += 2 ** 20) {
        hash.update(await source.read(at, Math.min(2 ** 20, source.sizeBytes - at)));
      }
      hash.digest();
    });
    await source.close();
    if (round > 0) pairs.push([1 / ours, 1 / bare]);
  }
  const name = `verifier: ${events} events and ${(documents * documentBytes) / 1e6} MB of documents / bare SHA-256 of the archive`;
  return ratioOf(name, 0.6, pairs, []);
}

/** The command itself, start included. */
async function manyEvents(path: string): Promise<Figure> {
  await writeLargeBundle(path, MANY_EVENTS);
  const command = repositoryFile('dist/verifier/verify.mjs');
  const values = Array.from({ length: 3 }, () => {
    const from = performance.now();
    const { status } = spawnSync(process.execPath, [command, path]);
    if (status !== 3) throw new Error('the bundle of the benchmark must verify');
    return MANY_EVENTS / ((performance.now() - from) / 1000);
  });
  return {
    name: `verifier: the command over ${MANY_EVENTS} events`,
    unit: 'events/s',
    aim: AIM_PER_SECOND,
    values,
    lines: [`1,000,000 events would take ${(1_000_000 / Math.max(...values)).toFixed(1)} s at best`],
  };
}
