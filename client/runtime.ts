// The clock, the timer and the randomness of the client: the package has no code of the service, so it has its own.

/** @returns milliseconds since 1970. */
export const nowMs = (): number => Date.now();

/** @returns a new Idempotency-Key, a UUID. */
export const newIdempotencyKey = (): string => crypto.randomUUID();

/** @returns a number from 0 to 1, which spreads the retries of many clients. */
export const jitter = (): number => Math.random();

/** Waits, and ends early with the signal's reason when it aborts. */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
