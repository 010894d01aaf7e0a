/** What is scanned. Bytes come out of the write-once store, checked; a range may be asked for again. */
export interface ScannedContent {
  readonly sha256: string;
  readonly size: number;
  /** As declared. */
  readonly media_type: string;
  readonly filename: string;
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Buffer>;
}

export interface EngineFinding {
  readonly code: string;
  /** In words that name no content. */
  readonly detail: string;
}

/** Something that looks at content. */
export interface ScanEngine {
  readonly name: string;
  /** What it found. @throws when it cannot tell: then the document is quarantined, it is not passed. */
  scan(content: ScannedContent): Promise<readonly EngineFinding[]>;
}
