import type { AdapterWarning, Part, Position } from '../adapter.js';
import { hasRunOn } from './parties.js';
import type { Segment } from './segment.js';
import { positionOf, type Refusal, type TransactionContext } from './transaction-context.js';

/** What every thing that becomes an event keeps while its segments come. */
export interface ItemState {
  /** n of the source record id: the item's place in its transaction. */
  ordinal: number;
  position: Position;
  warnings: AdapterWarning[];
  /** Why it cannot be read. */
  broken: Refusal | null;
}

/** Marks the item as one that cannot be read; the first reason stands. */
export function breakItem(item: ItemState, segment: Segment, code: string, message: string, element?: number): void {
  const place = element === undefined ? { segment: segment.id } : { segment: segment.id, element };
  item.broken ??= { code, message, ...place, position: positionOf(segment) };
}

/** TRN and REF have four elements: one that goes on has swallowed the segment after it, and its number is not to be used. */
export function breakRunOn(item: ItemState, segment: Segment): void {
  if (!hasRunOn(segment, numberElements)) return;
  const message = 'a number goes on after its segment: a terminator is missing';
  breakItem(item, segment, 'TERMINATOR_LOST', message, numberElements + 1);
}

const numberElements = 4;

/** Warns of an element that could not be used. */
export function warnOfElement(item: ItemState, segment: Segment, code: string, message: string, element: number): void {
  item.warnings.push({ code, message, segment: segment.id, element, position: positionOf(segment) });
}

/** `ISA13/GS06/ST02/n/id`: the same bytes always have the same name (mapping.md section 2). */
export function sourceRecordId({ header }: TransactionContext, ordinal: number, id: string): string {
  const { interchangeControl, groupControl, transactionControl } = header;
  return `${interchangeControl}/${groupControl}/${transactionControl}/${ordinal}/${id}`;
}

/** An event that is nobody's is kept, and told of: a member is never borrowed. */
export function memberMissing(
  context: TransactionContext,
  about: { index: number; message: string; segment: string; position: Position; part: Part },
): void {
  context.exception({ exceptionKind: 'UNKNOWN_MEMBER', code: 'MEMBER_MISSING', ...about });
}
