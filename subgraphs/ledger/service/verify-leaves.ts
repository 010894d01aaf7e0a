import type { TenantTree } from './ports/tree-store.js';

/**
 * The leaves of these entries of a chain, by sequence. Where entries are missing there may be leaves of theirs between,
 * so that one page need not reach the last.
 *
 * @param sequences ascending.
 */
export async function leavesOf(
  tree: Pick<TenantTree, 'ofChain'>,
  sourceSystem: string,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const leaves = new Map<number, string>();
  for (let at = 0; at < sequences.length; ) {
    const page = await tree.ofChain(sourceSystem, sequences[at] ?? 0, sequences.length);
    for (const { seq, entry_hash } of page) leaves.set(seq, entry_hash);
    const end = page.at(-1)?.seq;
    if (end === undefined) return leaves;
    while (at < sequences.length && (sequences[at] ?? 0) <= end) at++;
  }
  return leaves;
}
