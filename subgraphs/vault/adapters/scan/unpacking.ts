import { pipeline, Readable } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';

/** What an archive may unpack to, whatever it says of itself. */
export const UNPACK_LIMITS = {
  /** Over all entries, and archives inside. */
  totalBytes: 4_294_967_296,
  /** Unpacked to packed, once there is more than this of it. */
  ratio: 200,
  ratioFromBytes: 67_108_864,
} as const;

export class ArchiveBomb extends Error {}

/** Counts what comes out of one archive and those inside it. @throws ArchiveBomb */
export class UnpackBudget {
  readonly #packedBytes: number;
  #unpackedBytes = 0;

  /** @param packedBytes size of the outermost archive. */
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

/** What packed pieces unpack to; ends early with its reader. @throws what zlib says of broken data, ArchiveBomb */
export async function* unpacked(
  pieces: AsyncIterable<Buffer>,
  form: 'raw' | 'gzip',
  budget: UnpackBudget,
): AsyncGenerator<Buffer> {
  const inflate = form === 'raw' ? createInflateRaw() : createGunzip();
  // A failure on the way fails the reader below; there is nobody else to tell.
  pipeline(Readable.from(pieces, { objectMode: false }), inflate, () => undefined);
  for await (const piece of inflate as AsyncIterable<Buffer>) {
    budget.add(piece.length);
    yield piece;
  }
}
