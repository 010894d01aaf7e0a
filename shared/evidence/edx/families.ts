import type { ManifestDocument, ManifestEvent } from '../bundle/manifest.js';

/** Place of an event in the production, from 1, and its custodian. */
export interface Parent {
  readonly ordinal: number;
  readonly sourceSystem: string;
}

/** Which records belong together: events and the documents attached to them. */
interface Families {
  /** The events of the bundle that a document is attached to. */
  parentsOf(document: ManifestDocument): readonly Parent[];
  /** Returns the first record of the family; a record without relatives is its own. @param ordinal from 1 */
  groupOf(ordinal: number): number;
}

/**
 * Finds the families of a manifest. A document of several events joins them into one family.
 * Only events with documents are remembered.
 *
 * @param documents reads the documents of the manifest; called twice
 * @param events number of events: documents are numbered after them
 */
export async function familiesOf(
  events: number,
  readEvents: () => AsyncIterable<ManifestEvent>,
  documents: () => AsyncIterable<ManifestDocument>,
): Promise<Families> {
  const parents = await parentsIn(readEvents, documents);
  const groups = new Groups();
  let ordinal = events;
  const parentsOf = ({ referenced_by }: ManifestDocument): readonly Parent[] =>
    referenced_by.flatMap((id) => parents.get(id) ?? []);
  if (parents.size > 0) {
    for await (const document of documents()) {
      ordinal += 1;
      for (const parent of parentsOf(document)) groups.join(parent.ordinal, ordinal);
    }
  }
  return { parentsOf, groupOf: (each) => groups.firstOf(each) };
}

async function parentsIn(
  readEvents: () => AsyncIterable<ManifestEvent>,
  documents: () => AsyncIterable<ManifestDocument>,
): Promise<ReadonlyMap<string, Parent>> {
  const referenced = new Set<string>();
  for await (const { referenced_by } of documents()) for (const id of referenced_by) referenced.add(id);
  const parents = new Map<string, Parent>();
  if (referenced.size === 0) return parents;
  let ordinal = 0;
  for await (const { event_id, source_system } of readEvents()) {
    ordinal += 1;
    if (referenced.has(event_id)) parents.set(event_id, { ordinal, sourceSystem: source_system });
    if (parents.size === referenced.size) break;
  }
  return parents;
}

/** Disjoint sets; the smallest member identifies its set. */
class Groups {
  readonly #up = new Map<number, number>();

  firstOf(member: number): number {
    let first = member;
    for (let up = this.#up.get(first); up !== undefined; up = this.#up.get(first)) first = up;
    // Shortens the way for the next reader.
    if (first !== member) this.#up.set(member, first);
    return first;
  }

  join(one: number, other: number): void {
    const [a, b] = [this.firstOf(one), this.firstOf(other)];
    if (a !== b) this.#up.set(Math.max(a, b), Math.min(a, b));
  }
}
