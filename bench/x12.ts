import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { X12Parser as NodeX12Parser } from 'node-x12';
import { X12parser } from 'x12-parser';
import { defaultAdapterLimits } from '../subgraphs/ledger/adapters/adapter.js';
import { x12Adapter } from '../subgraphs/ledger/adapters/x12/x12-adapter.js';
import { type Ratio, ratioOf } from './support/measure.js';
import { syntheticTransaction, type X12Kind } from './x12-fixture.js';

const fileBytes = 21 * 1024 * 1024;
/** The machine is shared: the best of several rounds, each reader in turn. */
const rounds = 5;
const aim = 1.5;

/** Reads one file with our adapter (mapping, hashes, acknowledgement and all), with x12-parser and with node-x12 as a stream. */
export async function benchX12(kind: X12Kind): Promise<Ratio> {
  const folder = await mkdtemp(join(tmpdir(), 'x12-bench-'));
  try {
    const path = join(folder, `claims.${kind}`);
    const { bytes, claims } = await writeClaims(path, kind);
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
    return ratioOf(
      `X12 ${kind} with mapping and 999 / x12-parser bare`,
      aim,
      [[1 / seconds.ours, 1 / seconds.x12Parser]],
      [line],
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeClaims(path: string, kind: X12Kind): Promise<{ bytes: number; claims: number }> {
  const file = await open(path, 'w');
  let bytes = 0;
  let claims = 0;
  try {
    for (let control = 1; bytes < fileBytes; control += 1) {
      const transaction = syntheticTransaction(control, kind);
      await file.write(transaction.text);
      bytes += Buffer.byteLength(transaction.text);
      claims += transaction.claims;
    }
  } finally {
    await file.close();
  }
  return { bytes, claims };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - started) / 1e9;
}

async function readWithOurs(path: string, claims: number): Promise<void> {
  let events = 0;
  const acknowledger = x12Adapter.acknowledger?.({ strict: false });
  const options = { strict: false, receivedAt: '2026-01-01T00:00:00.000Z', limits: defaultAdapterLimits };
  for await (const item of x12Adapter.read(createReadStream(path), options)) {
    acknowledger?.take(item, item.kind === 'event' ? { status: 'ACCEPTED' } : undefined);
    if (item.kind === 'event') events += 1;
    else if (item.kind === 'refused') throw new Error(`refused: ${item.code}`);
  }
  if (!acknowledger?.finish({ nowIso: options.receivedAt, controlNumber: '1' })) throw new Error('no 999 was made');
  if (events !== claims) throw new Error(`${events} events of ${claims} claims`);
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
