import { asBuffer } from './bytes.js';

/** A JSON object in the body: a document, or an entry of a Bundle. Offsets count from the start of the body. */
export interface Unit {
  readonly kind: 'document' | 'entry';
  readonly start: number;
  readonly end: number;
  /** The resource of an entry, or the document itself. Empty (`from` = `to`) if the entry has none. */
  readonly resource: { readonly from: number; readonly to: number };
  /** Members written (`key:`), including repeated keys, which the parse keeps once. */
  readonly members: number;
  readonly tooDeep: boolean;
  /** It contains `\ud…` escapes. */
  readonly surrogates: boolean;
  /** Numbers that a double cannot keep. */
  readonly inexact: readonly number[];
  readonly documentNumber: number;
  /** Of an entry, from 1. */
  readonly entryNumber: number;
  readonly bytes: Buffer;
}

/** The parts of a document around its entries. */
export interface Envelope {
  readonly start: number;
  readonly end: number;
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly members: number;
  readonly tooDeep: boolean;
  readonly complete: boolean;
  /** True if anything but objects and commas occurs between the entries. */
  readonly garbled: boolean;
}

export interface Lost {
  readonly code: 'UNSUPPORTED_ENCODING' | 'NOT_JSON' | 'RESOURCE_CUT' | 'RESOURCE_TOO_LARGE';
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly documentNumber: number;
  readonly entryNumber: number;
  /** Null if it was too long to hold. */
  readonly bytes: Buffer | null;
}

export interface SplitterSink {
  unit(unit: Unit): void;
  /** The first `entry` or `parameter` array of a document begins: it is a Bundle or Parameters. */
  bundleBegin(head: Buffer, start: number): void;
  bundleEnd(envelope: Envelope): void;
  lost(lost: Lost): void;
}

export interface SplitterLimits {
  readonly windowBytes: number;
  /** The longest document or entry; a longer one is rejected. */
  readonly unitBytes: number;
  readonly depth: number;
}

/**
 * The reader's place in a body of JSON objects, one in all or one per line. Offsets count from the start of the body.
 */
export class DocumentPlace {
  /** Counted from 1; bytes that are no object count as one. */
  number = 0;
  start = 0;
  /** True after a document without line ends: the body has one object per line. */
  lineMode = false;
  #hasLines = false;
  #garbageFrom = -1;

  get inGarbage(): boolean {
    return this.#garbageFrom !== -1;
  }

  begin(start: number): void {
    this.number += 1;
    this.start = start;
    this.#hasLines = false;
  }

  /** A line end inside the document. */
  line(): void {
    this.#hasLines = true;
  }

  end(): void {
    if (!this.#hasLines) this.lineMode = true;
  }

  /** Bytes between documents that belong to none. */
  garbage(at: number): void {
    if (this.inGarbage) return;
    this.#garbageFrom = at;
    this.number += 1;
  }

  /** Ends the garbage and returns where it began; -1 if there was none. */
  endGarbage(): number {
    const from = this.#garbageFrom;
    this.#garbageFrom = -1;
    return from;
  }
}

/** Collects the parts around the entries of a Bundle while they stream by. */
export class BundleShape {
  readonly #start: number;
  readonly #heads: Buffer[] = [];
  #members = 0;
  #tooDeep = false;
  #garbled = false;
  #last: 'nothing' | 'entry' | 'comma' = 'nothing';

  constructor(start: number) {
    this.#start = start;
  }

  /** A second list of entries is a repeated key, which the parse of the envelope detects. */
  beginEntries({ head, members, tooDeep }: { head: Buffer; members: number; tooDeep: boolean }): void {
    this.#heads.push(head);
    this.#members += members;
    this.#tooDeep ||= tooDeep;
    this.#last = 'nothing';
  }

  comma(): void {
    if (this.#last !== 'entry') this.#garbled = true;
    this.#last = 'comma';
  }

  entry(): void {
    if (this.#last === 'entry') this.#garbled = true;
    this.#last = 'entry';
  }

  endEntries(): void {
    if (this.#last === 'comma') this.#garbled = true;
  }

  garble(): void {
    this.#garbled = true;
  }

  envelope(end: { tail: Buffer; end: number; members: number; tooDeep: boolean; complete: boolean }): Envelope {
    const start = this.#start;
    const garbled = this.#garbled;
    const members = this.#members + end.members;
    return { ...end, start, garbled, members, tooDeep: this.#tooDeep || end.tooDeep, head: Buffer.concat(this.#heads) };
  }
}

/** Facts about a document or entry that the splitter sees and the parse does not show. */
export class UnitFacts {
  tooDeep = false;
  surrogates = false;
  readonly inexact: number[] = [];
  /** Range of an entry's resource; -1 while unknown. */
  resourceFrom = -1;
  resourceTo = -1;

  unit(about: Pick<Unit, 'kind' | 'start' | 'members' | 'documentNumber' | 'entryNumber' | 'bytes'>): Unit {
    const { kind, start, bytes, members, documentNumber, entryNumber } = about;
    const end = start + bytes.length;
    const { tooDeep, surrogates, inexact } = this;
    const found =
      this.resourceTo === -1 ? { from: start, to: start } : { from: this.resourceFrom, to: this.resourceTo };
    const resource = kind === 'document' ? { from: start, to: end } : found;
    // Listed one by one: a spread is the most expensive part here.
    return { kind, start, end, resource, members, tooDeep, surrogates, inexact, documentNumber, entryNumber, bytes };
  }
}

/** Collects chunks that are scanned together. */
export class GatheredChunks {
  byteLength = 0;
  #chunks: Uint8Array[] = [];

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.byteLength += chunk.length;
  }

  /** The window grows by doubling, so that a long resource is not copied once per chunk. */
  isEnough(windowBytes: number, heldBytes: number): boolean {
    return this.byteLength >= Math.max(windowBytes, heldBytes / 2);
  }

  /** Returns the kept bytes followed by all chunks; a single chunk is not copied. */
  takeBehind(kept: Buffer): Buffer {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.byteLength = 0;
    return kept.length === 0 && chunks.length === 1 ? asBuffer(chunks[0]) : Buffer.concat([kept, ...chunks]);
  }
}
