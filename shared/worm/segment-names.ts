/** Calendar quarter in UTC, as in a segment's name: `2026q4`. */
export function quarterOf(epochMs: number): string {
  const date = new Date(epochMs);
  return `${date.getUTCFullYear()}q${Math.floor(date.getUTCMonth() / 3) + 1}`;
}

/** A segment is named by the opaque log id, never by the tenant (evidence.md section 4). */
export const segmentName = (logId: string, quarter: string, number: number): string =>
  `worm_${logId}_${quarter}_${String(number).padStart(6, '0')}`;

/** A capped collection evicts its oldest document when full; writers stop here, so that it never is. */
export const FILL_LIMIT = 0.8;

/** What a record takes of a segment's `size` beside its own bytes: the key, names and framing of its document. */
export const RECORD_OVERHEAD_BYTES = 128;

export interface SegmentCapacity {
  readonly records: number;
  readonly bytes: number;
}

export const capacityOf = (maxRecords: number, sizeBytes: number): SegmentCapacity => ({
  records: Math.floor(maxRecords * FILL_LIMIT),
  bytes: Math.floor(sizeBytes * FILL_LIMIT),
});
