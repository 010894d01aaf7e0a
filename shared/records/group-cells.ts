/** Records that are equal in every member that groups them, and their figures. */
type Cell<Name extends string, Sums> = { readonly [N in Name]: string } & Sums;

/** A group of cells; null for a member that does not group them. */
type CellGroup<Name extends string, Sums> = { readonly [N in Name]: string | null } & Sums;

interface Grouping<Name extends string, Sums> {
  /** Every member that can group cells. */
  readonly names: readonly Name[];
  readonly by: readonly Name[];
  readonly add: (a: Sums, b: Sums) => Sums;
}

/** Groups cells by some of their members, the largest group first. */
export function groupCells<Name extends string, Sums extends { readonly count: number }>(
  cells: readonly Cell<Name, Sums>[],
  { names, by, add }: Grouping<Name, Sums>,
): readonly CellGroup<Name, Sums>[] {
  const groups = new Map<string, CellGroup<Name, Sums>>();
  for (const cell of cells) {
    const key = JSON.stringify(by.map((name) => cell[name]));
    const known = groups.get(key);
    const own = Object.fromEntries(names.map((name) => [name, by.includes(name) ? cell[name] : null]));
    // One member for each name, as the type lists them.
    const members = own as { readonly [N in Name]: string | null };
    groups.set(key, { ...(known === undefined ? cell : add(known, cell)), ...members });
  }
  return [...groups]
    .sort(([keyA, a], [keyB, b]) => b.count - a.count || (keyA < keyB ? -1 : 1))
    .map(([, group]) => group);
}

/** The first groups, the number of all records, and whether there are more groups. */
export const firstGroups = <G>(cells: readonly { readonly count: number }[], groups: readonly G[], limit: number) => ({
  count: cells.reduce((sum, { count }) => sum + count, 0),
  items: groups.slice(0, limit),
  truncated: groups.length > limit,
});
