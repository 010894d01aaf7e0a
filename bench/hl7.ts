import { createReadStream } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hl7Message } from '@medplum/core';
import { defaultAdapterLimits } from '../subgraphs/ledger/adapters/adapter.js';
import { hl7v2Adapter } from '../subgraphs/ledger/adapters/hl7v2/hl7v2-adapter.js';
import { syntheticMessage } from './hl7-fixture.js';
import { median, type Ratio, ratioOf } from './support/measure.js';

const fileBytes = 16 * 1024 * 1024;
const rounds = 5;
const aim = 0.6;

/** A reader's way through the file once, by the clock and by the processor. */
interface Reading {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/**
 * Reads one file of ADT and ORU messages with our adapter (frames, positions, hashes, mapping and all) and with the bare parse
 * of @medplum/core, in turn. The ratio is of megabytes a processor second, which others on the machine disturb least.
 */
export async function benchHl7(): Promise<Ratio> {
  const folder = await mkdtemp(join(tmpdir(), 'hl7-bench-'));
  try {
    const path = join(folder, 'messages.hl7');
    const { bytes, messages } = await writeMessages(path);
    const text = await readFile(path, 'latin1');
    const megabytes = bytes / 1_000_000;
    const ours: Reading[] = [];
    const medplum: Reading[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const own = await timed(() => readWithOurs(path, messages));
      const bare = await timed(() => readWithMedplum(text, messages));
      // The first round warms both up.
      if (round === 0) continue;
      ours.push(own);
      medplum.push(bare);
    }
    const pairs = ours.map((own, at) => [1 / own.cpuSeconds, 1 / (medplum[at]?.cpuSeconds ?? Number.NaN)] as const);
    const lines = [
      `${megabytes.toFixed(0)} MB, ${messages} messages`,
      describe('ours with mapping', ours, megabytes, messages),
      describe('@medplum/core, parse alone', medplum, megabytes, messages),
    ];
    return ratioOf('HL7 v2 with mapping / @medplum/core bare', aim, pairs, lines);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function describe(name: string, readings: readonly Reading[], megabytes: number, messages: number): string {
  const seconds = median(readings.map((reading) => reading.seconds));
  const cpuSeconds = median(readings.map((reading) => reading.cpuSeconds));
  return (
    `${name}: ${(megabytes / seconds).toFixed(1)} MB/s, ${Math.round(messages / seconds)} messages/s; ` +
    `${(megabytes / cpuSeconds).toFixed(1)} MB a processor second`
  );
}

async function writeMessages(path: string): Promise<{ bytes: number; messages: number }> {
  const file = await open(path, 'w');
  let bytes = 0;
  let messages = 0;
  try {
    for (; bytes < fileBytes; messages += 1) {
      const text = syntheticMessage(messages);
      await file.write(text);
      bytes += Buffer.byteLength(text);
    }
  } finally {
    await file.close();
  }
  return { bytes, messages };
}

async function timed(work: () => Promise<void>): Promise<Reading> {
  const cpu = process.cpuUsage();
  const started = process.hrtime.bigint();
  await work();
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

async function readWithOurs(path: string, messages: number): Promise<void> {
  let events = 0;
  const options = { strict: false, receivedAt: '2026-01-01T00:00:00.000Z', limits: defaultAdapterLimits };
  for await (const item of hl7v2Adapter.read(createReadStream(path), options)) {
    if (item.kind === 'event') events += 1;
    else if (item.kind === 'refused') throw new Error(`refused: ${item.code}`);
  }
  if (events !== messages) throw new Error(`${events} events of ${messages} messages`);
}

/** It reads one message at a time and no stream: the text is in memory, and cut where the next MSH begins. */
async function readWithMedplum(text: string, messages: number): Promise<void> {
  let parsed = 0;
  for (let from = 0; from < text.length; parsed += 1) {
    const next = text.indexOf('\rMSH|', from);
    const to = next === -1 ? text.length : next + 1;
    if (Hl7Message.parse(text.slice(from, to)).segments.length < 2) throw new Error('a message was not read');
    from = to;
  }
  if (parsed !== messages) throw new Error(`${parsed} of ${messages} messages`);
}
