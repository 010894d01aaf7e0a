import { sniffFormat } from '../../domain/sniff-format.js';
import type { Acknowledger, AdapterItem, AdapterOptions, FormatAdapter } from '../adapter.js';
import { NcpdpAcknowledger } from './acknowledge.js';
import { ScriptReader } from './script/script-reader.js';
import { TelecomReader } from './telecom/telecom-reader.js';

const headBytes = 256;

/** NCPDP: Telecommunication D.0 requests and responses, alone or in batches, and SCRIPT messages in XML. */
export const ncpdpAdapter: FormatAdapter = {
  format: 'ncpdp',

  detect(head: Uint8Array): boolean {
    return sniffFormat(head) === 'ncpdp';
  },

  async *read(chunks: AsyncIterable<Uint8Array>, options: AdapterOptions): AsyncGenerator<AdapterItem> {
    let reader: TelecomReader | ScriptReader | null = null;
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    for await (const chunk of chunks) {
      if (reader === null) {
        held.push(chunk);
        heldBytes += chunk.length;
        if (heldBytes < headBytes) continue;
        reader = readerOf(held, options);
        held = [];
      } else reader.push(chunk);
      for (const item of reader.drain()) yield item;
    }
    reader ??= readerOf(held, options);
    reader.finish();
    for (const item of reader.drain()) yield item;
  },

  acknowledger(): Acknowledger {
    return new NcpdpAcknowledger();
  },
};

/** SCRIPT begins with an element, D.0 never does. */
function readerOf(held: readonly Uint8Array[], options: AdapterOptions): TelecomReader | ScriptReader {
  const head = Buffer.concat(held).subarray(0, headBytes).toString('latin1');
  const reader = /^(?:\xef\xbb\xbf)?\s*</.test(head) ? new ScriptReader(options) : new TelecomReader(options);
  for (const chunk of held) reader.push(chunk);
  return reader;
}
