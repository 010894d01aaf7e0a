import { createHash } from 'node:crypto';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { NodeId } from './domain/node-id.js';
import { lineOf } from './domain/record.js';
import { type FollowDeps, isFollowed } from './follow-ledger.js';
import type { TenantGraph } from './ports.js';
import { projectEntries } from './project-entries.js';

const PAGE = 200;
const DIGEST_PAGE = 1_000;

/** A digest of a graph: equal for equal nodes and edges. */
interface GraphDigest {
  readonly records: number;
  readonly edges: number;
  /** SHA-256 of the lines of all records by node id. */
  readonly sha256: string;
}

export interface RebuildReport {
  readonly tenant_id: TenantId;
  readonly generation: number;
  readonly live: GraphDigest;
  readonly rebuilt: GraphDigest;
  /** True if the live graph had the same digest; the ledger may have grown in between. */
  readonly equal: boolean;
}

async function digestOf(graph: Pick<TenantGraph, 'page'>): Promise<GraphDigest> {
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
 * Rebuilds a tenant's graph from the ledger and the current records into a new generation, then switches readers to it. New
 * entries continue from its cursors. The service may run meanwhile.
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

/** @returns the last projected sequence */
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
