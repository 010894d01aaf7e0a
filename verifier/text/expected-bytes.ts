/** Compares bytes with the expected bytes, part by part. */
export class ExpectedBytes {
  #bytes: Uint8Array = new Uint8Array(0);
  /** Offset after the last match. */
  at = 0;

  begin(bytes: Uint8Array, at: number): this {
    this.#bytes = bytes;
    this.at = at;
    return this;
  }

  /** Returns true, and advances, if `part` from `from` to `to` comes next. */
  is(part: Uint8Array, from = 0, to = part.length): boolean {
    const bytes = this.#bytes;
    const shift = this.at - from;
    for (let i = from; i < to; i++) if (bytes[shift + i] !== part[i]) return false;
    this.at = shift + to;
    return true;
  }

  /** Returns true, and advances, if the number comes next in decimal. */
  isCount(value: number): boolean {
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++;
    let at = this.at + digits;
    this.at = at;
    for (let rest = value; digits > 0; digits--) {
      const higher = Math.floor(rest / 10);
      if (this.#bytes[--at] !== 0x30 + rest - higher * 10) return false;
      rest = higher;
    }
    return true;
  }
}
