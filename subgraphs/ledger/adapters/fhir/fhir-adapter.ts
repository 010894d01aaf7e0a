import type { Acknowledger, AdapterItem, AdapterOptions, FormatAdapter } from '../adapter.js';
import { FhirAcknowledger } from './acknowledge.js';
import { FhirReader } from './fhir-reader.js';
import { checkResource, type ResourceCheck } from './resource-check.js';
import { structureCheck } from './structure-check.js';

/** FHIR R4 in JSON: a resource, a Bundle of any type, or one of them a line (NDJSON). */
export const fhirAdapter: FormatAdapter = {
  format: 'fhir',

  detect(head: Uint8Array): boolean {
    const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 4096)).toString('latin1');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: 0x0B and 0x02 are framing bytes
    return /^(?:\xef\xbb\xbf)?[\s\x0b\x02\x1e]*\{/.test(text) && text.includes('"resourceType"');
  },

  async *read(chunks: AsyncIterable<Uint8Array>, options: AdapterOptions): AsyncGenerator<AdapterItem> {
    const reader = new FhirReader(options, options.strict ? await strictCheck() : null);
    for await (const chunk of chunks) {
      reader.splitter.push(chunk);
      for (const item of reader.drain()) yield item;
    }
    reader.finish();
    for (const item of reader.drain()) yield item;
  },

  acknowledger(): Acknowledger {
    return new FhirAcknowledger();
  },
};

/** First what is mapped, and codes of the value sets that R4 requires; then the structure of all of it. */
async function strictCheck(): Promise<ResourceCheck> {
  const structure = await structureCheck();
  return (resource) => checkResource(resource) ?? structure(resource);
}
