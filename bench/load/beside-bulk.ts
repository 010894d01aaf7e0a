import { benchEnvelope } from '../support/events.js';
import { postLargeBody } from '../support/large-body.js';
import { atMost, describeRun, type Results, type Run, timed } from '../support/measure.js';
import type { Stack } from '../support/stack.js';

/** An 837 of this size has somewhat more than 100,000 claims, and so events. */
const BULK_MEGABYTES = Number(process.env['BESIDE_BULK_MEGABYTES'] ?? 70);
const FIRST_CONTROL = 1;
/** The chain that `postLargeBody` appends to. */
const CHAIN = 'large';
const WARM_UP = 1_000;
const ALONE = 2_000;
const CALLERS = 8;
const MAX_BESIDE = 200_000;

/** Compares the slowest single events of a chain during an upload to the same chain with those of a quiet service. */
export async function benchBesideBulk(stack: Stack): Promise<Results> {
  let sent = 0;
  const single = async (): Promise<number> => {
    await stack.rest.post('/v1/events', JSON.stringify(benchEnvelope(sent++, CHAIN)));
    return 1;
  };
  await timed(WARM_UP, CALLERS, single);
  const alone = await timed(ALONE, CALLERS, single);
  let isOver = false;
  const upload = postLargeBody(stack, { first: FIRST_CONTROL, megabytes: BULK_MEGABYTES }).finally(() => {
    isOver = true;
  });
  const beside = await until(() => isOver, single);
  const { accepted, seconds } = await upload;
  const lines = [
    describeRun(`alone, ${CALLERS} callers`, alone),
    describeRun(`beside the upload, ${CALLERS} callers, ${beside.items} events`, beside),
    `the upload: ${accepted} events in ${seconds.toFixed(1)} s`,
  ];
  const name = 'p99 of single events beside an upload of 100,000 events to their chain / alone';
  return [atMost(name, 'times', 5, [beside.p99Ms / alone.p99Ms], lines)];
}

/** Runs calls until the end of other work, without the calls that begin after it. */
async function until(isOver: () => boolean, call: () => Promise<number>): Promise<Run> {
  const latencies: number[] = [];
  let items = 0;
  const start = performance.now();
  const lane = async (): Promise<void> => {
    while (!isOver() && items < MAX_BESIDE) {
      const from = performance.now();
      const done = await call();
      items += done;
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, lane));
  const seconds = (performance.now() - start) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? 0;
  return { items, seconds, perSecond: items / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}
