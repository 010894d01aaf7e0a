import type { SensitiveView } from '../../../../shared/consent/sensitivity.js';
import type { StoredEdgeKind } from './edge-kinds.js';
import { idOfNode, type NodeId, type RecordNodeKind } from './node-id.js';

/** One edge, seen from the record that says it. */
export interface EdgeEnd {
  readonly kind: StoredEdgeKind;
  readonly to: NodeId;
  /** A redaction hides it: only who may read what is hidden sees it. */
  readonly hidden?: true;
}

/** A record with all the edges that go out from it: the unit that is written, replaced and compared. */
export interface GraphRecord {
  readonly node: NodeId;
  readonly kind: RecordNodeKind;
  /** When it happened: the time of all its edges. */
  readonly at_ms: number;
  /** What it is, in one word of its own kind: an event's type, a document's, a bundle's. */
  readonly label: string | null;
  readonly status: string | null;
  /** Of an event and a document. */
  readonly source_system: string | null;
  /** What consents may name it by: an event's family, in lower case; else its kind. */
  readonly category: string;
  /** `payload.sensitivity` of an event, a document's tags: what consent judges by, beside the diagnoses. In order. */
  readonly labels: readonly string[];
  /** In order of kind and target, each once. */
  readonly edges: readonly EdgeEnd[];
}

/** One edge as readers see it. */
export interface GraphEdge {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly kind: string;
  readonly at_ms: number;
  /** The event at one of its ends, the one that says it first. */
  readonly event_id: string | null;
}

/** More out of one record would make its document too large to be written at once. */
export const MAX_RECORD_EDGES = 20_000;

const compare = (a: EdgeEnd, b: EdgeEnd): number =>
  a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.to < b.to ? -1 : a.to > b.to ? 1 : 0;

/** Edges in their order, each once; one that is hidden and plain is plain. */
export function settledEdges(edges: readonly EdgeEnd[]): EdgeEnd[] {
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

/** One line that says all of a record: what two builds of the graph are compared by. */
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

/** The record as the rules of consent see it; what a redaction hides counts as well. */
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
