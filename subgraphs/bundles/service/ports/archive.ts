/** One entry of a ZIP: bytes at hand, or read when their turn comes. */
export interface ArchiveEntry {
  readonly path: string;
  readonly size: number;
  readonly content: Buffer | (() => AsyncIterable<Uint8Array>);
}

/** README and verifiers, as they travel in every bundle. */
export interface VerifierFile {
  readonly path: string;
  readonly content: Buffer;
}
