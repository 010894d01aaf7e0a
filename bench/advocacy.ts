import { withCpu } from './support/cpu.js';
import { atMost, describeRun, type Figure, type Ratio, type Results, ratioOf, timed } from './support/measure.js';
import type { Stack } from './support/stack.js';

// Measures the cost of an explanation and of a guideline check against a plain read of the same event.

const EVENTS = 200;
const WARM_CALLS = 200;
const CALLS = Number(process.env['BENCH_ADVOCACY_CALLS'] ?? 2_000);
const CONNECTIONS = 32;
const ROUNDS = 3;

/** Share of the rate of a plain event read. */
const RATE_AIM = 0.3;

const ANSWERS = [
  { name: 'explain', aimMs: 3 },
  { name: 'guideline', aimMs: 5 },
] as const;

/** Milliseconds of one call at a time, and calls a second on 32 connections against plain reads, pair by pair. */
export async function benchAdvocacy(stack: Stack): Promise<Results> {
  const ids = await fill(stack);
  const reads = (path: (id: string) => string, calls: number, concurrency: number) =>
    timed(calls, concurrency, async (n) => {
      await stack.rest.get(path(ids[n % ids.length] ?? ''));
      return 1;
    });
  const plain = (id: string): string => `/v1/events/${id}`;
  await reads(plain, WARM_CALLS, CONNECTIONS);
  const figures: Figure[] = [];
  const ratios: Ratio[] = [];
  for (const { name, aimMs } of ANSWERS) {
    const answer = (id: string): string => `/v1/advocacy/${name}/${id}`;
    await reads(answer, WARM_CALLS, CONNECTIONS);
    const alone = [];
    const pairs: [number, number][] = [];
    const lines: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const single = await reads(answer, EVENTS, 1);
      alone.push(single);
      const ours = await withCpu(stack.processes, () => reads(answer, CALLS, CONNECTIONS));
      const base = await withCpu(stack.processes, () => reads(plain, CALLS, CONNECTIONS));
      pairs.push([ours.run.perSecond, base.run.perSecond]);
      lines.push(describeRun(name, ours.run), ours.cpu, describeRun('plain event read', base.run), base.cpu);
    }
    figures.push(
      atMost(
        `${name}, one at a time`,
        'ms p50',
        aimMs,
        alone.map(({ p50Ms }) => p50Ms),
        alone.map((run) => describeRun(name, run)),
      ),
    );
    ratios.push(ratioOf(`${name} / plain event read, ${CONNECTIONS} connections`, RATE_AIM, pairs, lines));
  }
  return { figures, ratios };
}

/** Denials with several reasons, for a service that guidelines mention. */
async function fill(stack: Stack): Promise<readonly string[]> {
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    event_family: 'remittance',
    event_type: 'claim_adjudicated',
    member_id: `M-${n % 50}`,
    source_system: 'payer',
    source_record_id: `R-${n}`,
    event_effective_timestamp: '2026-03-02T14:11:09.123Z',
    outcome: 'denied',
    payload: {
      program: 'Medicare',
      program_code: '16',
      jurisdiction: 'US-OH',
      procedure_codes: ['E0601'],
      diagnosis_codes: ['G47.33'],
      carc: ['50', '45', '1'],
      rarc: ['N115'],
      adjustments: [
        { group: 'CO', reason: '50', amount: '120.00', level: 'line', line: 1 },
        { group: 'CO', reason: '45', amount: '30.00', level: 'line', line: 1 },
        { group: 'PR', reason: '1', amount: '50.00', level: 'line', line: 1 },
      ],
      amounts: { charge: '200.00', paid: '0.00' },
      rationale: 'Not shown to be needed.',
    },
  }));
  const answer = JSON.parse(await stack.rest.post('/v1/events', JSON.stringify({ events }))) as {
    readonly results: readonly { readonly event_id: string }[];
  };
  return answer.results.map(({ event_id }) => event_id);
}
