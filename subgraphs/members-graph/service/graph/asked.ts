import { fault, problem } from '../../../../shared/errors/problem.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import { GRAPH_EDGE_KINDS, type GraphEdgeKind } from '../../domain/graph/edge-kinds.js';
import { type NodeId, parseNode } from '../../domain/graph/node-id.js';

// What is asked for as texts, in the terms of the graph. @throws VALIDATION_ERROR, naming the parameter

const MAX_ROOTS = 50;

const refuse = (path: string, code: string, message: string) =>
  problem('VALIDATION_ERROR', { errors: [fault(path, code, message)] });

export function askedNode(path: string, text: string): NodeId {
  const node = parseNode(text)?.node;
  if (node !== undefined) return node;
  throw refuse(path, 'node', 'Not a node: `kind:id`, of a kind that docs/graph.md lists.');
}

export function askedRoots(path: string, text: string): readonly NodeId[] {
  const nodes = text.split(',').map((one) => askedNode(path, one.trim().replaceAll('%2C', ',')));
  if (nodes.length <= MAX_ROOTS) return nodes;
  throw refuse(path, 'maxItems', `At most ${MAX_ROOTS} nodes.`);
}

export function askedKinds(text: string | null | undefined): readonly GraphEdgeKind[] {
  if (text == null) return GRAPH_EDGE_KINDS;
  const kinds = text.split(',').map((kind) => kind.trim().toUpperCase());
  const unknown = kinds.some((kind) => !(GRAPH_EDGE_KINDS as readonly string[]).includes(kind));
  if (unknown) throw refuse('/kinds', 'enum', `Must be among ${GRAPH_EDGE_KINDS.join(', ')}.`);
  return [...new Set(kinds)] as GraphEdgeKind[];
}

interface Times {
  readonly since?: string | null;
  readonly until?: string | null;
}

export function askedTimes({ since, until }: Times): { readonly sinceMs?: number; readonly untilMs?: number } {
  const sinceMs = since == null ? undefined : instantOf(since);
  const untilMs = until == null ? undefined : instantOf(until);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    throw refuse('/until', 'order', 'Must be later than since.');
  }
  return { ...(sinceMs === undefined ? {} : { sinceMs }), ...(untilMs === undefined ? {} : { untilMs }) };
}
