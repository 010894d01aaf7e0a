import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFile } from '../app/repository.js';
import { documentAct, documentIdOf } from '../test/verifier/made-acts.js';
import { draftOf, listFiles, signedEntries } from '../test/verifier/make-bundle.js';
import { type Act, makeLedger } from '../test/verifier/make-ledger.js';
import { withMap } from '../test/verifier/make-map.js';
import { writeZip } from '../test/verifier/zip-writer.js';
import { openFileSource } from '../verifier/node/file-source.js';
import { nodePlatform } from '../verifier/node/node-platform.js';
import { verifyBundle } from '../verifier/verify-bundle.js';
import { writeLargeBundle } from './support/large-bundle.js';
import { atLeast, type Figure, type Ratio, type Results, ratioOf } from './support/measure.js';

const ROUNDS = 9;
const MEMBER = { events: 1_000, documents: 20, documentBytes: 2_500_000 };
/** The aim is a million events in twelve seconds; a smaller number gives the same rate. */
const AIM_PER_SECOND = 1_000_000 / 12;
const MANY_EVENTS = Number(process.argv.find((word) => word.startsWith('--events='))?.slice(9) ?? 100_000);

function bundleOf(events: number, documents: number, documentBytes: number): Buffer {
  const contents = Array.from({ length: documents }, (_, i) => Buffer.alloc(documentBytes, `document ${i}`));
  const draft = draftOf({
    ledger: withMap(makeLedger({ seed: 1, entries: events + documents, own: factsOf(events, contents) })),
    events: Array.from({ length: events }, (_, i) => i),
    documents: contents,
    scope: { member_ids: ['M-0', 'M-1', 'M-2'] },
  });
  listFiles(draft);
  return writeZip(signedEntries(draft));
}

const factsOf = (from: number, contents: readonly Buffer[]): Map<number, Act> =>
  new Map(contents.map((content, i) => [from + i, documentAct(documentIdOf(content), content)]));

const seconds = async (work: () => Promise<void>): Promise<number> => {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
};

/** Compares verification with a bare loop that reads and hashes every byte of the archive once. */
export async function benchVerifier(): Promise<Results> {
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
  // The first round compiles the code and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    const source = await openFileSource(path, () => {});
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

/** Runs the command, including its start. */
async function manyEvents(path: string): Promise<Figure> {
  await writeLargeBundle(path, MANY_EVENTS);
  const command = repositoryFile('dist/verifier/verify.mjs');
  const values = Array.from({ length: 3 }, () => {
    const from = performance.now();
    const { status } = spawnSync(process.execPath, [command, path]);
    if (status !== 3) throw new Error('the bundle of the benchmark must verify');
    return MANY_EVENTS / ((performance.now() - from) / 1000);
  });
  return atLeast(`verifier: the command over ${MANY_EVENTS} events`, 'events/s', AIM_PER_SECOND, values, [
    `1,000,000 events would take ${(1_000_000 / Math.max(...values)).toFixed(1)} s at best`,
  ]);
}
