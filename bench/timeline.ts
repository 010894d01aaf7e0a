import { Readable } from 'node:stream';
import { benchEnvelope } from './support/events.js';
import { atMost, describeRun, type Figure, timed } from './support/measure.js';
import type { Stack } from './support/stack.js';

// Measures a page of a member's timeline over REST: events and decisions from the ledger and the advocacy subgraph, documents
// and holds from the vault, bundles, and consents, appointments and a care team from the directory. Other members have
// events too.

const OTHERS = Number(process.env['BENCH_TIMELINE_EVENTS'] ?? 10_000);
const MEMBER = 'T-bench';
const BATCH = 500;
const EVENTS = 200;
const DECISIONS = 40;
const DOCUMENTS = 40;
const VISITS = 10;
const CONSENTS = 5;
const PAGE = 50;
const READS = 60;
const ROUNDS = 3;
const AIM_MS = 20;
const FIRST_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const BOUNDARY = 'bench-timeline';

interface Page {
  readonly items: readonly { readonly kind: string }[];
  readonly next_cursor: string | null;
}

export async function benchTimeline(stack: Stack): Promise<readonly Figure[]> {
  await fill(stack);
  const read = async (cursor: string | null): Promise<Page> => {
    const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    return JSON.parse(await stack.rest.get(`/v1/members/${MEMBER}/timeline?limit=${PAGE}${after}`)) as Page;
  };
  const cursors: (string | null)[] = [null];
  const kinds = new Map<string, number>();
  for (let cursor: string | null = null; ; cursor = cursors.at(-1) ?? null) {
    const page: Page = await read(cursor);
    for (const { kind } of page.items) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (page.next_cursor === null) break;
    cursors.push(page.next_cursor);
  }
  if (kinds.size < 8) throw new Error(`kinds are lacking: ${[...kinds.keys()]}`);
  const full = cursors.slice(0, -1);
  const lines = [
    `${[...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ')}; ${OTHERS} events of others beside them`,
  ];
  const medians: number[] = [];
  await timed(READS, 1, async (n) => (await read(full[n % full.length] ?? null)).items.length);
  for (let round = 0; round < ROUNDS; round++) {
    const run = await timed(READS, 1, async (n) => (await read(full[n % full.length] ?? null)).items.length);
    medians.push(run.p50Ms);
    lines.push(describeRun('items of pages', run));
  }
  return [atMost(`a page of ${PAGE} of a timeline over five subgraphs`, 'ms (median)', AIM_MS, medians, lines)];
}

const dayOf = (n: number, of: number): string => new Date(FIRST_MS + (n / of) * 300 * DAY_MS).toISOString();

async function fill({ rest, raw }: Stack): Promise<void> {
  const post = (path: string, body: object): Promise<string> => rest.post(path, JSON.stringify(body));
  for (let from = 0; from < OTHERS; from += BATCH) {
    await post(
      '/v1/events',
      Array.from({ length: BATCH }, (_, n) => benchEnvelope(from + n, 'timeline-others')),
    );
  }
  const own = Array.from({ length: EVENTS }, (_, n) => ({
    ...benchEnvelope(n, 'timeline-own'),
    member_id: MEMBER,
    event_effective_timestamp: dayOf(n, EVENTS),
  }));
  await post('/v1/events', own);
  await post('/v1/members', { member_id: MEMBER, name: { family: 'Bench', given: ['Tim'] }, birth_date: '1970-01-01' });
  for (let n = 0; n < DECISIONS; n++) {
    await post('/v1/ai-decisions', {
      decision_type: 'OTHER',
      model: { name: 'bench', version: '1' },
      inputs: [],
      recommendation: 'REFER',
      member_id: MEMBER,
      decided_at: dayOf(n, DECISIONS),
    });
  }
  for (let n = 0; n < DOCUMENTS; n++) {
    const form = formOf(`letter ${n} of the benchmark`, { member_id: MEMBER, effective_at: dayOf(n, DOCUMENTS) });
    await rest.post('/v1/documents', Readable.from([form]), `multipart/form-data; boundary=${BOUNDARY}`);
  }
  for (let n = 0; n < VISITS; n++) {
    await post('/v1/appointments', { member_id: MEMBER, service_type: 'PEER_TO_PEER', reason: `Visit ${n}.` });
  }
  for (let n = 0; n < CONSENTS; n++) {
    await post('/v1/consent', { member_id: MEMBER, decision: 'PERMIT', purpose: `BENCH_${n}` });
  }
  await post('/v1/care-team', { member_id: MEMBER, role: 'PRIMARY_CARE', npi: '1234567893', name: 'Dr. A. Okafor' });
  await post('/v1/legal-holds', { name: 'bench', reason: 'Bench.', scope: { member_ids: [MEMBER] } });
  await post('/v1/bundles', { scope: { member_id: MEMBER } });
  // Waits until the background work after the answers is done.
  const pending = { 'scan.status': 'PENDING' };
  while ((await raw.db('eas').collection('documents').countDocuments(pending, { limit: 1 })) > 0) await pause();
  while (!/"status":"(SEALED|FAILED)"/.test(await rest.get('/v1/bundles'))) await pause();
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200));

function formOf(text: string, fields: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`;
  return Buffer.from(`${parts.join('')}${file}${text}\r\n--${BOUNDARY}--\r\n`);
}
