import type { TenantRedactions } from './ports/redaction-store.js';

/** A row of an answer that names an event and, where it was told then, the hash of its record. */
export interface HashedRow {
  readonly event_id?: string | undefined;
  readonly worm_sha256?: string | undefined;
}

/**
 * The rows, without the record's hash where something of the event is hidden: it has no salt, so that it would let hidden
 * words be guessed, and stands in no answer (evidence.md section 2 "Disposed").
 */
export async function withoutUntoldHashes<R extends HashedRow>(
  redactions: TenantRedactions,
  rows: readonly R[],
): Promise<R[]> {
  const told = rows.flatMap(({ event_id, worm_sha256 }) =>
    event_id === undefined || worm_sha256 === undefined ? [] : [event_id],
  );
  if (told.length === 0) return [...rows];
  const hidden = await redactions.of(told);
  if (hidden.size === 0) return [...rows];
  return rows.map((row) => {
    if (row.event_id === undefined || !hidden.has(row.event_id)) return row;
    const { worm_sha256: _, ...rest } = row;
    return rest as R;
  });
}
