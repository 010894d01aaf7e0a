import { delay } from '../../shared/clock/timers.js';

const DEADLINE_MS = 60_000;
const BETWEEN_MS = 50;

/** Polls until the read value is as expected, for at most a minute: pending effects take seconds. */
export async function eventually<T>(look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> {
  const endMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const seen = await look();
    if (isThere(seen) || performance.now() > endMs) return seen;
    await delay(BETWEEN_MS);
  }
}
