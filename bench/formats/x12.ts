import { createReadStream } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { X12Parser as NodeX12Parser } from 'node-x12';
import { X12parser } from 'x12-parser';
import { x12Adapter } from '../../subgraphs/ledger/formats/x12/index.js';
import { type Ratio, ratioOf } from '../support/measure.js';
import { OPTIONS, readingOf, readWithAdapter, withFile } from './reading.js';
import { syntheticTransaction, type X12Kind } from './x12-fixture.js';

const fileBytes = 21 * 1024 * 1024;
/** Because the machine is shared, counts the best of several rounds of alternating readers. */
const rounds = 5;
const aim = 1.5;

/** Reads one file with our adapter (with mapping, hashes and acknowledgement), with x12-parser and with node-x12 as a stream. */
export function benchX12(kind: X12Kind): Promise<Ratio> {
  let claims = 0;
  const textOf = (n: number): string => {
    const transaction = syntheticTransaction(n + 1, kind);
    claims += transaction.claims;
    return transaction.text;
  };
  return withFile(fileBytes, textOf, async ({ path, bytes }) => {
    const seconds = { ours: Infinity, x12Parser: Infinity, nodeX12: Infinity };
    for (let round = 0; round < rounds; round += 1) {
      seconds.ours = Math.min(seconds.ours, await timed(() => readWithOurs(path, claims)));
      seconds.x12Parser = Math.min(seconds.x12Parser, await timed(() => readWithX12Parser(path)));
      seconds.nodeX12 = Math.min(seconds.nodeX12, await timed(() => streamWithNodeX12(path)));
    }
    const megabytes = bytes / 1_000_000;
    const rate = (taken: number): string => (megabytes / taken).toFixed(1);
    const line =
      `ours with mapping and 999 ${rate(seconds.ours)} MB/s, x12-parser bare ${rate(seconds.x12Parser)}, ` +
      `node-x12 bare as a stream ${rate(seconds.nodeX12)} (${megabytes.toFixed(0)} MB, ${claims} claims)`;
    const pair = [1 / seconds.ours, 1 / seconds.x12Parser] as const;
    return ratioOf(`X12 ${kind} with mapping and 999 / x12-parser bare`, aim, [pair], [line]);
  });
}

const timed = async (work: () => Promise<void>): Promise<number> => (await readingOf(work)).seconds;

async function readWithOurs(path: string, claims: number): Promise<void> {
  const acknowledger = x12Adapter.acknowledger?.({ strict: false });
  await readWithAdapter(x12Adapter, createReadStream(path), claims, (item) =>
    acknowledger?.take(item, item.kind === 'event' ? { status: 'ACCEPTED' } : undefined),
  );
  const made = acknowledger?.finish({ nowIso: OPTIONS.receivedAt, controlNumber: '1' });
  if (!made) throw new Error('no 999 was made');
}

async function readWithX12Parser(path: string): Promise<void> {
  await pipeline(createReadStream(path), new X12parser(), discard());
}

async function streamWithNodeX12(path: string): Promise<void> {
  await pipeline(createReadStream(path), new NodeX12Parser(), discard());
}

function discard(): Writable {
  return new Writable({ objectMode: true, write: (_item, _encoding, done) => done() });
}
