import { benchEnvelope } from '../support/events.js';
import { atMost, type Figure, timed } from '../support/measure.js';
import { residentKb, restPeak } from '../support/resident.js';
import type { Stack } from '../support/stack.js';
import { zipfMembers } from '../support/zipf.js';
import { verifiedParts } from './verify-parts.js';

// Measures GET /v1/ledger/verify over a whole ledger, its state map folded again: time by phase, and memory.
// `--verify-events=1000000` measures a million events.

const EVENTS = Number(process.argv.find((word) => word.startsWith('--verify-events='))?.slice(16) ?? 100_000);
const BATCH = 500;
const CONNECTIONS = 8;
const MEMBERS = 100_000;
/** Growth in MB that the number of events does not change. */
const AIM_GROWTH = 300;
const KB_PER_MEGABYTE = 1_000;

export async function benchVerifyLarge(stack: Stack): Promise<Figure> {
  await ingest(stack);
  const { service } = stack.processes;
  if (service === undefined) throw new Error('the service of the benchmark has no process');
  const before = await restPeak(service);
  const phases = new Map<string, { seconds: number; cpu: number }>();
  let checked = 0;
  let seconds = 0;
  for await (const part of verifiedParts(stack)) {
    const sum = phases.get(part.phase) ?? { seconds: 0, cpu: 0 };
    phases.set(part.phase, { seconds: sum.seconds + part.seconds, cpu: sum.cpu + part.cpu });
    checked = Math.max(checked, part.checked);
    seconds += part.seconds;
  }
  if (checked < EVENTS) throw new Error('the verification must check every event');
  const grown = ((await residentKb(service, 'VmHWM')) - before) / KB_PER_MEGABYTE;
  const lines = [...phases].map(([phase, sum]) => `${phase}: ${sum.seconds.toFixed(1)} s, CPU ${sum.cpu.toFixed(1)} s`);
  return atMost(
    `growth of memory while ${checked} entries are verified with the fold`,
    'MB',
    AIM_GROWTH,
    [grown],
    [
      `${seconds.toFixed(1)} s in all, ${Math.round(checked / seconds)} entries/s`,
      ...lines,
      `resident memory before: ${(before / KB_PER_MEGABYTE).toFixed(0)} MB`,
    ],
  );
}

async function ingest({ rest }: Stack): Promise<void> {
  const memberOf = zipfMembers(MEMBERS);
  await timed(Math.ceil(EVENTS / BATCH), CONNECTIONS, async (call) => {
    const events = Array.from({ length: BATCH }, (_, i) => {
      const n = call * BATCH + i;
      return { ...benchEnvelope(n, `source-${n % 4}`), member_id: `M-${memberOf(n)}` };
    });
    await rest.post('/v1/events', JSON.stringify({ events }));
    return BATCH;
  });
}
