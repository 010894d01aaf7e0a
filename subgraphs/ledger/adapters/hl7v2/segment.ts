import type { CharacterSet } from './character-sets.js';
import { unescapeValue } from './escapes.js';
import type { Separators } from './separators.js';

/** How the values of a message are read. */
export interface Reading {
  readonly separators: Separators;
  readonly characters: CharacterSet;
}

/** A patient has few identifiers, a charge few diagnoses: what goes beyond is no such list. */
const repetitionsLimit = 100;

/** One segment of a message. It is split into its fields only when one is asked for, since most segments never are. */
export class Segment {
  readonly id: string;
  /** Of its first byte in the body. */
  readonly byteOffset: number;
  /** Of the byte after its last, without the terminator. */
  readonly endOffset: number;
  /** Counted through the body, from 1. */
  readonly number: number;
  /** Counted from MSH, which is 1. */
  readonly position: number;
  private readonly source: string;
  private readonly reading: Reading;
  private split: string[] | null = null;

  constructor(
    source: string,
    place: { byteOffset: number; endOffset: number; number: number; position: number },
    reading: Reading,
  ) {
    this.id = source.slice(0, 3);
    this.source = source;
    this.byteOffset = place.byteOffset;
    this.endOffset = place.endOffset;
    this.number = place.number;
    this.position = place.position;
    this.reading = reading;
  }

  /** How many fields follow the id. */
  get fieldCount(): number {
    return this.fields().length - 1 + this.shift();
  }

  /** Field n as it stands, all its repetitions; '' when absent. Fields of MSH, BHS and FHS count their separator as the first. */
  field(n: number): string {
    return this.fields()[n - this.shift()] ?? '';
  }

  /** The repetitions of field n as they stand; none when it is empty, and no more than `limit`. */
  repetitions(n: number, limit = repetitionsLimit): string[] {
    const raw = this.field(n);
    if (raw === '') return [];
    const { repetition } = this.reading.separators;
    return repetition === '' ? [raw] : raw.split(repetition, limit);
  }

  /** A component of the first repetition of field n, its first subcomponent alone. */
  value(n: number, component = 1, subcomponent = 1): string {
    return this.valueOf(this.first(n), component, subcomponent);
  }

  /** A component of the first repetition of field n with its subcomponents as they stand: for texts, where `&` is met raw. */
  text(n: number, component = 1): string {
    return this.textOf(this.first(n), component);
  }

  /** The same of one repetition. */
  valueOf(repetition: string, component = 1, subcomponent = 1): string {
    const { separators } = this.reading;
    return this.plain(part(part(repetition, separators.component, component), separators.subcomponent, subcomponent));
  }

  textOf(repetition: string, component = 1): string {
    return this.plain(part(repetition, this.reading.separators.component, component));
  }

  /** A whole repetition as text, its separators as they stand. */
  plain(raw: string): string {
    // `""` says that the receiver shall delete what it holds: no value of this message.
    if (raw === '' || raw === '""') return '';
    return trimBlanks(unescapeValue(raw, this.reading.separators, this.reading.characters));
  }

  private first(n: number): string {
    return part(this.field(n), this.reading.separators.repetition, 1);
  }

  private shift(): number {
    return this.id === 'MSH' || this.id === 'BHS' || this.id === 'FHS' ? 1 : 0;
  }

  private fields(): string[] {
    this.split ??= this.source.split(this.reading.separators.field);
    return this.split;
  }
}

/** Part n (from 1) of a text cut at a separator; '' when there are fewer. */
function part(text: string, separator: string, n: number): string {
  if (separator === '' || text === '') return n === 1 ? text : '';
  let start = 0;
  for (let left = n; left > 1; left -= 1) {
    const at = text.indexOf(separator, start);
    if (at === -1) return '';
    start = at + 1;
  }
  const end = text.indexOf(separator, start);
  if (end === -1) return start === 0 ? text : text.slice(start);
  return text.slice(start, end);
}

/** `trim`, without its cost for the usual value that needs none. */
function trimBlanks(value: string): string {
  const last = value.charCodeAt(value.length - 1);
  return value.charCodeAt(0) > 32 && last > 32 && last < 128 ? value : value.trim();
}
