import type { EventFacts, TenantRedactions } from '../redactions/index.js';

/** A row of an answer that may name an event, the hash of its record and its id at the sender. */
export interface ResultRow {
  readonly event_id?: string | undefined;
  readonly worm_sha256?: string | undefined;
  readonly source_record_id?: string | undefined;
}

/** Pointers that hide the sender's id of a record. */
const HIDES_SOURCE_RECORD: ReadonlySet<string> = new Set(['', '/source_record_id']);

/**
 * Returns rows as a reader may see them now. A row of a disposed event keeps neither hash nor sender's id. A row of a
 * redacted event keeps no hash, and the sender's id only where the redaction shows it. The hash has no salt, so that it
 * would let readers guess hidden words (evidence.md section 2 "Disposed").
 *
 * @param originals the reader sees redacted content
 */
export async function visibleRows<R extends ResultRow>(
  redactions: Pick<TenantRedactions, 'factsOf'>,
  rows: readonly R[],
  originals: boolean,
): Promise<R[]> {
  const named = rows.flatMap(({ event_id }) => event_id ?? []);
  if (named.length === 0) return [...rows];
  const facts = await redactions.factsOf(named);
  return rows.map((row) =>
    visibleRow(row, row.event_id === undefined ? undefined : facts.get(row.event_id), originals),
  );
}

function visibleRow<R extends ResultRow>(row: R, facts: EventFacts | undefined, originals: boolean): R {
  const isDisposed = facts !== undefined && facts.disposal !== null;
  const hidden = originals ? null : (facts?.hidden ?? null);
  if (!isDisposed && hidden === null) return row;
  const { worm_sha256: _, source_record_id, ...rest } = row;
  const isShown = !isDisposed && !hidden?.pointers.some((pointer) => HIDES_SOURCE_RECORD.has(pointer));
  // The members that are left out are optional, so the rest is a row of the same type.
  return (isShown && source_record_id !== undefined ? { ...rest, source_record_id } : rest) as R;
}
