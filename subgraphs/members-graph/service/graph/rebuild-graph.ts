import { createHash } from 'node:crypto';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { lineOf } from '../../domain/graph/graph-record.js';
import type { NodeId } from '../../domain/graph/node-id.js';
import type { TenantGraph } from '../ports/graph-store.js';
import { type FollowDeps, isFollowed } from './follow-graph.js';
import { projectEntries } from './project-entries.js';

const PAGE = 200;
const DIGEST_PAGE = 1_000;

/** What a graph is told by: equal for equal nodes and edges. */
export interface GraphDigest {
  readonly records: number;
  readonly edges: number;
  /** Over the lines of all records in order of node id. */
  readonly sha256: string;
}

export interface RebuildReport {
  readonly tenant_id: TenantId;
  readonly generation: number;
  readonly live: GraphDigest;
  readonly rebuilt: GraphDigest;
  /** Whether what was live said the same. Where the ledger grew meanwhile it may not have. */
  readonly equal: boolean;
}

/** The whole of a graph in a few words. */
export async function digestOf(graph: Pick<TenantGraph, 'page'>): Promise<GraphDigest> {
  const hash = createHash('sha256');
  let [records, edges]: [number, number] = [0, 0];
  for (let after: NodeId | null = null; ; ) {
    const page = await graph.page(after, DIGEST_PAGE);
    for (const record of page) {
      hash.update(`${lineOf(record)}\n`);
      edges += record.edges.length;
    }
    records += page.length;
    after = page.at(-1)?.node ?? null;
    if (page.length < DIGEST_PAGE) return { records, edges, sha256: hash.digest('hex') };
  }
}

/**
 * Makes a tenant's graph anew from the ledger and from what its records are now, into a generation of its own. Readers see it
 * when it is whole; what came meanwhile is taken in from where it ended. The service may run.
 */
export async function rebuildGraph(deps: FollowDeps, tenantId: TenantId): Promise<RebuildReport> {
  const { graph, cursors, ledgerFeed } = deps;
  const before = await graph.live(tenantId);
  const generation = await graph.begin(tenantId);
  const heads = (await ledgerFeed.heads(tenantId)).filter(({ source_system }) => isFollowed(source_system));
  const done: { source_system: string; sequence: number }[] = [];
  for (const { source_system } of heads) {
    const sequence = await projectChain(deps, tenantId, generation, source_system);
    done.push({ source_system, sequence });
  }
  const live = await digestOf(graph.of(tenantId, before));
  const rebuilt = await digestOf(graph.of(tenantId, generation));
  await cursors.place(tenantId, generation, done);
  if (await graph.switchTo(tenantId, generation)) {
    await graph.dropBefore(tenantId, generation);
    await cursors.dropBefore(tenantId, generation);
  }
  return { tenant_id: tenantId, generation, live, rebuilt, equal: live.sha256 === rebuilt.sha256 };
}

/** @returns the last sequence that was taken in. */
async function projectChain(
  deps: FollowDeps,
  tenantId: TenantId,
  generation: number,
  sourceSystem: string,
): Promise<number> {
  for (let sequence = 0; ; ) {
    const { entries, more } = await deps.ledgerFeed.read(tenantId, {
      after: [{ source_system: sourceSystem, sequence }],
      all: false,
      named: [sourceSystem],
      limit: PAGE,
    });
    await projectEntries(deps, tenantId, generation, entries);
    sequence = entries.at(-1)?.sequence ?? sequence;
    if (!more) return sequence;
  }
}
