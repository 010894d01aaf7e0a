/** A client closed its connection before the end of its answer, so that the work for the answer stopped. No client sees it. */
export class CallerLeft extends Error {
  constructor() {
    super('the client left');
    this.name = 'CallerLeft';
  }
}

/** Status in the access log of a read that stopped because its client left. No client receives it. */
export const CLIENT_LEFT = 499;

/**
 * Loops of long reads call it between two pages.
 *
 * @param signal of the request (RequestContext.signal); undefined for work that is never cut.
 * @throws CallerLeft after the client has left
 */
export function stopIfLeft(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new CallerLeft();
}

/** Passes chunks on until the client leaves. @throws CallerLeft */
export async function* untilLeft<T>(chunks: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    stopIfLeft(signal);
    yield chunk;
  }
}
