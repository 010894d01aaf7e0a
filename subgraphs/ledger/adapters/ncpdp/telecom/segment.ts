import { decodeText } from '../byte-window.js';

/** A field: its two-character id and its value as sent. */
export interface Field {
  readonly id: string;
  readonly value: string;
}

/** No count of the standard is over 99; more is made to be costly. */
const repetitionsLimit = 1_000;

/** A segment of a transmission: `AM` and its number, then fields, of which some repeat. */
export class Segment {
  /** `AM07`. */
  readonly id: string;
  readonly fields: Field[] = [];
  /** Of the body. */
  readonly byteOffset: number;
  /** Counted through the body, from 1; the header of a transmission counts as one. */
  readonly number: number;
  /** Counted from the transmission's header, from 1. */
  readonly position: number;
  /** The field that may have been cut with the body; its value names nobody. */
  cutField: Field | null = null;

  constructor(id: string, place: { byteOffset: number; number: number; position: number }) {
    this.id = id;
    this.byteOffset = place.byteOffset;
    this.number = place.number;
    this.position = place.position;
  }

  /** The first value of a field without its padding; '' when it was not sent. */
  value(id: string): string {
    return textOf(this.fields.find((field) => field.id === id)?.value);
  }

  /** All values of a field that repeats. */
  values(id: string): string[] {
    return this.fields.filter((field) => field.id === id).map(({ value }) => textOf(value));
  }

  /** The value of a field that identifies something: '' where it may have been cut. */
  whole(id: string): string {
    const field = this.fields.find((one) => one.id === id);
    return field === undefined || field === this.cutField ? '' : textOf(field.value);
  }

  /** Fields that repeat together, begun by each occurrence of the first of `ids`. */
  repetitions(ids: readonly string[]): ReadonlyMap<string, string>[] {
    const groups: Map<string, string>[] = [];
    let open: Map<string, string> | null = null;
    for (const { id, value } of this.fields) {
      if (!ids.includes(id)) continue;
      if (open === null || open.has(id)) {
        if (groups.length >= repetitionsLimit) break;
        open = new Map();
        groups.push(open);
      }
      open.set(id, textOf(value));
    }
    return groups;
  }
}

function textOf(value: string | undefined): string {
  return value === undefined ? '' : decodeText(value).trim();
}
