/** A running upload of one large object. The object does not exist before `complete`. */
export interface LargeUpload {
  /** Stores a part of at least 5 MiB; only the last part may be shorter. @param number from 1 */
  part(number: number, bytes: Uint8Array): Promise<void>;
  /** Makes the object of its parts; durable when it resolves. */
  complete(): Promise<void>;
  /** Discards the parts. */
  abort(): Promise<void>;
}

/**
 * Objects of a bucket with object lock, under names without the prefix of the deployment. Each new object is locked until the
 * configured term ends. Every method throws UNAVAILABLE if the bucket does not answer.
 */
export interface Bucket {
  /** Stores an object; durable when it resolves. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Stores an object unless the name is taken. @returns false if it is taken */
  putNew(name: string, bytes: Uint8Array): Promise<boolean>;
  begin(name: string): Promise<LargeUpload>;
  /** Returns up to `length` bytes from `start`; fewer at the end; null if there is no such object. */
  read(name: string, start: number, length: number): Promise<Buffer | null>;
  exists(name: string): Promise<boolean>;
  /** Lists the names that begin with this text, in order. */
  names(start: string): AsyncIterable<string>;
  /** Puts a delete marker on objects: reads no longer find them, and the locked versions stay until their term ends. */
  conceal(names: readonly string[]): Promise<void>;
  /** Locks the current version for a whole term from now. @returns false if it is gone, or its lock lasts longer */
  lengthen(name: string): Promise<boolean>;
  /** Returns the id of the current version; null if there is no such object. */
  version(name: string): Promise<string | null>;
  /** Sets or lifts the legal hold flag of a version, also of one that a delete marker hides. @returns false if it is gone */
  hold(name: string, version: string, on: boolean): Promise<boolean>;
  close(): void;
}
