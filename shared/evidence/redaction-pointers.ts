import type { Leaves } from './record.js';

/** Members that every redacted line discloses: without them its subject is unknown (evidence.md section 2). */
export const ALWAYS_DISCLOSED = [
  '/event_id',
  '/event_type',
  '/tenant_id',
  '/source_system',
  '/event_effective_timestamp',
  '/received_at',
] as const;

/**
 * Hashes without salt over bytes that contain a hidden value. A reader who knows the rest could try values until the
 * hash matches. They are hidden together with the first hidden value.
 */
const UNSALTED_HASHES: ReadonlySet<string> = new Set(['/payload/raw_sha256', '/payload/raw/part_sha256']);

interface ExpandedPointers {
  /** Leaves that are hidden, in document order. */
  readonly hidden: readonly string[];
  /** Pointers that name nothing in the record. */
  readonly unknown: readonly string[];
  /** Pointers that reach a member that is always disclosed. */
  readonly undisclosable: readonly string[];
}

/** True if the pointer names this leaf or a parent of it. */
const reaches = (pointer: string, leaf: string): boolean => leaf === pointer || leaf.startsWith(`${pointer}/`);

/**
 * Returns the leaves that the pointers (RFC 6901, into the record) hide: the leaf itself, or every leaf below it.
 *
 * A pointer that hides nothing is reported as a mistake: the author must not believe that it worked.
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
