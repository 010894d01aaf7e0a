import { pipeline, Readable } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';

/** Limits of unpacking, whatever an archive declares. */
const UNPACK_LIMITS = {
  /** For all entries and nested archives together. */
  totalBytes: 4_294_967_296,
  /** Ratio of unpacked to packed bytes, checked above `ratioFromBytes`. */
  ratio: 200,
  ratioFromBytes: 67_108_864,
} as const;

export class ArchiveBomb extends Error {}

/**
 * Counts the bytes unpacked from one archive and those inside it.
 *
 * @throws ArchiveBomb
 */
export class UnpackBudget {
  readonly #packedBytes: number;
  #unpackedBytes = 0;

  /** @param packedBytes size of the outermost archive */
  constructor(packedBytes: number) {
    this.#packedBytes = Math.max(1, packedBytes);
  }

  add(bytes: number): void {
    this.#unpackedBytes += bytes;
    const { totalBytes, ratio, ratioFromBytes } = UNPACK_LIMITS;
    const isDense = this.#unpackedBytes > ratioFromBytes && this.#unpackedBytes / this.#packedBytes > ratio;
    if (this.#unpackedBytes > totalBytes || isDense) throw new ArchiveBomb('the archive unpacks to too much');
  }
}

/**
 * Yields the unpacked bytes; stops when its reader stops.
 *
 * @throws zlib's errors for broken data, ArchiveBomb
 */
export async function* unpacked(
  pieces: AsyncIterable<Buffer>,
  form: 'raw' | 'gzip',
  budget: UnpackBudget,
): AsyncGenerator<Buffer> {
  const inflate = form === 'raw' ? createInflateRaw() : createGunzip();
  // The reader below gets any failure.
  pipeline(Readable.from(pieces, { objectMode: false }), inflate, () => undefined);
  for await (const unpackedPiece of inflate) {
    const piece: Buffer = unpackedPiece;
    budget.add(piece.length);
    yield piece;
  }
}
