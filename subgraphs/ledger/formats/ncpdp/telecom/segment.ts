import type { AdapterWarning, Part, Position } from '../../format-adapter.js';
import { decodeText } from '../../values/byte-window.js';
import type { TelecomHeader } from './header.js';

/** A field: its two-character id and its value as sent. */
interface Field {
  readonly id: string;
  readonly value: string;
}

/** No count in the standard exceeds 99; the limit is against hostile input. */
const REPETITIONS_LIMIT = 1_000;

/** A segment of a transmission: `AM` and its number, then fields, some of which repeat. */
export class Segment {
  /** `AM07`. */
  readonly id: string;
  readonly fields: Field[] = [];
  /** Offset in the body. */
  readonly byteOffset: number;
  /** Counted through the body, from 1; a transmission's header counts as one. */
  readonly number: number;
  /** Counted from the transmission's header, from 1. */
  readonly position: number;
  /** The field that the body's end may have cut; its value identifies nothing. */
  cutField: Field | null = null;
  /** The ids that a mapping has asked for. */
  readonly #read = new Set<string>();

  constructor(id: string, place: { byteOffset: number; number: number; position: number }) {
    this.id = id;
    this.byteOffset = place.byteOffset;
    this.number = place.number;
    this.position = place.position;
  }

  /** The first value of a field without padding; '' if absent. */
  value(id: string): string {
    this.#read.add(id);
    return textOf(this.fields.find((field) => field.id === id)?.value);
  }

  /** All values of a repeating field. */
  values(id: string): string[] {
    this.#read.add(id);
    return this.fields.filter((field) => field.id === id).map(({ value }) => textOf(value));
  }

  /** The value of an identifying field: '' if it may be cut. */
  whole(id: string): string {
    this.#read.add(id);
    const field = this.fields.find((one) => one.id === id);
    return field === undefined || field === this.cutField ? '' : textOf(field.value);
  }

  /** The fields of the ids in order. */
  sequence(...ids: readonly string[]): { id: string; value: string }[] {
    for (const id of ids) this.#read.add(id);
    return this.fields.filter(({ id }) => ids.includes(id)).map(({ id, value }) => ({ id, value: textOf(value) }));
  }

  /** The fields that no mapping has asked for, to be kept raw. */
  unread(): { id: string; value: string }[] {
    const rest = this.fields.filter(({ id }) => !this.#read.has(id));
    return rest.map(({ id, value }) => ({ id, value: textOf(value) }));
  }

  /** Fields that repeat together; each occurrence of the first of `ids` begins a group. */
  repetitions(ids: readonly string[]): ReadonlyMap<string, string>[] {
    const groups: Map<string, string>[] = [];
    let open: Map<string, string> | null = null;
    for (const id of ids) this.#read.add(id);
    for (const { id, value } of this.fields) {
      if (!ids.includes(id)) continue;
      if (open === null || open.has(id)) {
        if (groups.length >= REPETITIONS_LIMIT) break;
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

/** The segments of one transaction and their range in the body. */
export interface Group {
  readonly segments: readonly Segment[];
  readonly start: number;
  readonly end: number;
}

/** A transmission as header, shared segments, and one to four transactions. */
export interface Transmission {
  readonly header: TelecomHeader;
  /** Segments of every transaction: patient and insurance, response message and insurance. */
  readonly shared: readonly Segment[];
  readonly groups: readonly Group[];
  readonly part: Part;
  readonly position: Position;
  /** 880-K5 of the batch record; '' outside a batch. */
  readonly batchReference: string;
  readonly segmentCount: number;
  /** Where segments of another transmission with a lost header begin; null if none. */
  readonly lost: { readonly start: number; readonly end: number; readonly position: Position } | null;
  /** True if the body or the frame ended inside it. */
  readonly cut: boolean;
  /** True between STX and ETX. */
  readonly framed: boolean;
  /** True if ETX, STX or a line end follows the last field. */
  readonly terminated: boolean;
  readonly warnings: AdapterWarning[];
}

export type Warn = (code: string, message: string, segment?: Segment) => void;

export function positionOf({ byteOffset, number, position }: Segment): Position {
  return { byteOffset, segmentNumber: number, transactionPosition: position };
}

/** Adds warnings to a list, each code once per segment. */
export function warnInto(warnings: AdapterWarning[], position: Position): Warn {
  return (code, message, segment) => {
    const at = segment === undefined ? { position } : { segment: segment.id, position: positionOf(segment) };
    if (warnings.length >= WARNINGS_LIMIT) return;
    if (warnings.some((one) => one.code === code && one.message === message && one.segment === segment?.id)) return;
    warnings.push({ code, message, ...at });
  };
}

/** The most warnings of one transmission. */
const WARNINGS_LIMIT = 50;
