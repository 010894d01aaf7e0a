/** Where in a body of JSON objects, one or one a line, reading stands. Offsets are of the body. */
export class DocumentPlace {
  /** Counted from 1; bytes that are no object count as one. */
  number = 0;
  start = 0;
  /** True once a document has ended that held no line end: objects stand one a line. */
  lineMode = false;
  private hasLines = false;
  private garbageFrom = -1;

  get inGarbage(): boolean {
    return this.garbageFrom !== -1;
  }

  begin(start: number): void {
    this.number += 1;
    this.start = start;
    this.hasLines = false;
  }

  /** A line end inside the document. */
  line(): void {
    this.hasLines = true;
  }

  end(): void {
    if (!this.hasLines) this.lineMode = true;
  }

  /** Bytes between documents that are none. */
  garbage(at: number): void {
    if (this.inGarbage) return;
    this.garbageFrom = at;
    this.number += 1;
  }

  /** Where the garbage began, which is over; -1 when there was none. */
  endGarbage(): number {
    const from = this.garbageFrom;
    this.garbageFrom = -1;
    return from;
  }
}
