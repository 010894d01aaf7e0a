import { stateOf } from '../../values/codes.js';
import { describeDay, describeMoment } from '../../values/hl7-timestamps.js';
import { fieldTable } from '../../values/payload.js';
import type { Segment } from '../message/segment.js';

/** The state of the first XAD address in the United States; '' if there is none. */
export function stateIn(segment: Segment, field: number): string {
  for (const repetition of segment.repetitions(field)) {
    const state = stateOf(segment.valueOf(repetition, 4), segment.valueOf(repetition, 6).toUpperCase());
    if (state !== '') return state;
  }
  return '';
}

type Reader = (segment: Segment, field: number, component?: number, subcomponent?: number) => string | string[];

/** How a place is read, by the letter after it; without one as a value. */
const READERS: Readonly<Record<string, Reader>> = {
  '': (segment, field, component, subcomponent) => segment.value(field, component, subcomponent),
  // A text with all subcomponents.
  t: (segment, field, component) => segment.text(field, component),
  // A moment, a day.
  m: (segment, field, component) => describeMoment(segment.value(field, component)),
  d: (segment, field, component) => describeDay(segment.value(field, component)),
  // The state of an address.
  a: (segment, field) => stateIn(segment, field),
  // A location: point of care, room, bed, facility.
  l: (segment, field) =>
    [1, 2, 3, 4]
      .map((component) => segment.value(field, component))
      .filter(Boolean)
      .join(' '),
  // All repetitions.
  r: (segment, field) => segment.repetitions(field).map((repetition) => segment.valueOf(repetition)),
};

type Find = (id: string) => Segment | undefined;
export type Fields = readonly (readonly [name: string, read: (find: Find) => string | string[]])[];

/**
 * Reads a table of payload names and places, such as `status=1 placer_number=ORC-2|OBR-2 starts_at=11.4m`: the segment
 * if there are several, field, component, subcomponent, and the letter of a reader. `|` separates alternatives.
 */
export const fieldsOf = (text: string): Fields =>
  fieldTable(text).map(([name, places]) => {
    const readers = places.split('|').map(placeReader);
    return [name, (find) => firstOf(readers, find)];
  });

function firstOf(readers: readonly ((find: Find) => string | string[])[], find: Find): string | string[] {
  for (const read of readers) {
    const value = read(find);
    if (value.length > 0) return value;
  }
  return '';
}

function placeReader(place: string): (find: Find) => string | string[] {
  const [, id = '', path = '', letter = ''] = /^(?:(\w{3})-)?([\d.]+)([a-z]?)$/.exec(place) ?? [];
  const [field = 0, component, subcomponent] = path.split('.').map(Number);
  const read = READERS[letter];
  if (read === undefined) throw new Error(`the place ${place} has no known reader`);
  return (find) => {
    const segment = find(id);
    return segment === undefined ? '' : read(segment, field, component, subcomponent);
  };
}

/** The fields of a segment, or of several by id, without empty ones. */
export function describeFields(from: Segment | Find, fields: Fields): Record<string, unknown> {
  const find = typeof from === 'function' ? from : (): Segment => from;
  const described: Record<string, unknown> = {};
  for (const [name, read] of fields) {
    const value = read(find);
    if (value.length > 0) described[name] = value;
  }
  return described;
}
