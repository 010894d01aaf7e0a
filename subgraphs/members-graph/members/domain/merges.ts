import type { JsonObject } from '../../../../shared/json/strict-json.js';

/** One entry of a tenant's log of merges. Entries stay; an unmerge is a further entry. */
export interface MergeEntry {
  /** From 1, without gaps. */
  readonly number: number;
  readonly merge_id: string;
  readonly action: 'MERGE' | 'UNMERGE';
  /** The merged record. */
  readonly source_id: string;
  readonly target_id: string;
  readonly reason: string | null;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
}

interface MergeLink {
  readonly target_id: string;
  readonly since: Date;
}

/** Current merges by source. */
export type MergeLinks = ReadonlyMap<string, MergeLink>;

/** @param entries oldest first, after the entries of `before` */
export function linksNow(entries: readonly MergeEntry[], before?: MergeLinks): MergeLinks {
  const links = new Map<string, MergeLink>(before);
  for (const { action, source_id, target_id, at } of entries) {
    if (action === 'MERGE') links.set(source_id, { target_id, since: at });
    else links.delete(source_id);
  }
  return links;
}

/**
 * The evidential fields of a member, by its merges.
 *
 * @param entries every entry that names the member, oldest first
 */
export function linkStateAfter(memberId: string, entries: readonly MergeEntry[]): JsonObject {
  const links = linksNow(entries);
  const sources = [...links].filter(([, { target_id }]) => target_id === memberId).map(([source]) => source);
  return {
    merged_into: links.get(memberId)?.target_id ?? null,
    merged_from: sources.sort(),
    number: entries.at(-1)?.number ?? 0,
  };
}

/** Returns the surviving record. Links form no circle: see mergeConflict. */
export function survivorOf(links: MergeLinks, memberId: string): string {
  let id = memberId;
  for (let link = links.get(id); link !== undefined; link = links.get(id)) id = link.target_id;
  return id;
}

/** Returns all ids of a person: the survivor, then the merged records by time. */
export const identityIn = (links: MergeLinks, memberId: string): readonly string[] =>
  peopleIn(links).get(memberId) ?? [memberId];

/** Maps every linked id to the ids of its person, as identityIn returns them. */
export function peopleIn(links: MergeLinks): ReadonlyMap<string, readonly string[]> {
  const people = new Map<string, string[]>();
  for (const [source] of [...links].sort(([, a], [, b]) => a.since.getTime() - b.since.getTime())) {
    const survivor = survivorOf(links, source);
    const person = people.get(survivor) ?? [survivor];
    person.push(source);
    people.set(survivor, person).set(source, person);
  }
  return people;
}

/** Returns the reason against a merge; null if it is possible. */
export function mergeConflict(links: MergeLinks, source: string, target: string): string | null {
  if (source === target) return 'A member cannot be merged with itself.';
  if (links.has(source)) return 'The source is already merged; unmerge it first.';
  // Only survivors accept merges, so that links form no circle.
  if (survivorOf(links, target) === source) return 'The members are already merged in the other direction.';
  if (links.has(target)) return 'The target is merged itself; merge into its survivor.';
  return null;
}
