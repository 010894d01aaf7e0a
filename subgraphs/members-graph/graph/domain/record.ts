import type { SensitiveView } from '../../../../shared/consent/sensitivity.js';
import type { StoredEdgeKind } from './edge-kinds.js';
import { idOfNode, type NodeId, type RecordNodeKind } from './node-id.js';

/** An edge of a record. */
export interface EdgeEnd {
  readonly kind: StoredEdgeKind;
  readonly to: NodeId;
  /** A redaction hides the edge; only readers of unredacted content see it. */
  readonly hidden?: true;
}

/** A record with all its outgoing edges: the unit of writing, replacing and comparing. */
export interface GraphRecord {
  readonly node: NodeId;
  readonly kind: RecordNodeKind;
  /** Time of the record and of all its edges. */
  readonly at_ms: number;
  /** Type of an event, a document or a bundle. */
  readonly label: string | null;
  readonly status: string | null;
  /** Set for events and documents. */
  readonly source_system: string | null;
  /** The category that consents name: an event's family in lower case, otherwise the kind. */
  readonly category: string;
  /** `payload.sensitivity` of an event or tags of a document, sorted. Consent rules read them. */
  readonly labels: readonly string[];
  /** Unique, sorted by kind and target. */
  readonly edges: readonly EdgeEnd[];
}

/** An edge between two nodes. */
export interface GraphEdge {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly kind: string;
  readonly at_ms: number;
  /** The event at one end; `from` comes first. */
  readonly event_id: string | null;
}

/** Limits the size of one stored document. */
const MAX_RECORD_EDGES = 20_000;

const compare = (a: EdgeEnd, b: EdgeEnd): number =>
  a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.to < b.to ? -1 : a.to > b.to ? 1 : 0;

/** Sorts edges and removes duplicates; an edge that is both hidden and visible is visible. */
export function sortedEdges(edges: readonly EdgeEnd[]): EdgeEnd[] {
  const byKey = new Map<string, EdgeEnd>();
  for (const edge of edges) {
    const key = `${edge.kind}\n${edge.to}`;
    if (!byKey.has(key) || edge.hidden === undefined) byKey.set(key, edge);
  }
  return [...byKey.values()].sort(compare).slice(0, MAX_RECORD_EDGES);
}

export const edgeOf = ({ node, at_ms }: Pick<GraphRecord, 'node' | 'at_ms'>, { kind, to }: EdgeEnd): GraphEdge => ({
  from: node,
  to,
  kind,
  at_ms,
  event_id: eventIdOf(node) ?? eventIdOf(to),
});

const eventIdOf = (node: NodeId): string | null => (node.startsWith('event:') ? idOfNode(node) : null);

/** Serialises a record to one line; two builds of the graph are compared by these lines. */
export const lineOf = (record: GraphRecord): string =>
  JSON.stringify([
    record.node,
    record.at_ms,
    record.label,
    record.status,
    record.source_system,
    record.category,
    record.labels,
    record.edges.map(({ kind, to, hidden }) => [kind, to, hidden === true]),
  ]);

/** Builds the view that consent rules read; hidden edges count too. */
export function viewOfRecord({ kind, category, source_system, labels, edges }: GraphRecord): SensitiveView {
  const named = (wanted: StoredEdgeKind): string[] =>
    edges.flatMap(({ kind: own, to }) => (own === wanted ? [idOfNode(to)] : []));
  return {
    member_ids: named('CONCERNS'),
    category,
    source_system,
    labels,
    diagnosis_codes: named('DIAGNOSIS').map((code) => code.slice(code.indexOf('/') + 1)),
    opaque: kind === 'document',
  };
}
