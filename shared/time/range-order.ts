import { type FieldFault, fault } from '../errors/problem.js';
import { instantOf } from './rfc3339.js';

/** Names of the start and the end of a span of time. */
const SPANS = [
  ['from', 'to'],
  ['since', 'until'],
] as const;

/** Finds spans that end before they start. Values of these names that are no times are left to other checks. */
export function rangeFaults(values: Readonly<Record<string, unknown>>): readonly FieldFault[] {
  return SPANS.flatMap(([start, end]) => {
    const [startMs, endMs] = [timeOf(values[start]), timeOf(values[end])];
    if (startMs === undefined || endMs === undefined || startMs <= endMs) return [];
    return [fault(`/${start}`, 'order', `Must not be later than ${end}.`)];
  });
}

const timeOf = (value: unknown): number | undefined => (typeof value === 'string' ? instantOf(value) : undefined);
