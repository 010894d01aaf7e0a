import type { Leaves } from './record.js';

/** Members that every redacted line discloses: without them nobody could say what it is about (evidence.md section 2). */
export const ALWAYS_DISCLOSED = [
  '/event_id',
  '/event_type',
  '/tenant_id',
  '/source_system',
  '/event_effective_timestamp',
  '/received_at',
] as const;

/**
 * Hashes without salt over bytes in which a hidden value stands: who knows the rest could try values until the hash fits.
 * They are hidden with the first value that is.
 */
const UNSALTED_HASHES: ReadonlySet<string> = new Set(['/payload/raw_sha256', '/payload/raw/part_sha256']);

export interface ExpandedPointers {
  /** Leaves that are hidden, in document order. */
  readonly hidden: readonly string[];
  /** Pointers that name nothing in the record. */
  readonly unknown: readonly string[];
  /** Pointers that reach a member that is always disclosed. */
  readonly undisclosable: readonly string[];
}

/** Whether the pointer names this leaf or something that it stands in. */
export const reaches = (pointer: string, leaf: string): boolean => leaf === pointer || leaf.startsWith(`${pointer}/`);

/**
 * What the pointers (RFC 6901, into the record) hide: each of them itself, or every leaf below it.
 *
 * A pointer that hides nothing is a mistake of whoever wrote it, and told as such: it must not look as if it had.
 */
export function expandPointers(leaves: Pick<Leaves, 'pointers'>, pointers: readonly string[]): ExpandedPointers {
  const always: readonly string[] = ALWAYS_DISCLOSED;
  const asked = new Set(
    leaves.pointers.filter((leaf) => pointers.some((pointer) => reaches(pointer, leaf)) && !always.includes(leaf)),
  );
  return {
    hidden: leaves.pointers.filter((leaf) => asked.has(leaf) || (asked.size > 0 && UNSALTED_HASHES.has(leaf))),
    unknown: pointers.filter((pointer) => !leaves.pointers.some((leaf) => reaches(pointer, leaf))),
    undisclosable: pointers.filter((pointer) => always.some((leaf) => reaches(pointer, leaf))),
  };
}
