import { appendFile, readFile } from 'node:fs/promises';
import { fhirAdapter } from '../../subgraphs/ledger/formats/fhir/index.js';
import { median, type Ratio, ratioOf } from '../support/measure.js';
import { syntheticResource } from './fhir-fixture.js';
import { chunksOf, fileBytes, readingOf, readWithAdapter, withFile } from './reading.js';

const rounds = 5;
/** Aim: at most two and a half times the time of the bare parse. */
const aim = 0.4;

type Shape = 'lines' | 'bundle';

/**
 * Reads one file of NDJSON and one Bundle alternately with our adapter (with ranges, hashes, duplicate keys, references and
 * mapping) and with JSON.parse alone. The ratio compares megabytes per processor second, which other processes disturb least.
 */
export async function benchFhir(): Promise<Ratio> {
  const lines: string[] = [];
  const pairs: (readonly [number, number])[] = [];
  for (const shape of ['lines', 'bundle'] as const) {
    const measured = await withFile(fileBytes, textOf[shape], async ({ path, texts }) => {
      if (shape === 'bundle') await appendFile(path, ']}');
      return measure(path, shape, texts);
    });
    pairs.push(...measured.pairs);
    lines.push(...measured.lines);
  }
  return ratioOf('FHIR with mapping / JSON.parse', aim, pairs, lines);
}

const textOf: Readonly<Record<Shape, (n: number) => string>> = {
  lines: (n) => `${JSON.stringify(syntheticResource(n))}\n`,
  bundle: (n) => {
    const resource = syntheticResource(n);
    const fullUrl = `https://plan.example/fhir/${String(resource['resourceType'])}/${String(resource['id'])}`;
    const before = n === 0 ? '{"resourceType":"Bundle","type":"collection","entry":[' : ',';
    return `${before}${JSON.stringify({ fullUrl, resource })}`;
  },
};

async function measure(
  path: string,
  shape: Shape,
  resources: number,
): Promise<{ pairs: (readonly [number, number])[]; lines: string[] }> {
  const bytes = await readFile(path);
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const own = await readingOf(() => readWithAdapter(fhirAdapter, chunksOf(bytes), resources));
    const parse = await readingOf(async () => parseAlone(bytes, shape, resources));
    // The first round is a warm-up.
    if (round === 0) continue;
    ours.push(own.cpuSeconds);
    bare.push(parse.cpuSeconds);
  }
  const megabytes = bytes.length / 1_000_000;
  const rate = (seconds: readonly number[]): string => (megabytes / median(seconds)).toFixed(1);
  const name = shape === 'lines' ? 'NDJSON' : 'one Bundle';
  return {
    pairs: ours.map((own, at) => [1 / own, 1 / (bare[at] ?? Number.NaN)] as const),
    lines: [
      `${name}, ${megabytes.toFixed(0)} MB, ${resources} resources: ours with mapping ${rate(ours)} MB a processor second, JSON.parse alone ${rate(bare)}`,
    ],
  };
}

/** Parses a line or the whole Bundle at a time. */
function parseAlone(bytes: Buffer, shape: Shape, resources: number): void {
  if (shape === 'bundle') {
    const bundle: { readonly entry: readonly unknown[] } = JSON.parse(bytes.toString('utf8'));
    if (bundle.entry.length !== resources) throw new Error('entries were not read');
    return;
  }
  let parsed = 0;
  for (let from = 0; from < bytes.length; parsed += 1) {
    const end = bytes.indexOf(10, from);
    JSON.parse(bytes.toString('utf8', from, end));
    from = end + 1;
  }
  if (parsed !== resources) throw new Error(`${parsed} of ${resources} resources`);
}
