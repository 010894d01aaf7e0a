import { fault, problem } from '../../../../shared/errors/problem.js';
import type { GraphAnswer } from '../../domain/graph/graph-answer.js';
import type { GraphEdge } from '../../domain/graph/graph-record.js';
import { isRecordNode, type NodeId, parseNode } from '../../domain/graph/node-id.js';
import type { TenantGraph } from '../ports/graph-store.js';
import type { GraphWalk } from './graph-walk.js';
import { shownAs } from './show-graph.js';

export interface ExportAsked {
  readonly cursor?: string;
  readonly limit: number;
}

/**
 * One page of the whole graph: records in order of node id, with the edges that go out from them. Nodes that are no records
 * stand at the ends of edges alone.
 */
export async function exportPage(
  graph: Pick<TenantGraph, 'page'>,
  walk: GraphWalk,
  { cursor, limit }: ExportAsked,
): Promise<GraphAnswer> {
  const records = await graph.page(cursor === undefined ? null : placeOf(cursor), limit);
  const nodes = records.map(({ node }) => node);
  const shown = (await walk.recordsOf(nodes)).map(({ node }) => node);
  const { edges, truncated } = await walk.outOf(shown);
  // An edge between events is told with the one that it goes out from.
  const own = new Set<NodeId>(shown);
  const told = edges.filter(({ from }) => own.has(from));
  const missing = await withoutRecord(walk, told);
  const answer = await shownAs(walk, { nodes: [...shown, ...missing], edges: told, truncated });
  const last = records.at(-1);
  return { ...answer, next_cursor: records.length < limit || !last ? null : cursorAt(last.node) };
}

/** Ends that would be records, and of which there is none: a matter that an event names and nobody has opened. */
async function withoutRecord(walk: GraphWalk, edges: readonly GraphEdge[]): Promise<readonly NodeId[]> {
  const ends = [...new Set(edges.map(({ to }) => to))].filter(isRecordNode);
  const found = new Set((await walk.recordsOf(ends)).map(({ node }) => node));
  return ends.filter((node) => !found.has(node));
}

const cursorAt = (node: NodeId): string => Buffer.from(JSON.stringify([1, node])).toString('base64url');

/** @throws VALIDATION_ERROR when the text is no cursor of ours. */
function placeOf(cursor: string): NodeId {
  const node = textIn(cursor);
  const parsed = node === undefined ? undefined : parseNode(node);
  if (parsed) return parsed.node;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/cursor', 'cursor', 'Not a cursor that this export gave out.')],
  });
}

function textIn(cursor: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const [version, node] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  return version === 1 && typeof node === 'string' ? node : undefined;
}
