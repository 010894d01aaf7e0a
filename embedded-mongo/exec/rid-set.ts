const pageBits = 11;
const pageBytes = 2 ** pageBits / 8;

/**
 * Rids already seen, a bit each: a million of them take 128 KiB, and growing never copies what is there, as a Set
 * would in one long pause.
 */
export class RidSet {
  private readonly pages = new Map<number, Uint8Array>();

  /** Adds a rid; false when it was there already. */
  add(rid: number): boolean {
    const pageNumber = Math.floor(rid / 2 ** pageBits);
    const within = rid % 2 ** pageBits;
    let page = this.pages.get(pageNumber);
    if (!page) {
      page = new Uint8Array(pageBytes);
      this.pages.set(pageNumber, page);
    }
    const at = within >> 3;
    const bit = 1 << (within & 7);
    const byte = page[at] as number;
    if ((byte & bit) !== 0) return false;
    page[at] = byte | bit;
    return true;
  }
}
