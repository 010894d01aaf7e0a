/** The content to scan. Its bytes come verified from the write-once store; a range may be read again. */
export interface ScannedContent {
  readonly sha256: string;
  readonly size: number;
  /** As declared by the uploader. */
  readonly media_type: string;
  readonly filename: string;
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Buffer>;
}

export interface EngineFinding {
  readonly code: string;
  /** A description that quotes no content. */
  readonly detail: string;
}

/** An engine that scans content. */
export interface ScanEngine {
  readonly name: string;
  /**
   * Returns the findings.
   *
   * @throws if it has no verdict; the document is then quarantined
   */
  scan(content: ScannedContent): Promise<readonly EngineFinding[]>;
}
