import { delay } from '../../shared/clock/timers.js';

const DEADLINE_MS = 60_000;
const BETWEEN_MS = 50;

/** Looks until what is seen is what is awaited, a minute at most: what a change has left to do is done within seconds. */
export async function eventually<T>(look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> {
  const endMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const seen = await look();
    if (isThere(seen) || performance.now() > endMs) return seen;
    await delay(BETWEEN_MS);
  }
}
