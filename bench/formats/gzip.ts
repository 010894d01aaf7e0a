import { gzipSync } from 'node:zlib';
import { cpuSecondsOf } from '../support/cpu.js';
import { type Ratio, ratioOf } from '../support/measure.js';
import { type Stack, startStack } from '../support/stack.js';
import { readingOf } from './reading.js';
import { syntheticTransaction } from './x12-fixture.js';

const megabytes = Number(process.env['GZIP_MEGABYTES'] ?? 3);
const rounds = 3;
const aim = 0.9;

/** One file: its events a second, and a processor second of the service and the database. */
interface Measured {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/**
 * Posts files of 837 alternately packed by gzip and plain; each file has its own control numbers and adds its events. The
 * ratio compares events per processor second of the service and the database, which other processes disturb least.
 */
export async function benchGzip(): Promise<Ratio> {
  const stack = await startStack();
  try {
    const pairs: (readonly [Measured, Measured])[] = [];
    let control = 1;
    const next = (): { text: Buffer; claims: number } => {
      const parts: string[] = [];
      let [bytes, claims] = [0, 0];
      for (; bytes < megabytes * 1_000_000; control += 1) {
        const transaction = syntheticTransaction(control, '837');
        parts.push(transaction.text);
        bytes += transaction.text.length;
        claims += transaction.claims;
      }
      return { text: Buffer.from(parts.join(''), 'latin1'), claims };
    };
    const measure = async (isPacked: boolean): Promise<Measured> => {
      const { text, claims } = next();
      const body = isPacked ? gzipSync(text) : text;
      const before = cpuOf(stack);
      const { seconds } = await readingOf(() => send(stack, body, claims));
      return { perSecond: claims / seconds, perCpuSecond: claims / (cpuOf(stack) - before) };
    };
    for (let round = 0; round <= rounds; round += 1) {
      const packed = await measure(true);
      const plain = await measure(false);
      // The first round is a warm-up.
      if (round > 0) pairs.push([packed, plain]);
    }
    const rates = (side: 0 | 1, of: keyof Measured): string =>
      pairs.map((pair) => Math.round(pair[side][of])).join(', ');
    const lines = [
      `${megabytes} MB a file; events/s packed ${rates(0, 'perSecond')}; plain ${rates(1, 'perSecond')}`,
      `events a processor second packed ${rates(0, 'perCpuSecond')}; plain ${rates(1, 'perCpuSecond')}`,
    ];
    const ratios = pairs.map(([packed, plain]) => [packed.perCpuSecond, plain.perCpuSecond] as const);
    return ratioOf('X12 837 packed by gzip / plain, stored', aim, ratios, lines);
  } finally {
    await stack.stop();
  }
}

/** Processor seconds of the service and the database so far. */
const cpuOf = ({ processes }: Stack): number =>
  ['service', 'database'].reduce((sum, name) => sum + (cpuSecondsOf(processes[name] ?? 0) ?? 0), 0);

/** @throws Error if not every claim became an event */
async function send({ rest }: Stack, body: Buffer, claims: number): Promise<void> {
  const text = await rest.post('/v1/ingest/raw?source_system=gzip', body, 'application/edi-x12');
  const { accepted }: { readonly accepted: number } = JSON.parse(text);
  if (accepted !== claims) throw new Error(`${accepted} events of ${claims} claims`);
}
