import { Long } from 'bson';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { MongoError } from '../errors.js';

/** What one stage may hold; MongoDB's own limit. Nothing is ever written to temporary files here. */
export const maxStageBytes = 100 * 1024 * 1024;

/** Keeps account of what a blocking stage holds, and refuses to let it exhaust the process. */
export class MemoryBudget {
  private heldBytes = 0;

  constructor(private readonly stage: string) {}

  charge(bytes: number): void {
    this.heldBytes += bytes;
    if (this.heldBytes <= maxStageBytes) return;
    throw new MongoError(
      'QueryExceededMemoryLimitNoDiskUseAllowed',
      `Exceeded memory limit of ${maxStageBytes} bytes for ${this.stage}; this server sorts and groups in memory only, allowDiskUse does not change that`,
    );
  }

  release(bytes: number): void {
    this.heldBytes -= bytes;
  }
}

const scalarBytes = 32;

/** About the memory a decoded value takes. */
export function approximateBytes(value: BsonValue | undefined): number {
  if (typeof value === 'string') return scalarBytes + value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + approximateBytes(item), scalarBytes);
  if (value instanceof BsonDoc) {
    let bytes = scalarBytes;
    for (const [name, item] of value) bytes += name.length + approximateBytes(item);
    return bytes;
  }
  if (value !== null && typeof value === 'object' && !(value instanceof Long) && 'buffer' in value) {
    return scalarBytes + value.buffer.length;
  }
  return scalarBytes;
}
