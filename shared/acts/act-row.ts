// Rows of chain.tsv for acts of the service, derived from the disclosed fields of their records (docs/evidence.md section 5).
// The service and the verifier of Node share this file; it uses no library of a platform.

/** The value of a disclosed field by its pointer; undefined for a field that is absent or not disclosed. */
type FieldOf = (pointer: string) => unknown;

/** The cells of a row that follow from the record; the others follow from the header. */
export interface ActCells {
  readonly at: string;
  readonly kind: 'CUSTODY' | 'SYSTEM' | 'RECORD';
  readonly subject_type: string;
  readonly subject_id: string;
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly purpose: string | null;
  readonly recipient: string | null;
  readonly sha256_before: string | null;
  readonly sha256_after: string | null;
}

/** Row kinds of the service's own chains, by partition. */
const ACT_KINDS: Readonly<Record<string, ActCells['kind']>> = {
  _custody: 'CUSTODY',
  _system: 'SYSTEM',
  _records: 'RECORD',
};

export const actKindOf = (partition: string): ActCells['kind'] | undefined =>
  Object.hasOwn(ACT_KINDS, partition) ? ACT_KINDS[partition] : undefined;

const upper = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());

/** Returns the cells, or null if a field that every row needs is not disclosed. */
export function actCells(partition: string, fieldOf: FieldOf): ActCells | null {
  const textOf = (pointer: string): string | null => {
    const value = fieldOf(pointer);
    return typeof value === 'string' ? value : null;
  };
  const [at, action] = [textOf('/event_effective_timestamp'), textOf('/event_type')];
  const kind = actKindOf(partition);
  if (kind === undefined || at === null || action === null) return null;
  const subjectKind = textOf('/payload/subject/kind');
  if (subjectKind === null) {
    const [family, name] = [textOf('/event_family'), textOf('/source_record_id')];
    if (kind === 'CUSTODY' || family === null || name === null) return null;
    const none = { actor_id: null, purpose: null, recipient: null, sha256_before: null, sha256_after: null };
    return { at, kind, subject_type: upper(family), subject_id: name, action, actor_type: 'SERVICE', ...none };
  }
  const [subjectId, actor] = [textOf('/payload/subject/id'), textOf('/payload/actor/type')];
  if (subjectId === null || actor === null) return null;
  return {
    at,
    kind,
    subject_type: upper(subjectKind),
    subject_id: subjectId,
    action,
    actor_type: actor,
    actor_id: textOf('/payload/actor/id'),
    purpose: textOf('/payload/purpose'),
    recipient: textOf('/payload/recipient'),
    sha256_before: textOf('/payload/sha256_before'),
    sha256_after: textOf('/payload/sha256_after'),
  };
}
