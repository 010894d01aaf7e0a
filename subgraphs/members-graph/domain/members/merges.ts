/** One line of a tenant's log of merges. Nothing is ever taken out of it: undoing a merge is a line of its own. */
export interface MergeEntry {
  /** From 1, without gaps. */
  readonly number: number;
  readonly merge_id: string;
  readonly action: 'MERGE' | 'UNMERGE';
  /** The record that another one stands for. */
  readonly source_id: string;
  readonly target_id: string;
  readonly reason: string | null;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
}

export interface MergeLink {
  readonly target_id: string;
  readonly since: Date;
}

/** By source: into whom each is merged now. */
export type MergeLinks = ReadonlyMap<string, MergeLink>;

/** @param entries oldest first, later than those that `before` follows from. */
export function linksNow(entries: readonly MergeEntry[], before?: MergeLinks): MergeLinks {
  const links = new Map<string, MergeLink>(before);
  for (const { action, source_id, target_id, at } of entries) {
    if (action === 'MERGE') links.set(source_id, { target_id, since: at });
    else links.delete(source_id);
  }
  return links;
}

/** The record that stands for the person. Links never lead round: see refusalOf. */
export function survivorOf(links: MergeLinks, memberId: string): string {
  let id = memberId;
  for (let link = links.get(id); link !== undefined; link = links.get(id)) id = link.target_id;
  return id;
}

/** The survivor first, then all that were merged into it, in the order of their merges. */
export const identityIn = (links: MergeLinks, memberId: string): readonly string[] =>
  peopleIn(links).get(memberId) ?? [memberId];

/** Every id that a link names, with the ids of its person as `identityIn` tells them. */
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

/** Why these cannot be merged; null when they can. */
export function refusalOf(links: MergeLinks, source: string, target: string): string | null {
  if (source === target) return 'A member cannot be merged with itself.';
  if (links.has(source)) return 'The member is merged already; undo that first.';
  // Only who stands for a person takes another: so links never lead round, and none is hidden behind another.
  if (survivorOf(links, target) === source) return 'The two are one already: this merge would lead round.';
  if (links.has(target))
    return 'The member that should stand for both is merged itself; name the one that stands for it.';
  return null;
}
