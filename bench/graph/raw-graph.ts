import type { Collection, Document, Filter } from 'mongodb';

/** The collections that the raw driver walks. */
export interface RawGraph {
  readonly edges: Collection<Document>;
  readonly facts: Collection<Document>;
  readonly tenantId: string;
}

const other = (edge: Document, node: string): string => String(edge['from'] === node ? edge['to'] : edge['from']);

/** Reads the facts of the events among these nodes. @returns the number of nodes */
export async function rawFacts({ facts, tenantId }: RawGraph, nodes: ReadonlySet<string>): Promise<number> {
  const ids = [...nodes].filter((node) => node.startsWith('event:')).map((node) => `${tenantId}/${node}`);
  await facts
    .find({ _id: { $in: ids as never[] } })
    .batchSize(ids.length + 1)
    .toArray();
  return nodes.size;
}

/** Reads neighbours in both directions of an edge, newest first. */
export async function rawNeighbors(
  { edges, tenantId }: RawGraph,
  node: string,
  limit: number,
): Promise<ReadonlySet<string>> {
  const [out, into] = await Promise.all(
    ['from', 'to'].map((end) =>
      edges
        .find({ tenant_id: tenantId, [end]: node } as Filter<Document>)
        .sort({ at: -1 })
        .limit(limit)
        .toArray(),
    ),
  );
  return new Set([...(out ?? []), ...(into ?? [])].map((edge) => other(edge, node)));
}

/** Walks level by level, all nodes of a level at once. */
export async function rawSteps(
  raw: RawGraph,
  roots: readonly string[],
  depth: number,
  limit: number,
): Promise<Set<string>> {
  const seen = new Set(roots);
  let frontier = [...roots];
  for (let level = 0; level < depth && frontier.length > 0; level++) {
    const found = await rawStep(raw, frontier, limit);
    frontier = [];
    for (const node of found) {
      if (seen.has(node) || seen.size >= limit) continue;
      seen.add(node);
      frontier.push(node);
    }
  }
  return seen;
}

async function rawStep({ edges, tenantId }: RawGraph, nodes: readonly string[], limit: number): Promise<string[]> {
  const among = { $in: [...nodes] };
  const [out, into] = await Promise.all(
    ['from', 'to'].map((end) =>
      edges
        .find({ tenant_id: tenantId, [end]: among } as Filter<Document>)
        .limit(limit * 10)
        .batchSize(limit * 10)
        .toArray(),
    ),
  );
  return [...(out ?? []), ...(into ?? [])].flatMap(({ from, to }) => [String(from), String(to)]);
}

/** Walks two steps from each end and returns the nodes where they meet. */
export async function rawPaths(raw: RawGraph, from: string, to: string): Promise<ReadonlySet<string>> {
  const [a, b] = await Promise.all([rawSteps(raw, [from], 2, 5_000), rawSteps(raw, [to], 2, 5_000)]);
  return new Set([from, to, ...[...a].filter((node) => b.has(node))]);
}
