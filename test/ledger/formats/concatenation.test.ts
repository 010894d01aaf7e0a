import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import {
  type AdapterItem,
  DEFAULT_ADAPTER_LIMITS,
  type FormatAdapter,
} from '../../../subgraphs/ledger/formats/format-adapter.js';
import { hl7v2Adapter } from '../../../subgraphs/ledger/formats/hl7v2/index.js';
import { x12Adapter } from '../../../subgraphs/ledger/formats/x12/index.js';

// Senders join files: with other line ends, and without the last terminator of each. A reader that finds every header
// again gives the sum of the parts.

const ROUNDS = Number(process.env['CONTAINER_ROUNDS'] ?? 40);
const PARTS_A_ROUND = 8;

interface Sample {
  readonly name: string;
  readonly text: string;
}

/** Own fixtures, and the sample files where they are. */
function samplesOf(format: string, matches: (text: string) => boolean): Sample[] {
  const folders = [
    repositoryFile(`test/ledger/formats/${format}/fixtures`),
    repositoryFile(`../shared/samples/${format}`),
  ];
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'latin1') })),
    )
    .filter(({ text }) => matches(text));
}

async function read(adapter: FormatAdapter, text: string): Promise<AdapterItem[]> {
  const items: AdapterItem[] = [];
  const chunks = (async function* () {
    yield Buffer.from(text, 'latin1');
  })();
  const options = { strict: false, receivedAt: '2026-03-01T00:00:00.000Z', limits: DEFAULT_ADAPTER_LIMITS };
  for await (const item of adapter.read(chunks, options)) items.push(item);
  return items;
}

/** What a reader found, without places: the events with their members and contents. */
const found = (items: readonly AdapterItem[]): string[] =>
  items.flatMap((item) =>
    item.kind === 'event'
      ? [
          `${item.envelope.source_record_id} ${item.envelope.event_type} ${item.envelope.member_id ?? '-'} ${item.part.contentSha256}`,
        ]
      : [],
  );

/** A repeatable sequence of numbers below 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

async function checkRounds(
  adapter: FormatAdapter,
  samples: readonly Sample[],
  vary: (text: string, random: () => number) => string,
): Promise<void> {
  const alone = new Map<string, readonly string[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const random = seeded(round + 1);
    const chosen = Array.from({ length: PARTS_A_ROUND }, () => samples[Math.floor(random() * samples.length)]).flatMap(
      (sample) => sample ?? [],
    );
    const texts = chosen.map(({ text }) => vary(text, random));
    const expected: string[] = [];
    for (const text of texts) {
      const known = alone.get(text) ?? found(await read(adapter, text));
      alone.set(text, known);
      expected.push(...known);
    }
    const names = chosen.map(({ name }) => name);
    expect([round, names, found(await read(adapter, texts.join('')))]).toEqual([round, names, expected]);
  }
}

describe('X12 interchanges joined in any order', () => {
  // A file that begins without an ISA takes its delimiters from nowhere, and a cut one ends inside a segment.
  const samples = samplesOf(
    'x12',
    (text) => /^\s*ISA/.test(text) && /IEA[^A-Za-z0-9]\d+[^A-Za-z0-9]\d+\s*\S?\s*$/.test(text),
  );

  it(`give the sum of their parts, without last terminators and with any line ends (${ROUNDS} rounds)`, async () => {
    expect(samples.length).toBeGreaterThan(10);
    await checkRounds(x12Adapter, samples, (text, random) => {
      const last = text.trimEnd();
      const isTerminated = /[^A-Za-z0-9]$/.test(last);
      const whole = random() < 0.5 && isTerminated ? last.slice(0, -1) : text;
      return whole + ['', '\n', '\r\n', '\n\n'][Math.floor(random() * 4)];
    });
  });
});

describe('HL7 messages joined in any order', () => {
  const samples = samplesOf(
    'hl7v2',
    (text) => /^\s*MSH\|\^~\\&\|/.test(text) && !text.includes('\u001c') && !/^BTS/m.test(text),
  );

  it(`give the sum of their parts, without last terminators and with any line ends (${ROUNDS} rounds)`, async () => {
    expect(samples.length).toBeGreaterThan(10);
    await checkRounds(hl7v2Adapter, samples, (text, random) => {
      const lineEnd = ['\r', '\n', '\r\n'][Math.floor(random() * 3)] ?? '\r';
      const lines = text.split(/[\r\n]+/).filter((line) => line !== '');
      return lines.join(lineEnd) + (random() < 0.5 ? lineEnd : '');
    });
  });
});

describe('an interchange behind one that was cut', () => {
  const x12 = readFileSync(repositoryFile('test/ledger/formats/x12/fixtures/professional.837'), 'latin1');
  const oneLine = x12.replaceAll(/[\r\n]/g, '');

  it('is read whole wherever the first one ends, and the first names no wrong member', async () => {
    const whole = found(await read(x12Adapter, oneLine));
    const members = new Set(whole.map((one) => one.split(' ')[2]));
    const stride = Math.max(1, Math.floor(oneLine.length / (ROUNDS * 10)));
    for (let length = 0; length < oneLine.length; length += stride) {
      const events = found(await read(x12Adapter, oneLine.slice(0, length) + oneLine));
      expect([length, events.slice(-whole.length)]).toEqual([length, whole]);
      for (const event of events) expect([length, members.has(event.split(' ')[2])]).toEqual([length, true]);
    }
  });
});
