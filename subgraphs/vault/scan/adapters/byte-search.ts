/** Finds byte patterns in content that comes in pieces, also across two pieces. */
export class ByteSearch {
  readonly #patterns: readonly Buffer[];
  readonly #longest: number;
  readonly #found = new Set<number>();
  #tail: Buffer = Buffer.alloc(0);

  constructor(patterns: readonly Buffer[]) {
    this.#patterns = patterns;
    this.#longest = Math.max(1, ...patterns.map(({ length }) => length));
  }

  push(piece: Buffer): void {
    const seam = Buffer.concat([this.#tail, piece.subarray(0, this.#longest - 1)]);
    for (const [i, pattern] of this.#patterns.entries()) {
      if (!this.#found.has(i) && (seam.includes(pattern) || piece.includes(pattern))) this.#found.add(i);
    }
    const kept = this.#longest - 1;
    const end = piece.length >= kept ? piece.subarray(piece.length - kept) : Buffer.concat([this.#tail, piece]);
    this.#tail = Buffer.from(end.subarray(Math.max(0, end.length - kept)));
  }

  /** Checks whether the pattern with this index was found. */
  has(index: number): boolean {
    return this.#found.has(index);
  }
}

/**
 * The EICAR test file (https://www.eicar.org/download-anti-malware-testfile/), in two halves, so that scanners do not
 * flag this source.
 */
export const EICAR = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}', '$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
  'latin1',
);
