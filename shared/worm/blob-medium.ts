/** Of one blob that is read: a batch is fetched while the one before it is hashed. */
export const BLOCKS_A_BATCH = 4;

/** One block of a stored content; its place counts from 0. */
export interface StoredBlock {
  readonly n: number;
  readonly data: Buffer;
}

/** A content on its way in. It is nothing to anybody until a row of `blobs` names its file. */
export interface BlobUpload {
  /**
   * Blocks come in order, several at once; all but the last one are of BLOB_BLOCK_BYTES. The bytes are the medium's from here
   * on. @returns SHA-256 of what was written, lower-case hex
   */
  block(n: number, data: Buffer): Promise<string>;
  /** May be called while blocks are under way. Every byte is durable when it and they have resolved. */
  end(sizeBytes: number): Promise<void>;
  /** Lets go of what an upload holds open, whatever became of it. */
  release(): Promise<void>;
}

/** Where the bytes of large contents lie: GridFS or files, under ids that sort by the time of their making. */
export interface BlobMedium {
  prepare(): Promise<void>;
  /** Room for one block, which `block` takes back. */
  room(): Buffer;
  upload(fileId: string): BlobUpload;
  /** Contents of at most one block, all durable when it resolves. */
  storeSmall(files: readonly { readonly fileId: string; readonly bytes: Uint8Array }[]): Promise<void>;
  /** Blocks of a file in order, unjudged; what is missing is left out. */
  blocks(fileId: string, first: number, last: number): AsyncIterable<StoredBlock>;
  /** A block out of `blocks` that nobody looks at any more: its memory may be filled again. */
  giveBack(data: Buffer): void;
  /** Takes a file away; one that is gone already is no error. */
  remove(fileId: string): Promise<void>;
  /** Ids of files between these two, in order. */
  files(after: string, before: string): AsyncIterable<string>;
  close(): Promise<void>;
}
