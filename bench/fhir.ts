import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAdapterLimits } from '../subgraphs/ledger/adapters/adapter.js';
import { fhirAdapter } from '../subgraphs/ledger/adapters/fhir/fhir-adapter.js';
import { syntheticResource } from './fhir-fixture.js';
import { median, type Ratio, ratioOf } from './support/measure.js';

const fileBytes = 16 * 1024 * 1024;
const chunkBytes = 64 * 1024;
const rounds = 5;
/** At most twice the time of the bare parse. */
const aim = 0.5;

type Shape = 'lines' | 'bundle';

/**
 * Reads one file of NDJSON and one Bundle with our adapter (ranges, hashes, duplicate keys, references, mapping and all) and
 * with JSON.parse alone, in turn. The ratio is of megabytes a processor second, which others on the machine disturb least.
 */
export async function benchFhir(): Promise<Ratio> {
  const folder = await mkdtemp(join(tmpdir(), 'fhir-bench-'));
  try {
    const lines: string[] = [];
    const pairs: (readonly [number, number])[] = [];
    for (const shape of ['lines', 'bundle'] as const) {
      const path = join(folder, shape);
      const resources = await writeResources(path, shape);
      const measured = await measure(path, shape, resources);
      pairs.push(...measured.pairs);
      lines.push(...measured.lines);
    }
    return ratioOf('FHIR with mapping / JSON.parse', aim, pairs, lines);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  path: string,
  shape: Shape,
  resources: number,
): Promise<{ pairs: (readonly [number, number])[]; lines: string[] }> {
  const bytes = await readFile(path);
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const own = await cpuSecondsOf(() => readWithOurs(bytes, resources));
    const parse = await cpuSecondsOf(async () => parseAlone(bytes, shape, resources));
    // The first round warms both up.
    if (round === 0) continue;
    ours.push(own);
    bare.push(parse);
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

async function writeResources(path: string, shape: Shape): Promise<number> {
  const file = await open(path, 'w');
  let resources = 0;
  try {
    if (shape === 'bundle') await file.write('{"resourceType":"Bundle","type":"collection","entry":[');
    for (let bytes = 0; bytes < fileBytes; resources += 1) {
      const resource = syntheticResource(resources);
      const url = `https://plan.example/fhir/${String(resource['resourceType'])}/${String(resource['id'])}`;
      const entry = `${resources === 0 ? '' : ','}${JSON.stringify({ fullUrl: url, resource })}`;
      const text = shape === 'lines' ? `${JSON.stringify(resource)}\n` : entry;
      await file.write(text);
      bytes += Buffer.byteLength(text);
    }
    if (shape === 'bundle') await file.write(']}');
  } finally {
    await file.close();
  }
  return resources;
}

async function cpuSecondsOf(work: () => Promise<void>): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1e6;
}

/** As a request brings it, in chunks; what a disk would take is on neither side. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

async function readWithOurs(bytes: Buffer, resources: number): Promise<void> {
  let events = 0;
  const options = { strict: false, receivedAt: '2026-01-01T00:00:00.000Z', limits: defaultAdapterLimits };
  for await (const item of fhirAdapter.read(chunksOf(bytes), options)) {
    if (item.kind === 'event') events += 1;
    else if (item.kind === 'refused') throw new Error(`refused: ${item.code}`);
  }
  if (events !== resources) throw new Error(`${events} events of ${resources} resources`);
}

/** A line or the whole Bundle at a time. */
function parseAlone(bytes: Buffer, shape: Shape, resources: number): void {
  if (shape === 'bundle') {
    const bundle = JSON.parse(bytes.toString('utf8')) as { entry: unknown[] };
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
