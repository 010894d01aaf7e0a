import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerLeft } from '../../shared/errors/caller-left.js';
import { leavingSignal } from '../../shared/http/leaving-signal.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import type { Made } from '../make-answer.js';
import type { Route } from '../route.js';
import { StreamedAnswer } from '../streams/streamed-answer.js';

interface StopDeps {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'stopped'>;
}

/**
 * Makes the answer to a read with a signal that aborts when the client leaves. Logs and counts work that stopped for it,
 * in the handler or while the answer streams.
 *
 * @throws CallerLeft
 */
export async function whileClientStays(
  { logger, metrics }: StopDeps,
  { area }: Pick<Route, 'area'>,
  request: FastifyRequest,
  reply: FastifyReply,
  make: (signal: AbortSignal) => Promise<Made>,
): Promise<Made> {
  const signal = leavingSignal(reply.raw);
  const stopped = (): void => {
    metrics.stopped(area);
    logger.debug({ request_id: request.id, area }, 'a read stopped, because its client left');
  };
  try {
    const made = await make(signal);
    return made instanceof StreamedAnswer ? made.over(watched(made.chunks, signal, stopped)) : made;
  } catch (error) {
    if (error instanceof CallerLeft) stopped();
    throw error;
  }
}

async function* watched<T>(
  chunks: AsyncIterable<T> | Iterable<T>,
  signal: AbortSignal,
  stopped: () => void,
): AsyncGenerator<T> {
  let ended = false;
  try {
    yield* chunks;
    ended = true;
  } finally {
    if (!ended && signal.aborted) stopped();
  }
}
