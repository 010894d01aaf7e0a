import { delay } from '../../shared/clock/timers.js';

const DEADLINE_MS = 150_000;
const BETWEEN_MS = 50;

/** Polls until the read value is as expected, for at most some minutes: pending effects take seconds, and longer on a busy machine. */
export async function eventually<T>(look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> {
  const endMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const seen = await look();
    if (isThere(seen) || performance.now() > endMs) return seen;
    await delay(BETWEEN_MS);
  }
}
