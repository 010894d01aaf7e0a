/** Blocks per batch of a read: a batch is fetched while the previous one is hashed. */
export const BLOCKS_A_BATCH = 4;

/** One block of a stored content; `n` counts from 0. */
export interface StoredBlock {
  readonly n: number;
  readonly data: Buffer;
}

/** A running upload. The content does not exist for readers until a row of `blobs` names its file. */
export interface BlobUpload {
  /**
   * Writes a block. Blocks come in order, several at the same time; all but the last have BLOB_BLOCK_BYTES. The medium owns
   * the bytes from this call on. @returns SHA-256 of the written bytes, in lower-case hex
   */
  block(n: number, data: Buffer<ArrayBuffer>): Promise<string>;
  /** Ends the upload, also while block writes are running. Every byte is durable when this and they have resolved. */
  end(sizeBytes: number): Promise<void>;
  /** Closes the resources of the upload, after success and failure alike. */
  release(): Promise<void>;
}

/** A running upload of a driver. It stores the bytes as they come; keys/sealed-blobs.ts hashes and encrypts them before. */
export interface DriverUpload extends Omit<BlobUpload, 'block'> {
  /** Writes a block, durable when it resolves. Blocks come as in `BlobUpload`. */
  block(n: number, data: Buffer): Promise<void>;
}

/** Where the bytes of large contents lie: GridFS, files or a bucket. */
export interface BlobDriver extends Omit<BlobMedium, 'upload'> {
  upload(fileId: string): DriverUpload;
}

/** Storage for the bytes of large contents, under ids that sort by time of creation. */
export interface BlobMedium {
  prepare(): Promise<void>;
  /** Returns a buffer for one block; `block` takes it back. */
  room(): Buffer<ArrayBuffer>;
  upload(fileId: string): BlobUpload;
  /** Stores contents of at most one block each; all are durable when it resolves. */
  storeSmall(files: readonly { readonly fileId: string; readonly bytes: Uint8Array }[]): Promise<void>;
  /** Reads blocks of a file in order, without verification; skips missing blocks. */
  blocks(fileId: string, first: number, last: number): AsyncIterable<StoredBlock>;
  /** Returns the memory of a block from `blocks` for reuse; the caller no longer reads it. */
  giveBack(data: Buffer): void;
  /** Deletes a file; a missing file is not an error. */
  remove(fileId: string): Promise<void>;
  /** Lists the ids of files between these two, in order. */
  files(after: string, before: string): AsyncIterable<string>;
  close(): Promise<void>;
}
