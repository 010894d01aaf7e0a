import { adapterOf, type BodyReader } from '../emit.js';
import type { AdapterItem, AdapterOptions } from '../format-adapter.js';
import { FhirAcknowledger } from './acknowledge.js';
import { checkResource, type ResourceCheck } from './check/resource-check.js';
import { structureCheck } from './check/structure-check.js';
import { FhirReader } from './reader.js';
import { type ElementTypes, elementTypes } from './xml/element-types.js';
import { FhirXmlReader } from './xml/reader.js';

/** Blanks and marks before the first byte of a document. */
const LEADING = new Set([0xef, 0xbb, 0xbf, 0x20, 0x0a, 0x0d, 0x09, 0x1e, 0x0b, 0x02]);
const ANGLE_BRACKET = 0x3c;

/** Holds the leading blanks of a body until the first byte shows whether it is XML or JSON. */
class FhirBodyReader implements BodyReader {
  #reader: FhirReader | FhirXmlReader | null = null;
  #leading: Uint8Array[] = [];
  readonly #options: AdapterOptions;
  readonly #check: ResourceCheck | null;
  readonly #types: ElementTypes;

  constructor(options: AdapterOptions, check: ResourceCheck | null, types: ElementTypes) {
    this.#options = options;
    this.#check = check;
    this.#types = types;
  }

  push(chunk: Uint8Array): void {
    if (this.#reader !== null) {
      this.#reader.push(chunk);
      return;
    }
    this.#leading.push(chunk);
    const first = chunk.find((byte) => !LEADING.has(byte));
    if (first !== undefined) this.#open(first === ANGLE_BRACKET);
  }

  finish(): void {
    (this.#reader ?? this.#open(false)).finish();
  }

  drain(): AdapterItem[] {
    return this.#reader?.drain() ?? [];
  }

  #open(isXml: boolean): FhirReader | FhirXmlReader {
    const reader = isXml
      ? new FhirXmlReader(this.#options, this.#check, this.#types)
      : new FhirReader(this.#options, this.#check);
    for (const chunk of this.#leading) reader.push(chunk);
    this.#leading = [];
    this.#reader = reader;
    return reader;
  }
}

/** FHIR R4 in JSON or XML: a resource, a Bundle of any type, or several of these; in JSON one per line (NDJSON). */
export const fhirAdapter = adapterOf(
  'fhir',
  async (options) => new FhirBodyReader(options, options.strict ? await strictCheck() : null, await elementTypes()),
  () => new FhirAcknowledger(),
);

/** Checks the mapped elements and required value sets first, then the whole structure. */
async function strictCheck(): Promise<ResourceCheck> {
  const structure = await structureCheck();
  return (resource) => checkResource(resource) ?? structure(resource);
}
