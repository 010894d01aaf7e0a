import { Readable } from 'node:stream';

/**
 * Sends chunks of reused memory: reads the next chunk only after the platform has released the last one. Node's `pipe` reads
 * the next chunk while the last is still being written.
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
      // The client has disconnected: leaving the loop ends the source.
      if (this.destroyed || !(await written(to, chunk))) return;
    }
    to.end();
    this.push(null);
    await ended(this);
  }
}

/** @returns false if the client disconnected; the chunk may not have been sent. */
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
