import type { AdapterWarning, Position } from '../format-adapter.js';
import { decimalAmount } from '../values/money.js';
import { hasRunOn, positionOf, type Segment, type SegmentPlace } from './envelope/segment.js';

/** Why an item or a segment is unreadable. */
export interface Refusal {
  code: string;
  message: string;
  segment?: string;
  element?: number;
  position: Position;
}

export const AMOUNT_MALFORMED = ['AMOUNT_MALFORMED', 'an amount is not a number of cents'] as const;
const DATE_MALFORMED = ['DATE_MALFORMED', 'a date is unreadable'] as const;
/** The last element of a TRN or REF that has a number. */
const NUMBER_ELEMENTS = 4;
/** The last element of an NM1 in the guides. */
const NAME_ELEMENTS = 9;

/** The state that every future event keeps while its segments are read. */
export class Item {
  /** n of the source record id: the item's place in its transaction. */
  ordinal = 0;
  readonly warnings: AdapterWarning[] = [];
  /** Why the item is unreadable; null if it is readable. */
  broken: Refusal | null = null;
  readonly position: Position;

  constructor(opener: Segment) {
    this.position = positionOf(opener);
  }

  /** Marks the item as unreadable; the first reason wins. */
  break(segment: SegmentPlace, code: string, message: string, element?: number): void {
    const place = element === undefined ? { segment: segment.id } : { segment: segment.id, element };
    this.broken ??= { code, message, ...place, position: positionOf(segment) };
  }

  /** Breaks the item if a TRN or REF swallowed the next segment, so that its number is unusable. */
  breakRunOn(segment: Segment, lastElement = NUMBER_ELEMENTS): void {
    const found = numberRunOn(segment, lastElement);
    if (found !== null) this.broken ??= found;
  }

  /** Breaks the item if an NM1 swallowed the next segment; true if so. */
  breakNameRunOn(segment: Segment, isRelated = false): boolean {
    const found = nameRunOn(segment, isRelated);
    if (found !== null) this.broken ??= found;
    return found !== null;
  }

  /** Warns of an unusable element. */
  warn(segment: SegmentPlace, code: string, message: string, element: number): void {
    this.warnings.push({ code, message, segment: segment.id, element, position: positionOf(segment) });
  }

  /** Adds to a list of limited length; warns once of each kind that is left out. */
  keep<T>(list: T[], value: T, segment: Segment, limit: { readonly count: number; readonly code: string }): void {
    if (list.length < limit.count) list.push(value);
    else if (!this.warnings.some(({ code }) => code === limit.code)) {
      this.warn(segment, limit.code, `the segments after the first ${limit.count} are left out`, 1);
    }
  }

  warnOfAmount(segment: Segment, element: number): void {
    this.warn(segment, ...AMOUNT_MALFORMED, element);
  }

  warnOfDate(segment: Segment, element = 3): void {
    this.warn(segment, ...DATE_MALFORMED, element);
  }

  /** The decimal string of an optional amount; '' with a warning if malformed. */
  amount(segment: Segment, element: number): string {
    const text = segment.value(element);
    const amount = text === '' ? '' : decimalAmount(text);
    if (amount === null) this.warnOfAmount(segment, element);
    return amount ?? '';
  }
}

/** The fault of a TRN or REF with more elements than its guide: a terminator is missing. Null if there is none. */
export function numberRunOn(segment: Segment, lastElement: number): Refusal | null {
  if (!hasRunOn(segment, lastElement)) return null;
  const message = 'a number continues after its segment: a terminator is missing';
  const place = { segment: segment.id, element: lastElement + 1, position: positionOf(segment) };
  return { code: 'TERMINATOR_LOST', message, ...place };
}

/** NM110 of a party that a coverage or benefit names (data element 706): how it is related to the member. */
const RELATIONSHIPS: ReadonlySet<string> = new Set('01 02 25 26 27 41 48 65 72'.split(' '));

/**
 * The fault of an NM1 with more elements than its guide: a terminator is missing. Null if there is none.
 *
 * @param isRelated true for a party of a coverage (834) or benefit (271), whose guides have NM110
 */
export function nameRunOn(segment: Segment, isRelated = false): Refusal | null {
  if (!hasRunOn(segment, NAME_ELEMENTS)) return null;
  const last = NAME_ELEMENTS + 1;
  if (isRelated && RELATIONSHIPS.has(segment.value(last)) && !hasRunOn(segment, last)) return null;
  const message = 'NM1 continues after its id: a terminator is missing';
  return { code: 'TERMINATOR_LOST', message, segment: 'NM1', element: last, position: positionOf(segment) };
}
