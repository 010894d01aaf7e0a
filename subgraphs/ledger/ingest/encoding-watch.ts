import { isAscii } from 'node:buffer';
import type { IngestWarning } from './ports.js';

/** Watches the bytes of a body pass and notices text that is not UTF-8. */
export class EncodingWatch {
  #decoder: InstanceType<typeof TextDecoder> | null = new TextDecoder('utf-8', { fatal: true });
  #hasOpenCharacter = false;

  async *watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#see(chunk);
      yield chunk;
    }
    if (this.#hasOpenCharacter) this.#decode(new Uint8Array(), false);
  }

  /** The warning about a converted body; null for UTF-8. */
  get warning(): IngestWarning | null {
    if (this.#decoder !== null) return null;
    const message = 'the body is not UTF-8: text outside the declared character set is read as windows-1252 (Latin-1)';
    return { code: 'ENCODING_CONVERTED', message };
  }

  #see(chunk: Uint8Array): void {
    if (this.#decoder === null || (!this.#hasOpenCharacter && isAscii(chunk))) return;
    this.#hasOpenCharacter = true;
    this.#decode(chunk, true);
  }

  #decode(chunk: Uint8Array, stream: boolean): void {
    try {
      this.#decoder?.decode(chunk, { stream });
    } catch {
      this.#decoder = null;
    }
  }
}
