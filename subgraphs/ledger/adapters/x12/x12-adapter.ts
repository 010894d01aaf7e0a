import type { Acknowledger, AdapterItem, AdapterOptions, FormatAdapter } from '../adapter.js';
import { X12Acknowledger } from './acknowledge.js';
import { InterchangeReader } from './interchange-reader.js';
import { readIsa, skipBlanks } from './separators.js';

/** X12 health-care transactions: 837, 835, 278, 277 and 271, versions 004010 and 005010; others are refused by name. */
export const x12Adapter: FormatAdapter = {
  format: 'x12',

  detect(head: Uint8Array): boolean {
    const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1');
    const start = skipBlanks(text, 0);
    if (text.startsWith('GS*', start) || text.startsWith('ST*', start)) return true;
    return text.startsWith('ISA', start) && readIsa(text, start).state === 'read';
  },

  async *read(chunks: AsyncIterable<Uint8Array>, options: AdapterOptions): AsyncGenerator<AdapterItem> {
    const reader = new InterchangeReader(options);
    for await (const chunk of chunks) {
      reader.tokenizer.push(chunk);
      for (const item of reader.queue.drain()) yield item;
    }
    reader.tokenizer.finish();
    for (const item of reader.queue.drain()) yield item;
  },

  acknowledger(about: { readonly strict: boolean }): Acknowledger {
    return new X12Acknowledger(about);
  },
};
