import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type CountedDatabase, countedDatabase } from './support/counted-database.js';
import { benchEnvelope } from './support/events.js';
import { atMost, describeRun, type Figure, timed } from './support/measure.js';
import { type Stack, startStack } from './support/stack.js';

// Measures a page of 50 events with the member, the links and the documents of each, by an ad-hoc query of the graph: its
// time, and the calls to the database that it costs. Times are measured without the proxy that counts calls.

const OTHERS = Number(process.env['BENCH_EVENT_PAGE_OTHERS'] ?? 10_000);
const EVENTS = 200;
const PAGE = 50;
const BATCH = 500;
const READS = 60;
const ROUNDS = 3;
const COUNTED_READS = 40;
const AIM_MS = 25;
const AIM_CALLS = 6;
const PROGRAM = 'Bench Page';
const BOUNDARY = 'bench-event-page';

const QUERY = `query Page($after: String) {
  eventConnection(first: ${PAGE}, after: $after, filter: { program: { is: "${PROGRAM}" } }) {
    nodes {
      event_id event_family event_type outcome event_effective_timestamp payload
      member { member_id status name { family given } }
      links { kind event_id event_type via }
      documents { document_id title status }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface EventNode {
  readonly member: object | null;
  readonly links: readonly object[];
  readonly documents: readonly object[];
}

interface Page {
  readonly nodes: readonly EventNode[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

export async function benchEventPage(): Promise<readonly Figure[]> {
  return [await timedPages(), await countedPages()];
}

async function timedPages(): Promise<Figure> {
  const stack = await startStack();
  try {
    await fill(stack, OTHERS);
    const cursors = await checkedPages(stack);
    const lines = [`${EVENTS} events with a member, a link and a document each; ${OTHERS} events of others`];
    const medians: number[] = [];
    const read = async (n: number): Promise<number> => (await page(stack, cursors[n % cursors.length])).nodes.length;
    await timed(READS, 1, read);
    for (let round = 0; round < ROUNDS; round++) {
      const run = await timed(READS, 1, read);
      medians.push(run.p50Ms);
      lines.push(describeRun('events of pages', run));
    }
    const name = `a page of ${PAGE} events with member, links and documents`;
    return atMost(name, 'ms (median)', AIM_MS, medians, lines);
  } finally {
    await stack.stop();
  }
}

/** Counts the calls of some pages, less those of the same time without a request. */
async function countedPages(): Promise<Figure> {
  let database: CountedDatabase | undefined;
  const stack = await startStack({}, async (uri) => {
    database = await countedDatabase(uri);
    return database;
  });
  try {
    await fill(stack, 0);
    const cursors = await checkedPages(stack);
    const counts = database?.counts ?? new Map<string, number>();
    const fromMs = performance.now();
    const busy = await countedDuring(counts, async () => {
      for (let n = 0; n < COUNTED_READS; n++) await page(stack, cursors[n % cursors.length]);
    });
    const spentMs = performance.now() - fromMs;
    const idle = await countedDuring(counts, () => pause(spentMs));
    const per = (found: ReadonlyMap<string, number>, name: string): number => (found.get(name) ?? 0) / COUNTED_READS;
    const names = [...busy.keys()].filter((name) => per(busy, name) - per(idle, name) >= 0.1);
    const lines = names.map((name) => `${name}: ${(per(busy, name) - per(idle, name)).toFixed(2)}`);
    const sum = (found: ReadonlyMap<string, number>): number => [...found.values()].reduce((a, b) => a + b, 0);
    const calls = (sum(busy) - sum(idle)) / COUNTED_READS;
    return atMost(`calls to the database for such a page`, 'calls (mean)', AIM_CALLS, [calls], lines);
  } finally {
    await stack.stop();
  }
}

async function countedDuring(
  counts: ReadonlyMap<string, number>,
  work: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const before = new Map(counts);
  await work();
  const found = [...counts].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return new Map(found.filter(([, count]) => count > 0));
}

async function page({ rest }: Pick<Stack, 'rest'>, after: string | undefined): Promise<Page> {
  const answer = await rest.post('/graphql', JSON.stringify({ query: QUERY, variables: { after } }));
  const { data, errors } = JSON.parse(answer) as { data?: { eventConnection: Page }; errors?: unknown };
  if (errors !== undefined || data === undefined) throw new Error(`the page failed: ${answer.slice(0, 300)}`);
  return data.eventConnection;
}

/** Reads all pages once and checks their edges. Returns the cursor of each page; the first page has none. */
async function checkedPages(stack: Stack): Promise<readonly (string | undefined)[]> {
  for (;;) {
    const cursors: (string | undefined)[] = [];
    const nodes: EventNode[] = [];
    let after: string | undefined;
    do {
      const found = await page(stack, after);
      cursors.push(after);
      nodes.push(...found.nodes);
      after = found.pageInfo.hasNextPage ? found.pageInfo.endCursor : undefined;
    } while (after !== undefined);
    const whole = nodes.filter(({ member, links, documents }) => member && links.length > 0 && documents.length > 0);
    if (whole.length === EVENTS) return cursors;
    // The search index and the links follow the ledger.
    await pause(200);
  }
}

async function fill({ rest, raw }: Stack, others: number): Promise<void> {
  const post = (path: string, body: object): Promise<string> => rest.post(path, JSON.stringify(body));
  for (let from = 0; from < others; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, n) => benchEnvelope(from + n, 'page-others'));
    await post('/v1/events', batch);
  }
  const own = Array.from({ length: EVENTS }, (_, n) => eventOf(n));
  const answer = JSON.parse(await post('/v1/events', own)) as { results: { event_id: string }[] };
  for (let n = 0; n < EVENTS; n++) {
    const name = { family: `Bench${n}`, given: ['Pat'] };
    await post('/v1/members', { member_id: `P-${n}`, name, birth_date: '1970-01-01' });
    const form = formOf(`letter ${n} of the benchmark`, { event_ids: answer.results[n]?.event_id ?? '' });
    await rest.post('/v1/documents', Readable.from([form]), `multipart/form-data; boundary=${BOUNDARY}`);
  }
  const pending = { 'scan.status': 'PENDING' };
  while ((await raw.db('eas').collection('documents').countDocuments(pending, { limit: 1 })) > 0) await pause(200);
}

/** Claims and remittances in turn; the two of a pair name the same claim. */
function eventOf(n: number): object {
  const { payload, ...envelope } = benchEnvelope(n, 'page-own');
  const isClaim = n % 2 === 0;
  const claim_id = `CLM-PAGE-${Math.floor(n / 2)}`;
  return {
    ...envelope,
    ...(isClaim ? {} : { event_family: 'remittance', event_type: 'claim_paid', outcome: 'paid' }),
    member_id: `P-${n}`,
    payload: { ...Object(payload), claim_id, program: PROGRAM },
  };
}

function formOf(text: string, fields: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`;
  return Buffer.from(`${parts.join('')}${file}${text}\r\n--${BOUNDARY}--\r\n`);
}
