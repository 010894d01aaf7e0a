import { problem } from '../../errors/problem.js';
import { type ZipEntry, ZipFault, type ZipSource } from '../../zip/records.js';
import { readZipDirectory } from '../../zip/sealed-directory.js';
import { localDataAt } from '../../zip/sealed-entries.js';

// The service's sealed archive in the write-once store: ZIP entries by method STORE, no comment (evidence.md section 5).

/** Bytes that can be read from any place; half-open ranges. */
export interface RandomAccess {
  readonly sizeBytes: number;
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** The entries of an archive, each readable by itself in constant memory. */
export interface StoredArchive {
  readonly entries: readonly { readonly name: string; readonly sizeBytes: number }[];
  /** @throws INTEGRITY_FAILURE where there is no such entry */
  read(name: string): AsyncIterable<Uint8Array>;
}

/** Content that is not an archive of the service is damage. */
const damaged = (what: string) =>
  problem('INTEGRITY_FAILURE', { internal: `the sealed archive does not read: ${what}` });

/** Opens an archive by its central directory. @throws INTEGRITY_FAILURE */
export async function openStoredArchive(bytes: RandomAccess): Promise<StoredArchive> {
  const source = sourceOf(bytes);
  const { entries, start } = await checked(readZipDirectory(source));
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  if (byName.size !== entries.length) throw damaged('two entries of one name');
  return {
    entries: entries.map(({ name, size }) => ({ name, sizeBytes: size })),
    read: (name) => contentOf(bytes, byName.get(name) ?? name, (entry) => localDataAt(source, entry, start)),
  };
}

async function* contentOf(
  bytes: RandomAccess,
  entry: ZipEntry | string,
  placeOf: (entry: ZipEntry) => Promise<number>,
): AsyncGenerator<Uint8Array> {
  if (typeof entry === 'string') throw damaged(`${entry} is missing`);
  const start = await checked(placeOf(entry));
  // The store rejects an empty range.
  if (entry.size > 0) yield* bytes.read(start, start + entry.size);
}

async function checked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ZipFault ? damaged(error.message) : error;
  }
}

const sourceOf = (bytes: RandomAccess): ZipSource => ({
  sizeBytes: bytes.sizeBytes,
  async read(offset, length) {
    if (offset + length > bytes.sizeBytes) throw damaged('a place beyond its end');
    const chunks: Uint8Array[] = [];
    if (length > 0) for await (const chunk of bytes.read(offset, offset + length)) chunks.push(chunk);
    return Buffer.concat(chunks);
  },
});
