import { type FieldFault, fault } from '../errors/problem.js';
import { instantOf } from './rfc3339.js';

/** The instant of a time that a caller gives, in epoch milliseconds; a text that is no time adds a fault. */
export function timeArgument(path: string, text: string | null | undefined, faults: FieldFault[]): number | undefined {
  if (text == null) return undefined;
  const instant = instantOf(text);
  if (instant === undefined)
    faults.push(fault(path, 'format', 'Must be RFC 3339 with a time zone, for example 2026-03-02T14:11:09Z.'));
  return instant;
}
