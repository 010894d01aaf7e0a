import { createReadStream } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { X12Parser as NodeX12Parser } from 'node-x12';
import { X12parser } from 'x12-parser';
import { defaultAdapterLimits } from '../subgraphs/ledger/adapters/adapter.js';
import { x12Adapter } from '../subgraphs/ledger/adapters/x12/x12-adapter.js';
import { syntheticTransaction } from './x12-fixture.js';

export interface X12Bench {
  name: string;
  fileMegabytes: number;
  claims: number;
  oursMbPerSecond: number;
  x12ParserMbPerSecond: number;
  /** The faster of node-x12's two ways: the whole text at once, and as a stream. */
  nodeX12MbPerSecond: number;
  /** Ours, with the mapping, against the faster of the two bare parsers. */
  ratio: number;
}

const fileBytes = 21 * 1024 * 1024;
/** The machine is shared: the best of several rounds, each reader in turn. */
const rounds = 5;

/** Reads one 837 file with our adapter (mapping, hashes and all), with x12-parser and with node-x12. */
export async function benchX12(): Promise<X12Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'x12-bench-'));
  try {
    const path = join(folder, 'claims.837');
    const { bytes, claims } = await writeClaims(path);
    const seconds = { ours: Infinity, x12Parser: Infinity, nodeX12: Infinity };
    for (let round = 0; round < rounds; round += 1) {
      seconds.ours = Math.min(seconds.ours, await timed(() => readWithOurs(path, claims)));
      seconds.x12Parser = Math.min(seconds.x12Parser, await timed(() => readWithX12Parser(path)));
      seconds.nodeX12 = Math.min(seconds.nodeX12, await timed(() => streamWithNodeX12(path)));
    }
    // Several times slower than as a stream, so once is enough to know which of the two is the faster.
    seconds.nodeX12 = Math.min(seconds.nodeX12, await timed(() => parseWithNodeX12(path)));
    const megabytes = bytes / 1_000_000;
    const fastest = Math.min(seconds.x12Parser, seconds.nodeX12);
    return {
      name: 'X12 837 with mapping',
      fileMegabytes: megabytes,
      claims,
      oursMbPerSecond: megabytes / seconds.ours,
      x12ParserMbPerSecond: megabytes / seconds.x12Parser,
      nodeX12MbPerSecond: megabytes / seconds.nodeX12,
      ratio: fastest / seconds.ours,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeClaims(path: string): Promise<{ bytes: number; claims: number }> {
  const file = await open(path, 'w');
  let bytes = 0;
  let claims = 0;
  try {
    for (let control = 1; bytes < fileBytes; control += 1) {
      const transaction = syntheticTransaction(control);
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
  const options = { strict: false, receivedAt: '2026-01-01T00:00:00.000Z', limits: defaultAdapterLimits };
  for await (const item of x12Adapter.read(createReadStream(path), options)) {
    if (item.kind === 'event') events += 1;
    else if (item.kind === 'refused') throw new Error(`refused: ${item.code}`);
  }
  if (events !== claims) throw new Error(`${events} events of ${claims} claims`);
}

async function readWithX12Parser(path: string): Promise<void> {
  await pipeline(createReadStream(path), new X12parser(), discard());
}

async function streamWithNodeX12(path: string): Promise<void> {
  await pipeline(createReadStream(path), new NodeX12Parser(), discard());
}

async function parseWithNodeX12(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  new NodeX12Parser().parse(text);
}

function discard(): Writable {
  return new Writable({ objectMode: true, write: (_item, _encoding, done) => done() });
}
