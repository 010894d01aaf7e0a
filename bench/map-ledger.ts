import { type Ratio, ratioOf } from './support/measure.js';
import type { Stack } from './support/stack.js';
import { openMapLedger } from './tree/map-ledger.js';

// Measures what the state map costs ingest, with 100,000 members by Zipf's law, and what folding a ledger again costs.

const EVENTS = Number(process.env['BENCH_MAP_EVENTS'] ?? 20_000);
const ROUNDS = Number(process.env['BENCH_MAP_ROUNDS'] ?? 3);
const AIM_INGEST = 0.9;

export async function benchMapLedger(stack: Stack): Promise<readonly Ratio[]> {
  const mapped = await openMapLedger(stack.uri, 'mapped', true);
  const plain = await openMapLedger(stack.uri, 'plain', false);
  try {
    const pairs: [number, number][] = [];
    const lines: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const pair: [number, number] = [await mapped.ingest(EVENTS), await plain.ingest(EVENTS)];
      pairs.push(pair);
      const [with_, without] = pair;
      const cost = 1e6 / with_ - 1e6 / without;
      lines.push(
        `${with_.toFixed(0)} events/s with the map, ${without.toFixed(0)} without: ${cost.toFixed(0)} µs an event`,
      );
    }
    const { seconds, isRight, peakMegabytes } = await mapped.fold();
    if (!isRight) throw new Error('the fold gives another root than the ledger');
    const all = EVENTS * ROUNDS;
    lines.push(
      `fold of ${all} events: ${seconds.toFixed(1)} s (${(all / seconds).toFixed(0)} events/s), ${peakMegabytes.toFixed(0)} MB at most`,
    );
    return [ratioOf('ingest with the state map / without', AIM_INGEST, pairs, lines)];
  } finally {
    await mapped.stop();
    await plain.stop();
  }
}
