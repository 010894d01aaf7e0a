/** A file of codes, as an importer reads it. */
export interface CodeFile {
  /** Of the bytes as they lie on the disk. */
  readonly sha256: string;
  readonly lines: AsyncIterable<string>;
}
