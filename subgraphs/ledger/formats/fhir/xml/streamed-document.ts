import { createHash } from 'node:crypto';
import type { Part } from '../../format-adapter.js';
import { quoted } from './resource-writer.js';

/** A Bundle or Parameters that passes its entries on as JSON while they stream in. */
export class StreamedDocument {
  readonly type: 'Bundle' | 'Parameters';
  readonly encoding: string;
  /** Offset of its JSON; -1 before the first byte. */
  jsonStart = -1;
  entryCount = 0;
  readonly #start: number;
  readonly #hash = createHash('sha256');
  #hashedTo: number;
  #openList = '';

  constructor(type: StreamedDocument['type'], encoding: string, start: number) {
    this.type = type;
    this.encoding = encoding;
    this.#start = start;
    this.#hashedTo = start;
  }

  /** The list with the resources. */
  get listName(): string {
    return this.type === 'Bundle' ? 'entry' : 'parameter';
  }

  /** True after its first entry: from then on its bytes as a whole are not needed. */
  get hasEntries(): boolean {
    return this.entryCount > 0;
  }

  get hashedTo(): number {
    return this.#hashedTo;
  }

  /** Takes the next bytes of the document. */
  hash(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#hashedTo += bytes.length;
  }

  /** The document as far as it was hashed. */
  part(): Part {
    const length = this.#hashedTo - this.#start;
    return { offset: this.#start, length, sha256: this.#hash.copy().digest('hex') };
  }

  get head(): string {
    return `{"resourceType":${quoted(this.type)}`;
  }

  /** The JSON before a member, or before an item of a list: ends the list before, begins the next. */
  before(name: string, isItem: boolean): string {
    if (isItem && this.#openList === name) return ',';
    const closing = this.#openList === '' ? '' : ']';
    this.#openList = isItem ? name : '';
    return isItem ? `${closing},${quoted(name)}:[` : `${closing},`;
  }

  get tail(): string {
    return this.#openList === '' ? '}' : ']}';
  }
}
