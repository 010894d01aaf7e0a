import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { LentStream } from './lent-stream.js';

/**
 * A streamed 200 (or 206) with its own media type. If the client disconnects, the iterator is returned, so that `finally`
 * runs. Reject before the first chunk: after it, the status is sent.
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

  /** Returns the same answer with other chunks. */
  over(chunks: AsyncIterable<string | Uint8Array>): StreamedAnswer {
    return new StreamedAnswer(this.mediaType, chunks, this);
  }
}

/** A streamed answer with chunks that are valid only until the next is read. */
export class LentAnswer extends StreamedAnswer {
  declare readonly chunks: AsyncIterable<Uint8Array>;

  override over(chunks: AsyncIterable<Uint8Array>): LentAnswer {
    return new LentAnswer(this.mediaType, chunks, this);
  }
}

/** Sends chunks without buffering, so that progress lines arrive at once. */
export function sendStreamed(reply: FastifyReply, answer: StreamedAnswer): FastifyReply {
  const { mediaType, chunks, status, headers } = answer;
  reply.code(status).headers(headers).header('content-type', mediaType);
  if (answer instanceof LentAnswer) return reply.send(new LentStream(answer.chunks));
  return reply.send(Readable.from(chunks, { objectMode: false, highWaterMark: HIGH_WATER_MARK_BYTES }));
}

const HIGH_WATER_MARK_BYTES = 65_536;

/** Returns whether Accept names this media type; a wildcard means the JSON of the route. */
export function asksFor(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined) return false;
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === mediaType && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
