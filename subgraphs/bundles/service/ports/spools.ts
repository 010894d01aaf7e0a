/** What stands in a temporary file. */
export interface SpooledFacts {
  readonly size: number;
  readonly sha256: string;
}

/** A temporary file, written once and then read. */
export interface SpoolFile {
  write(text: string): Promise<void>;
  /** Ends the writing. */
  finish(): Promise<SpooledFacts>;
  /** From its beginning; may be read again. */
  read(): AsyncIterable<Buffer>;
  /** Of the open file, as every thread of the process knows it. */
  readonly descriptor: number;
}

/** Temporary files of one build. */
export interface SpoolFiles {
  next(): Promise<SpoolFile>;
  close(): Promise<void>;
}
