import { adapterOf, type BodyReader } from '../emit.js';
import type { AdapterItem, AdapterOptions } from '../format-adapter.js';
import { NcpdpAcknowledger } from './acknowledge.js';
import { ScriptReader } from './script/reader.js';
import { TelecomReader } from './telecom/reader.js';

const HEAD_BYTES = 256;

/** Holds the first bytes of a body until they show its kind: SCRIPT begins with an element; Telecommunication never does. */
class NcpdpReader implements BodyReader {
  #reader: TelecomReader | ScriptReader | null = null;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  readonly #options: AdapterOptions;

  constructor(options: AdapterOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    if (this.#reader !== null) {
      this.#reader.push(chunk);
      return;
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes >= HEAD_BYTES) this.#open();
  }

  finish(): void {
    (this.#reader ?? this.#open()).finish();
  }

  drain(): AdapterItem[] {
    return this.#reader?.drain() ?? [];
  }

  #open(): TelecomReader | ScriptReader {
    const head = Buffer.concat(this.#held).subarray(0, HEAD_BYTES).toString('latin1');
    const isScript = /^(?:\xef\xbb\xbf)?\s*</.test(head);
    this.#reader = isScript ? new ScriptReader(this.#options) : new TelecomReader(this.#options);
    for (const chunk of this.#held) this.#reader.push(chunk);
    this.#held = [];
    return this.#reader;
  }
}

/** NCPDP: Telecommunication D.0 and F6 requests and responses, alone or in batches, and SCRIPT messages in XML. */
export const ncpdpAdapter = adapterOf(
  'ncpdp',
  (options) => new NcpdpReader(options),
  () => new NcpdpAcknowledger(),
);
