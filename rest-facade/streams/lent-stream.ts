import { Readable } from 'node:stream';

/**
 * Sends chunks whose memory is lent: each is written, and the next asked for only when the platform has let go of it.
 * Node's own `pipe` asks for the next one while the last is still on its way into the socket.
 */
export class LentStream extends Readable {
  readonly #chunks: AsyncIterable<Uint8Array>;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    super({ read: () => undefined });
    this.#chunks = chunks;
  }

  override pipe<T extends NodeJS.WritableStream>(to: T, _options?: { readonly end?: boolean }): T {
    this.#send(to).then(
      () => this.destroy(),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    return to;
  }

  async #send(to: NodeJS.WritableStream): Promise<void> {
    for await (const chunk of this.#chunks) {
      // Whoever asked has left: leaving the loop ends the source.
      if (this.destroyed || !(await written(to, chunk))) return;
    }
    to.end();
    this.push(null);
    await ended(this);
  }
}

/** @returns false when the other side went away: nobody may count on the chunk having left. */
function written(to: NodeJS.WritableStream, chunk: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const gone = (): void => resolve(false);
    to.once('close', gone);
    to.write(chunk, (error) => {
      to.removeListener('close', gone);
      resolve(!error);
    });
  });
}

const ended = (stream: Readable): Promise<void> =>
  new Promise((resolve) => stream.once('end', resolve).once('close', resolve).resume());
