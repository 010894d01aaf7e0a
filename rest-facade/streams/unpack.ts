import { pipeline, type Transform } from 'node:stream';
import { createGunzip, inflateRawSync } from 'node:zlib';
import { problem } from '../../shared/errors/problem.js';
import { ForeignZipFault, packedAt, zipDirectory } from '../../shared/zip/foreign-directory.js';
import { tooLarge } from './raw-content.js';

/**
 * Unpacks a raw message that arrives compressed: gzip, and a ZIP of several files. The output is bounded by the limit of
 * a raw message and by its ratio to the input, so that a small body cannot fill the disk.
 */

/** Text of messages shrinks to a thirtieth at most; more is padding. */
const MAX_RATIO = 300;
/** Outputs below this are not judged by their ratio. */
const MIN_JUDGED_BYTES = 16 * 1024 * 1024;
/** As a socket gives them: each chunk costs a turn of the stream, and zlib gives 16 KiB by default. */
const UNPACKED_CHUNK_BYTES = 64 * 1024;
const MAX_ZIP_FILES = 1_000;
/** The ZIP is held while its files are read. */
const MAX_ZIP_BYTES = 32 * 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;

type Kind = 'gzip' | 'zip';

const SIGNATURES: readonly (readonly [Kind, Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b, 8])],
  ['zip', Buffer.from('PK\u0003\u0004', 'latin1')],
];
const HEAD_BYTES = 4;

const kindOf = (head: Buffer): Kind | undefined =>
  SIGNATURES.find(([, signature]) => head.subarray(0, signature.length).equals(signature))?.[0];

/** Passes a body on, unpacked if its first bytes or its Content-Encoding say that it is packed. */
export async function* unpacked(
  chunks: AsyncIterable<Buffer>,
  about: { readonly isGzip: boolean; readonly maxBytes: number },
): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  let headBytes = 0;
  while (headBytes < HEAD_BYTES) {
    const next = await source.next();
    if (next.done) break;
    held.push(next.value);
    headBytes += next.value.length;
  }
  const whole = restOf(held, source);
  const kind = about.isGzip ? 'gzip' : kindOf(Buffer.concat(held).subarray(0, HEAD_BYTES));
  if (kind === 'gzip') yield* gunzipped(whole, about.maxBytes);
  else if (kind === 'zip') yield* unzipped(whole, about.maxBytes);
  else yield* whole;
}

async function* restOf(held: readonly Buffer[], source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* held;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}

const broken = (what: string, cause?: unknown) =>
  problem('MALFORMED_BODY', { message: `The body is not well-formed ${what}.`, cause });

/** Counts packed and unpacked bytes. */
class Budget {
  packedBytes = 0;
  #unpackedBytes = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that may still come out. */
  get leftBytes(): number {
    const byRatio = Math.max(MIN_JUDGED_BYTES, this.packedBytes * MAX_RATIO);
    return Math.min(this.#maxBytes, byRatio) - this.#unpackedBytes;
  }

  /** @throws PAYLOAD_TOO_LARGE */
  add(bytes: number): void {
    this.#unpackedBytes += bytes;
    if (this.leftBytes < 0) throw tooLarge(this.#maxBytes);
  }
}

async function* gunzipped(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  const budget = new Budget(maxBytes);
  const counted = async function* () {
    for await (const chunk of chunks) {
      budget.packedBytes += chunk.length;
      yield chunk;
    }
  };
  let failure: Error | null = null;
  const gunzip: Transform = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
  pipeline(counted, gunzip, (error) => {
    failure = error ?? null;
  });
  try {
    // A stream without an encoding yields buffers.
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      budget.add(chunk.length);
      yield chunk;
    }
  } catch (error) {
    if (isZlibError(error)) throw broken('gzip', error);
    throw failure ?? error;
  }
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(?:Z_|ERR_STREAM)/.test(error.code);

/** The files of a ZIP in the order of its directory, each on a new line. */
async function* unzipped(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  const archive = await gathered(chunks);
  const source = { size: archive.length, bytes: async (start: number, end: number) => archive.subarray(start, end) };
  const budget = new Budget(maxBytes);
  budget.packedBytes = archive.length;
  try {
    const entries = ((await zipDirectory(source)) ?? []).filter(
      ({ name }) => !/\/$|(?:^|\/)(?:\.|__MACOSX\/)/.test(name),
    );
    if (entries.length === 0) throw broken('ZIP with at least one file');
    if (entries.length > MAX_ZIP_FILES) throw broken(`ZIP with at most ${MAX_ZIP_FILES} files`);
    for (const [at, entry] of entries.entries()) {
      if (entry.isEncrypted || (entry.method !== STORED && entry.method !== DEFLATED)) {
        throw broken('ZIP of stored or deflated files without a password');
      }
      const from = await packedAt(source, entry);
      const file = fileOf(archive.subarray(from, from + entry.packedBytes), entry.method, budget);
      if (kindOf(file) !== undefined) throw broken('ZIP of messages: it holds another archive');
      if (at > 0) yield Buffer.from('\n');
      yield file;
    }
  } catch (error) {
    if (error instanceof ForeignZipFault) throw broken('ZIP', error);
    throw error;
  }
}

function fileOf(packed: Buffer, method: number, budget: Budget): Buffer {
  if (method === STORED) {
    budget.add(packed.length);
    return packed;
  }
  try {
    const file = inflateRawSync(packed, { maxOutputLength: Math.max(1, budget.leftBytes) });
    budget.add(file.length);
    return file;
  } catch (error) {
    if (error instanceof RangeError)
      throw problem('PAYLOAD_TOO_LARGE', { message: 'The files of the ZIP are too large.' });
    if (isZlibError(error)) throw broken('ZIP', error);
    throw error;
  }
}

async function gathered(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const held: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_ZIP_BYTES) throw tooLarge(MAX_ZIP_BYTES);
    held.push(chunk);
  }
  return Buffer.concat(held);
}
