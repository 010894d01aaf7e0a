import { readFileSync } from 'node:fs';
import { atLeast, type Figure, timed } from '../support/measure.js';
import type { Stack } from '../support/stack.js';
import { verifiedParts } from './verify-parts.js';

// Measures the phase RECORDS of GET /v1/ledger/verify: rows of legal matters compared with their facts.

const MATTERS = 4_000;
const CONNECTIONS = 8;
const ROUNDS = 3;
/** Rows a second. */
const AIM = 20_000;
const BYTES_PER_MEGABYTE = 1_000_000;

const MATTER = JSON.stringify({ name: 'Benchmark v. Baseline', kind: 'LITIGATION', description: 'A matter.' });
export async function benchVerifyRecords(stack: Stack): Promise<Figure> {
  await timed(MATTERS, CONNECTIONS, async () => {
    await stack.rest.post('/v1/legal-matters', MATTER);
    return 1;
  });
  const values: number[] = [];
  const lines: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = residentMegabytes(stack);
    const { seconds, cpu } = await costOfRecords(stack);
    values.push(MATTERS / seconds);
    lines.push(`resident memory before and after: ${before.toFixed(0)} MB, ${residentMegabytes(stack).toFixed(0)} MB`);
    lines.push(`CPU of all processes per row: ${Math.round((cpu / MATTERS) * 1e6)} µs`);
  }
  return atLeast(`verification of ${MATTERS} rows of records`, 'rows/s', AIM, values, lines);
}

/** Cost of the parts in the phase RECORDS. */
async function costOfRecords(stack: Stack): Promise<{ readonly seconds: number; readonly cpu: number }> {
  const cost = { seconds: 0, cpu: 0 };
  for await (const { phase, seconds, cpu } of verifiedParts(stack)) {
    if (phase !== 'RECORDS') continue;
    cost.seconds += seconds;
    cost.cpu += cpu;
  }
  return cost;
}

const residentMegabytes = ({ processes }: Stack): number =>
  Object.values(processes).reduce((sum, pid) => sum + residentBytesOf(pid), 0) / BYTES_PER_MEGABYTE;

function residentBytesOf(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}
