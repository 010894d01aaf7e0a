import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { LentStream } from './lent-stream.js';

/**
 * A 200 (or 206) in a media type of its own, sent as it is made. When the client goes away the iterator is returned, so
 * that `finally` runs and nothing more is made. Refusals belong before it: once it has begun the status is out.
 */
export class StreamedAnswer {
  readonly mediaType: string;
  readonly chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    mediaType: string,
    chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
    {
      status = 200,
      headers = {},
    }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    this.mediaType = mediaType;
    this.chunks = chunks;
    this.status = status;
    this.headers = headers;
  }
}

/** The same of chunks that hold only until the next is asked for. */
export class LentAnswer extends StreamedAnswer {
  declare readonly chunks: AsyncIterable<Uint8Array>;
}

/** Chunks leave as they come: a line that waits for the next one would be no progress. */
export function sendStreamed(reply: FastifyReply, answer: StreamedAnswer): FastifyReply {
  const { mediaType, chunks, status, headers } = answer;
  reply.code(status).headers(headers).header('content-type', mediaType);
  if (answer instanceof LentAnswer) return reply.send(new LentStream(answer.chunks));
  return reply.send(Readable.from(chunks, { objectMode: false, highWaterMark: HIGH_WATER_MARK_BYTES }));
}

const HIGH_WATER_MARK_BYTES = 65_536;

/** Whether a client names this media type in Accept; wildcards mean the JSON that every route has. */
export function asksFor(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined) return false;
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === mediaType && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
