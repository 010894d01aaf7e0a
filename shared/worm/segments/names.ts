/** Returns the calendar quarter in UTC as in a segment's name: `2026q4`. */
export function quarterOf(epochMs: number): string {
  const date = new Date(epochMs);
  return `${date.getUTCFullYear()}q${Math.floor(date.getUTCMonth() / 3) + 1}`;
}

/** Names a segment by the opaque log id, never by the tenant (evidence.md section 4). */
export const segmentName = (logId: string, quarter: string, number: number): string =>
  `worm_${logId}_${quarter}_${String(number).padStart(6, '0')}`;

/** True for a name as segmentName gives it: a row of the catalogue may hold any value. */
export const isSegmentName = (name: unknown, logId: string): name is string =>
  typeof name === 'string' && name.startsWith(`worm_${logId}_`) && /_\d{4}q[1-4]_\d{6,}$/.test(name);

/** A full capped collection evicts its oldest document; writers stop at this share, so it is never full. */
const FILL_LIMIT = 0.8;

/** Overhead of a record in a segment's `size`: the key, the seed, names and framing of its document or frame. */
export const RECORD_OVERHEAD_BYTES = 160;

interface SegmentCapacity {
  readonly records: number;
  readonly bytes: number;
}

export const capacityOf = (maxRecords: number, sizeBytes: number): SegmentCapacity => ({
  records: Math.floor(maxRecords * FILL_LIMIT),
  bytes: Math.floor(sizeBytes * FILL_LIMIT),
});
