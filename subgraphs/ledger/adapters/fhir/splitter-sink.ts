/** A JSON object as it lies in the body: a document of its own, or an entry of a Bundle. Offsets are of the body. */
export interface Unit {
  readonly kind: 'document' | 'entry';
  readonly start: number;
  readonly end: number;
  /** The resource of an entry; the document itself. Empty (`from` = `to`) when the entry has none. */
  readonly resource: { readonly from: number; readonly to: number };
  /** `key:` members written, for repeated keys are kept once by the parse. */
  readonly members: number;
  readonly tooDeep: boolean;
  /** It holds `\ud…` escapes. */
  readonly surrogates: boolean;
  /** Numbers that a double does not keep. */
  readonly inexact: readonly number[];
  readonly documentNumber: number;
  /** Of an entry, from 1. */
  readonly entryNumber: number;
  readonly bytes: Buffer;
}

/** What stands around the entries of a document, without them. */
export interface Envelope {
  readonly start: number;
  readonly end: number;
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly members: number;
  readonly tooDeep: boolean;
  readonly complete: boolean;
  /** Something other than objects and commas stands between the entries. */
  readonly garbled: boolean;
}

export interface Lost {
  readonly code: 'UNSUPPORTED_ENCODING' | 'NOT_JSON' | 'RESOURCE_CUT' | 'RESOURCE_TOO_LARGE';
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly documentNumber: number;
  readonly entryNumber: number;
  /** Null when it was too long to be held. */
  readonly bytes: Buffer | null;
}

export interface SplitterSink {
  unit(unit: Unit): void;
  /** The first `entry` array of a document begins: it is a Bundle, by its shape. */
  bundleBegin(head: Buffer, start: number): void;
  bundleEnd(envelope: Envelope): void;
  lost(lost: Lost): void;
}

export interface SplitterLimits {
  readonly windowBytes: number;
  /** A document or entry is held whole until it ends; a longer one is refused. */
  readonly unitBytes: number;
  readonly depth: number;
}
