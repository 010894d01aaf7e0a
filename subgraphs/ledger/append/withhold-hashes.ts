import type { TenantRedactions } from '../redactions/index.js';

/** A row of an answer that may name an event and the hash of its record. */
export interface HashedRow {
  readonly event_id?: string | undefined;
  readonly worm_sha256?: string | undefined;
}

/**
 * Removes the record's hash from rows of redacted events. The hash has no salt, so that it would let readers guess
 * hidden words (evidence.md section 2 "Disposed").
 */
export async function withoutWithheldHashes<R extends HashedRow>(
  redactions: TenantRedactions,
  rows: readonly R[],
): Promise<R[]> {
  const hashed = rows.flatMap(({ event_id, worm_sha256 }) =>
    event_id === undefined || worm_sha256 === undefined ? [] : [event_id],
  );
  if (hashed.length === 0) return [...rows];
  const hidden = await redactions.of(hashed);
  if (hidden.size === 0) return [...rows];
  return rows.map((row) => {
    if (row.event_id === undefined || !hidden.has(row.event_id)) return row;
    const { worm_sha256: _, ...rest } = row;
    return rest as R;
  });
}
