import type { Wholeness } from '../../emit.js';
import type { Transmission } from './segment.js';

/**
 * Grades one transaction. The last one of a transmission is cut if the frame lacks its ETX, or if the body ends before
 * as many transactions as 109-A9 counts.
 *
 * @param number the transaction's number, from 1.
 * @param found how many transactions the transmission has.
 */
export function wholenessOf(transmission: Transmission, number: number, found: number): Wholeness {
  const { header, framed, terminated, cut } = transmission;
  const counted = header.count === null ? null : header.count === found;
  const lacksTransactions = header.count !== null && header.count > found && !terminated;
  if (number === found && (cut || lacksTransactions)) return { framed: false, counted, trailer: false, grade: 'CUT' };
  const isFramed = framed && !cut;
  return { framed: isFramed, counted, trailer: terminated || number < found, grade: isFramed ? 'WHOLE' : 'UNFRAMED' };
}
