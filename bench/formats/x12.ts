import { createReadStream } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { x12Adapter } from '../../subgraphs/ledger/formats/x12/index.js';
import { type Results, ratioOf } from '../support/measure.js';
import { fileBytes, OPTIONS, readingOf, readWithAdapter, withFile } from './reading.js';
import { syntheticTransaction, type X12Kind } from './x12-fixture.js';

/** Because the machine is shared, counts the best of several rounds of alternating readers. */
const rounds = 5;
/** By kind: an 835 has fewer segments a claim, so that its events cost more of its time. */
const aims: Readonly<Record<X12Kind, number>> = { '837': 3, '835': 1.5 };

/** Reads one file with our adapter (with mapping, hashes and acknowledgement), with x12-parser and with node-x12 as a stream. */
export async function benchX12(kind: X12Kind): Promise<Results> {
  let claims = 0;
  const textOf = (n: number): string => {
    const transaction = syntheticTransaction(n + 1, kind);
    claims += transaction.claims;
    return transaction.text;
  };
  const [x12Parser, nodeX12] = [await parserOf('x12-parser', 'X12parser'), await parserOf('node-x12', 'X12Parser')];
  if (x12Parser === null) {
    process.stdout.write(`\nX12 ${kind}: skipped, x12-parser is not installed\n`);
    return [];
  }
  return withFile(fileBytes, textOf, async ({ path, bytes }) => {
    const seconds = { ours: Infinity, x12Parser: Infinity, nodeX12: Infinity };
    for (let round = 0; round < rounds; round += 1) {
      seconds.ours = Math.min(seconds.ours, await timed(() => readWithOurs(path, claims)));
      seconds.x12Parser = Math.min(seconds.x12Parser, await timed(() => readWith(x12Parser, path)));
      if (nodeX12 !== null) seconds.nodeX12 = Math.min(seconds.nodeX12, await timed(() => readWith(nodeX12, path)));
    }
    const megabytes = bytes / 1_000_000;
    const rate = (taken: number): string => (megabytes / taken).toFixed(1);
    const line =
      `ours with mapping and 999 ${rate(seconds.ours)} MB a processor second, x12-parser bare ${rate(seconds.x12Parser)}, ` +
      `node-x12 bare as a stream ${nodeX12 === null ? 'not installed' : rate(seconds.nodeX12)} (${megabytes.toFixed(0)} MB, ${claims} claims)`;
    const pair = [1 / seconds.ours, 1 / seconds.x12Parser] as const;
    return ratioOf(`X12 ${kind} with mapping and 999 / x12-parser bare`, aims[kind], [pair], [line]);
  });
}

/** Processor time, which other processes disturb least. */
const timed = async (work: () => Promise<void>): Promise<number> => (await readingOf(work)).cpuSeconds;

async function readWithOurs(path: string, claims: number): Promise<void> {
  const acknowledger = x12Adapter.acknowledger?.({ strict: false });
  await readWithAdapter(x12Adapter, createReadStream(path), claims, (item) =>
    acknowledger?.take(item, item.kind === 'event' ? { status: 'ACCEPTED' } : undefined),
  );
  const made = acknowledger?.finish({ nowIso: OPTIONS.receivedAt, controlNumber: '1' });
  if (!made) throw new Error('no 999 was made');
}

/** Makes one reader of the package. */
type Parser = () => NodeJS.ReadWriteStream;

/** The reader of a package for comparison; null if the package is not installed. */
async function parserOf(name: string, exported: string): Promise<Parser | null> {
  try {
    const loaded: object = await import(name);
    const found = Reflect.get(loaded, exported) ?? Reflect.get(Object(Reflect.get(loaded, 'default')), exported);
    return () => Reflect.construct(found, []);
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

async function readWith(parser: Parser, path: string): Promise<void> {
  await pipeline(createReadStream(path), parser(), discard());
}

function discard(): Writable {
  return new Writable({ objectMode: true, write: (_item, _encoding, done) => done() });
}
