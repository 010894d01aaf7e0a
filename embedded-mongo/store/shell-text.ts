import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { BsonDate, BsonDoc, type BsonValue } from '../bson/value.js';

/** A value as the shell writes it: the form of values in error texts, on which clients and their tests rely. */
export function shellText(value: BsonValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(shellText).join(', ')} ]`;
  if (value instanceof BsonDoc) {
    const fields = [...value].map(([name, field]) => `${name}: ${shellText(field)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  return scalarText(value);
}

function scalarText(value: Exclude<BsonValue, null | string | boolean | BsonValue[] | BsonDoc>): string {
  if (value instanceof Int32) return String(value.value);
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
  if (value instanceof Long || value instanceof Decimal128) return value.toString();
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof BsonDate) return `new Date(${value.ms})`;
  if (value instanceof Binary) return binaryText(value);
  if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`;
  return value._bsontype;
}

function binaryText(value: Binary): string {
  const hex = Buffer.from(value.buffer.subarray(0, value.position)).toString('hex');
  if (value.sub_type !== Binary.SUBTYPE_UUID || hex.length !== 32)
    return `BinData(${value.sub_type}, ${hex.toUpperCase()})`;
  return `UUID("${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}")`;
}
