import { delay } from '../../shared/clock/timers.js';
import { benchEnvelope } from '../support/events.js';
import { atLeast, atMost, describeRun, type Figure, timed } from '../support/measure.js';
import type { Stack } from '../support/stack.js';
import { type LocalTree, openLocalTree } from './local-tree.js';

// Measures the tree: leaves per second, one proof among N, and the delay between an event and its checkpoint.

/** Size of the largest tree. The aims are for `BENCH_TREE_ENTRIES=1000000`, which takes minutes to fill. */
const LARGEST = Number(process.env['BENCH_TREE_ENTRIES'] ?? 100_000);
const SMALLEST = 10_000;
const PROOFS = 400;
const PROOF_AIM_MS = 2;
const LAG_SECONDS = Number(process.env['BENCH_TREE_LAG_SECONDS'] ?? 40);
const LAG_AIM_MS = 15_000;
const ASSIGN_AIM = 10_000;
const BATCH_EVENTS = 100;
const PAUSE_MS = 250;

export async function benchTree(stack: Stack): Promise<readonly Figure[]> {
  const lag = await checkpointLag(stack);
  const tree = await openLocalTree(stack.uri);
  try {
    const figures: Figure[] = [lag];
    for (let entries = SMALLEST; entries <= LARGEST; entries *= 10) figures.push(...(await atSize(tree, entries)));
    return figures;
  } finally {
    await tree.stop();
  }
}

async function atSize(tree: LocalTree, entries: number): Promise<readonly Figure[]> {
  await tree.fill(entries);
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  const { assigned, turns } = await tree.keep();
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const assigning: Figure = atLeast(
    `places in a tree up to ${entries} entries`,
    'entries/s',
    ASSIGN_AIM,
    [assigned / seconds],
    [
      `${assigned} entries in ${turns} turns with a checkpoint each, ${((user + system) / assigned).toFixed(1)} µs of this process's CPU an entry`,
    ],
  );
  return [assigning, await proofs(tree, entries, false), await proofs(tree, entries, true)];
}

async function proofs(tree: LocalTree, entries: number, cold: boolean): Promise<Figure> {
  const deepest = Math.ceil(Math.log2(entries));
  let most = 0;
  const run = await timed(cold ? PROOFS / 10 : PROOFS, 1, async (n) => {
    const hashes = await tree.prove((n * 7_919_777) % entries, cold);
    most = Math.max(most, hashes);
    return 1;
  });
  if (most > deepest) throw new Error(`a proof of ${most} hashes among ${entries}`);
  return atMost(
    `proof of one among ${entries} entries${cold ? ', of a process that has read no tile yet' : ''}`,
    'ms (median)',
    PROOF_AIM_MS,
    [run.p50Ms],
    [`${most} hashes at most, ⌈log₂ n⌉ is ${deepest}`, describeRun('proofs', run)],
  );
}

interface Published {
  readonly tree_size: number;
  readonly published_at: string;
}

/** Measures the time from an event's answer to the first published checkpoint that covers it, under a light load. */
async function checkpointLag({ rest }: Stack): Promise<Figure> {
  const posted: { readonly id: string; readonly atMs: number }[] = [];
  const endMs = performance.now() + LAG_SECONDS * 1_000;
  for (let batch = 0; performance.now() < endMs; batch++) {
    const events = Array.from({ length: BATCH_EVENTS }, (_, i) => benchEnvelope(batch * BATCH_EVENTS + i, 'tree-lag'));
    const { results } = JSON.parse(await rest.post('/v1/events', JSON.stringify(events))) as {
      readonly results: readonly { readonly event_id: string; readonly accepted_at: string }[];
    };
    const last = results.at(-1);
    if (last) posted.push({ id: last.event_id, atMs: Date.parse(last.accepted_at) });
    await delay(PAUSE_MS);
  }
  const indexes = await placesOf(rest, posted);
  const { items } = JSON.parse(await rest.get('/v1/ledger/checkpoints?order=asc&limit=500')) as {
    readonly items: readonly Published[];
  };
  const lags = posted.map(({ atMs }, i) => {
    const covering = items.find(({ tree_size }) => tree_size > (indexes[i] ?? Number.NaN));
    return Date.parse(covering?.published_at ?? '') - atMs;
  });
  lags.sort((a, b) => a - b);
  const at = (share: number): number => lags[Math.min(lags.length - 1, Math.floor(lags.length * share))] ?? Number.NaN;
  return atMost(
    'from an event to its checkpoint',
    'ms (p99)',
    LAG_AIM_MS,
    [at(0.99)],
    [`${lags.length} events of ${lags.length * BATCH_EVENTS}, ${items.length} checkpoints, p50 ${at(0.5)} ms`],
  );
}

/** Returns the tree indexes of the events; waits until a checkpoint covers each event. */
async function placesOf(rest: Stack['rest'], posted: readonly { readonly id: string }[]): Promise<readonly number[]> {
  const places: number[] = [];
  for (const { id } of posted) {
    for (;;) {
      const event = JSON.parse(await rest.get(`/v1/events/${id}`)) as { readonly tree_index: number | null };
      const latest = JSON.parse(await rest.get('/v1/ledger/checkpoints?limit=1')) as {
        readonly items: readonly Published[];
      };
      if (event.tree_index !== null && event.tree_index < (latest.items[0]?.tree_size ?? 0)) {
        places.push(event.tree_index);
        break;
      }
      await delay(PAUSE_MS);
    }
  }
  return places;
}
