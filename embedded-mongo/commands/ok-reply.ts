import { Double } from 'bson';
import { BsonDoc } from '../bson/value.js';

/** `ok` is a double on the wire, whole as it is. */
export const okDouble = new Double(1);

/** A reply that ends in `ok: 1`. */
export function okReply(fields: Record<string, unknown> = {}): BsonDoc {
  return BsonDoc.of(fields).append('ok', okDouble);
}
