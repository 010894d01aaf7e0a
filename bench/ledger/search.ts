import { delay } from '../../shared/clock/timers.js';
import { benchEnvelope } from '../support/events.js';
import { atMost, describeRun, type Figure, timed } from '../support/measure.js';
import type { Stack } from '../support/stack.js';

// Measures the delay until a search finds an event, and the cost of a search among many events. Every event has a few unique
// words, some words of its group of a hundred, and some words that all events share.

const EVENTS = Number(process.env['BENCH_SEARCH_EVENTS'] ?? 100_000);
const BATCH = 500;
const SEARCHES = 40;
const LOOK_MS = 200;
const FRESH_POSTS = 10;

const SEARCHES_BY_KIND: Readonly<Record<string, (n: number) => object>> = {
  'an identifier': (n) => ({ query: `CLM-${(n * 7_919) % EVENTS}` }),
  'a rare word beside one that all events hold': (n) => ({ query: `benchmark rare${n % 1_000}` }),
  'a phrase among all events': (n) => ({ query: `"synthetic record" group${n % 100}` }),
  'a word with a filter on the member': (n) => ({ query: 'synthetic', filters: { member_id: `M-${n % 5_000}` } }),
  'the beginning of identifiers': (n) => ({ query: `CLM-${1_000 + (n % 100)}*` }),
  'words that all events hold': () => ({ query: 'synthetic benchmark' }),
};

/** Aims in milliseconds on an otherwise idle machine. */
const RARE_AIM_MS = 50;
const COMMON_AIM_MS = 500;
const FRESH_AIM_MS = 1_000;

interface Told {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly freshness: { readonly indexed: number; readonly behind: number };
}

export async function benchSearch(stack: Stack): Promise<readonly Figure[]> {
  const ask = async (body: object): Promise<Told> =>
    JSON.parse(await stack.rest.post('/v1/search', JSON.stringify({ limit: 20, ...body }))) as Told;
  const lines = [await fill(stack, ask)];
  const figures: Figure[] = [];
  for (const [kind, bodyOf] of Object.entries(SEARCHES_BY_KIND)) {
    const { total } = await ask(bodyOf(0));
    if (total === 0) throw new Error(`${kind}: nothing was found, so that its figure would be worth nothing`);
    const run = await timed(SEARCHES, 1, async (n) => (await ask(bodyOf(n))).items.length && 1);
    const common = kind.startsWith('words');
    figures.push(
      atMost(
        `search among ${EVENTS} events: ${kind}`,
        'ms (median)',
        common ? COMMON_AIM_MS : RARE_AIM_MS,
        [run.p50Ms],
        [...lines.splice(0), `${total} found`, describeRun('searches', run)],
      ),
    );
  }
  figures.push(await freshness(stack, ask));
  return figures;
}

type Ask = (body: object) => Promise<Told>;

async function fill(stack: Stack, ask: Ask): Promise<string> {
  const start = performance.now();
  await timed(Math.ceil(EVENTS / BATCH), 2, async (batch) => {
    const events = Array.from({ length: BATCH }, (_, i) => eventOf(batch * BATCH + i));
    await stack.rest.post('/v1/events', JSON.stringify(events));
    return BATCH;
  });
  const postedSeconds = (performance.now() - start) / 1_000;
  while ((await ask({ query: 'synthetic' })).freshness.behind > 0) await delay(LOOK_MS);
  const seconds = (performance.now() - start) / 1_000;
  return (
    `${EVENTS} events posted in ${postedSeconds.toFixed(1)} s, all of them indexed ${seconds.toFixed(1)} s after the first: ` +
    `${Math.round(EVENTS / seconds)} events/s beside the ingest and half at rest after it`
  );
}

function eventOf(n: number): Record<string, unknown> {
  const envelope = benchEnvelope(n, `search-${n % 4}`);
  const rationale = `Synthetic record of the benchmark, group${n % 100}, rare${n % 1_000}.`;
  return { ...envelope, payload: { ...(envelope['payload'] as object), rationale } };
}

/** Measures the time from the answer of a post until a search finds the event. */
async function freshness(stack: Stack, ask: Ask): Promise<Figure> {
  const values: number[] = [];
  for (let n = 0; n < FRESH_POSTS; n++) {
    await stack.rest.post('/v1/events', JSON.stringify({ ...eventOf(EVENTS + n), source_record_id: `FRESH-${n}X` }));
    const start = performance.now();
    while ((await ask({ query: `FRESH-${n}X` })).total === 0) await delay(1);
    values.push(performance.now() - start);
  }
  return atMost('from the answer to a post until it is found', 'ms', FRESH_AIM_MS, values, []);
}
