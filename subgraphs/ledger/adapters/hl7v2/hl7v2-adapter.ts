import type { Acknowledger, AdapterItem, AdapterOptions, FormatAdapter } from '../adapter.js';
import { Hl7Acknowledger } from './acknowledge.js';
import { Hl7Reader } from './hl7v2-reader.js';

/** HL7 v2 messages (2.1 to 2.8) in pipe notation, alone, in a row, in batches and files, in MLLP frames. */
export const hl7v2Adapter: FormatAdapter = {
  format: 'hl7v2',

  detect(head: Uint8Array): boolean {
    const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 256)).toString('latin1');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: 0x0B and 0x02 are framing bytes
    return /^(?:\xef\xbb\xbf)?[\s\x0b\x02]*(?:MSH|FHS|BHS)[^A-Za-z0-9\s]/.test(text);
  },

  async *read(chunks: AsyncIterable<Uint8Array>, options: AdapterOptions): AsyncGenerator<AdapterItem> {
    const reader = new Hl7Reader(options);
    for await (const chunk of chunks) {
      reader.splitter.push(chunk);
      for (const item of reader.drain()) yield item;
    }
    reader.finish();
    for (const item of reader.drain()) yield item;
  },

  acknowledger(): Acknowledger {
    return new Hl7Acknowledger();
  },
};
