import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../embedded-mongo/index.js';
import { atMost, describeRun, type Figure, median, type Run, timed } from '../support/measure.js';
import { createEvents, fillEvents } from './bench-server.js';
import { eventId, KINDS, TENANTS } from './events.js';
import { commandMessage } from './messages.js';
import { WirePool } from './wire-client.js';

const COLLECTION = 'large';
const SIZES = [10_000, 100_000, 1_000_000] as const;
const FILLER_BYTES = 60;
const CALLERS = 16;
const CALLS = 20_000;
const STARTS = 5;
/** The logarithm from 10⁴ to 10⁶ grows by 1.5; the rest allows for pages that no longer fit the processor's caches. */
const LOGARITHMIC = 2;

/** Fills a folder with up to 1,000,000 documents and three indexes; reads at each power of ten, then measures a start. */
export async function benchLarge(parts: { growth: boolean; start: boolean }): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-bench-large-'));
  const dataDir = join(folder, 'data');
  const figures: Figure[] = [];
  try {
    const running = await startChild({ dataDir });
    const pool = await WirePool.open(running.socketPath, CALLERS);
    await createEvents(pool, COLLECTION);
    const points: Run[] = [];
    const ranges: Run[] = [];
    let filled = 0;
    for (const size of SIZES) {
      await fillEvents(pool, COLLECTION, filled, size, FILLER_BYTES);
      filled = size;
      if (!parts.growth) continue;
      points.push(await readRun(pool, (n) => pointMessage(n, size)));
      ranges.push(await readRun(pool, (n) => rangeMessage(n, size)));
    }
    pool.close();
    await running.stop();
    if (parts.growth)
      figures.push(growthOf('point find by unique key', points), growthOf('find + sort + limit 10', ranges));
    if (parts.start) figures.push(await startFigure(dataDir, join(folder, 'empty')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return figures;
}

async function readRun(pool: WirePool, message: (n: number) => Buffer): Promise<Run> {
  const messages = Array.from({ length: CALLS }, (_, n) => message(n));
  const run = () =>
    timed(CALLS, CALLERS, async (n) => {
      await pool.call(messages[n] as Buffer);
      return 1;
    });
  await run();
  return run();
}

function growthOf(name: string, runs: readonly Run[]): Figure {
  const lines = runs.map((run, i) => describeRun(`${name}, ${SIZES[i]} documents`, run));
  const rates = runs.map((run) => run.perSecond);
  const factor = (rates[0] ?? 0) / (rates.at(-1) ?? 1);
  return atMost(`growth of ${name}: time at 10⁶ / time at 10⁴ (logarithmic: 1.5)`, '×', LOGARITHMIC, [factor], lines);
}

async function startFigure(dataDir: string, emptyDir: string): Promise<Figure> {
  const seconds: number[] = [];
  const empty: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    seconds.push(await startSeconds(dataDir, n));
    empty.push(await startSeconds(emptyDir, n));
  }
  return atMost('start with 1,000,000 documents, from spawn to the first answer', 's', 0.3, seconds, [
    `with an empty folder, in turn: ${median(empty).toFixed(2)} s`,
  ]);
}

async function startSeconds(dataDir: string, n: number): Promise<number> {
  const begun = performance.now();
  const running = await startChild({ dataDir });
  const pool = await WirePool.open(running.socketPath, 1);
  await pool.call(pointMessage(n, SIZES[2]));
  const seconds = (performance.now() - begun) / 1000;
  pool.close();
  await running.stop();
  return seconds;
}

const pointMessage = (n: number, size: number): Buffer =>
  commandMessage({ find: COLLECTION, filter: { event_id: eventId((n * 7_919) % size) }, limit: 1, singleBatch: true });

function rangeMessage(n: number, size: number): Buffer {
  const from = Date.UTC(2026, 0, 1) + ((n * 7_919) % (size / 2)) * 1000;
  return commandMessage({
    find: COLLECTION,
    filter: { tenant: `tenant-${n % TENANTS}`, kind: `kind-${n % KINDS}`, at: { $gte: new Date(from) } },
    sort: { at: 1 },
    limit: 10,
    singleBatch: true,
  });
}
