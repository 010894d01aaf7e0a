import type { Envelope } from './splitter-sink.js';

/** What stands around the entries of a Bundle, gathered while they stream by. */
export class BundleShape {
  private readonly start: number;
  private readonly heads: Buffer[] = [];
  private members = 0;
  private tooDeep = false;
  private garbled = false;
  private last: 'nothing' | 'entry' | 'comma' = 'nothing';

  constructor(start: number) {
    this.start = start;
  }

  /** A second list of entries repeats a key: the parse of the envelope shows it. */
  beginEntries({ head, members, tooDeep }: { head: Buffer; members: number; tooDeep: boolean }): void {
    this.heads.push(head);
    this.members += members;
    this.tooDeep ||= tooDeep;
    this.last = 'nothing';
  }

  comma(): void {
    if (this.last !== 'entry') this.garbled = true;
    this.last = 'comma';
  }

  entry(): void {
    if (this.last === 'entry') this.garbled = true;
    this.last = 'entry';
  }

  endEntries(): void {
    if (this.last === 'comma') this.garbled = true;
  }

  garble(): void {
    this.garbled = true;
  }

  envelope(end: { tail: Buffer; end: number; members: number; tooDeep: boolean; complete: boolean }): Envelope {
    const { start, garbled } = this;
    const members = this.members + end.members;
    return { ...end, start, garbled, members, tooDeep: this.tooDeep || end.tooDeep, head: Buffer.concat(this.heads) };
  }
}
