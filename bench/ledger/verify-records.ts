import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { atLeast, type Figure, timed } from '../support/measure.js';
import type { Stack } from '../support/stack.js';

// Measures the phase RECORDS of GET /v1/ledger/verify: rows of legal matters compared with their facts.

const MATTERS = 4_000;
const CONNECTIONS = 8;
const ROUNDS = 3;
/** Rows a second. */
const AIM = 20_000;
const BYTES_PER_MEGABYTE = 1_000_000;

const MATTER = JSON.stringify({ name: 'Benchmark v. Baseline', kind: 'LITIGATION', description: 'A matter.' });
const QUERY =
  'query VerifyLedgerPart($state: String) { verifyLedgerPart(state: $state) { phase breaks { kind } next_state } }';

const Part = z.object({
  data: z.object({
    verifyLedgerPart: z.object({
      phase: z.string(),
      breaks: z.array(z.object({ kind: z.string() })),
      next_state: z.string().nullable(),
    }),
  }),
});

export async function benchVerifyRecords(stack: Stack): Promise<Figure> {
  await timed(MATTERS, CONNECTIONS, async () => {
    await stack.rest.post('/v1/legal-matters', MATTER);
    return 1;
  });
  const values: number[] = [];
  const lines: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = residentMegabytes(stack);
    const seconds = await secondsOfRecords(stack);
    values.push(MATTERS / seconds);
    lines.push(`resident memory before and after: ${before.toFixed(0)} MB, ${residentMegabytes(stack).toFixed(0)} MB`);
  }
  return atLeast(`verification of ${MATTERS} rows of records`, 'rows/s', AIM, values, lines);
}

/** Seconds of the parts in the phase RECORDS. */
async function secondsOfRecords({ rest }: Stack): Promise<number> {
  let seconds = 0;
  for (let state: string | null | undefined; state !== null; ) {
    const start = performance.now();
    const answer = await rest.post('/graphql', JSON.stringify({ query: QUERY, variables: { state } }));
    const { phase, breaks, next_state } = Part.parse(JSON.parse(answer)).data.verifyLedgerPart;
    if (breaks.length > 0) throw new Error('the ledger of the benchmark must verify');
    if (phase === 'RECORDS') seconds += (performance.now() - start) / 1_000;
    state = next_state;
  }
  return seconds;
}

const residentMegabytes = ({ processes }: Stack): number =>
  Object.values(processes).reduce((sum, pid) => sum + residentBytesOf(pid), 0) / BYTES_PER_MEGABYTE;

function residentBytesOf(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}
