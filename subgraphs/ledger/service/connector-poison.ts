import { delay } from '../../../shared/clock/timers.js';
import { asProblem } from '../../../shared/errors/unexpected.js';

/** Between attempts: what another's write has disturbed passes, and what the bytes bring about does not. */
const PAUSES_MS = [200, 1_000];

/**
 * What is told of bytes at which the service itself fails each time. They must not stop what comes after them, so they are
 * set aside as refused: kept, with an exception for a person.
 */
export const POISON = {
  code: 'INTERNAL',
  message: 'The service failed each time it tried to read this; the bytes are kept and can be posted again.',
} as const;

/** Whether the service itself has failed; a database that is out of reach or writes that are held up are worth waiting for. */
export const isOwnFailure = (error: unknown): boolean => asProblem(error).code === POISON.code;

/** Does work that may be done again, until it does not end in a failure of our own. @throws the last failure */
export async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isOwnFailure(error)) throw error;
      await delay(pauseMs);
    }
  }
  return work();
}
