import { readFile } from 'node:fs/promises';
import { Hl7Message } from '@medplum/core';
import { hl7v2Adapter } from '../../subgraphs/ledger/formats/hl7v2/index.js';
import { median, type Ratio, ratioOf } from '../support/measure.js';
import { syntheticMessage } from './hl7-fixture.js';
import { chunksOf, fileBytes, type Reading, readingOf, readWithAdapter, withFile } from './reading.js';

const rounds = 5;
const aim = 0.9;

/**
 * Reads one file of ADT and ORU messages alternately with our adapter (with frames, positions, hashes and mapping) and with
 * the bare parse of @medplum/core. The ratio compares megabytes per processor second, which other processes disturb least.
 */
export const benchHl7 = (): Promise<Ratio> =>
  withFile(fileBytes, syntheticMessage, async ({ path, bytes, texts: messages }) => {
    const content = await readFile(path);
    const text = content.toString('latin1');
    const megabytes = bytes / 1_000_000;
    const ours: Reading[] = [];
    const medplum: Reading[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const own = await readingOf(() => readWithAdapter(hl7v2Adapter, chunksOf(content), messages));
      const bare = await readingOf(() => readWithMedplum(text, messages));
      // The first round is a warm-up.
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
  });

function describe(name: string, readings: readonly Reading[], megabytes: number, messages: number): string {
  const seconds = median(readings.map((reading) => reading.seconds));
  const cpuSeconds = median(readings.map((reading) => reading.cpuSeconds));
  return (
    `${name}: ${(megabytes / seconds).toFixed(1)} MB/s, ${Math.round(messages / seconds)} messages/s; ` +
    `${(megabytes / cpuSeconds).toFixed(1)} MB a processor second`
  );
}

/** The parser reads one message at a time, not a stream: the text is in memory and split at each MSH. */
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
