import type { DocumentFacts } from '../../../../shared/contracts/documents.js';
import type { RecordTies } from '../../../../shared/contracts/record-ties.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import type { StoredEdgeKind } from './edge-kinds.js';
import { kindOfNode, type NodeId, type NodeKind, nodeOf, parseNode } from './node-id.js';
import { type EdgeEnd, type GraphRecord, sortedEdges } from './record.js';

/** Builds the record of a document; a disposed document keeps its links. */
export function documentRecord(facts: DocumentFacts): GraphRecord | undefined {
  const node = nodeOf('document', facts.document_id);
  if (node === undefined) return undefined;
  const edges = [
    ...facts.member_ids.map((id) => end('CONCERNS', 'member', id)),
    ...facts.event_ids.map((id) => end('ATTACHED_TO', 'event', id)),
    ...(facts.matter_id === null ? [] : [end('IN_MATTER', 'matter', facts.matter_id)]),
  ];
  return {
    node,
    kind: 'document',
    at_ms: instantOf(facts.effective_at ?? facts.created_at) ?? 0,
    label: facts.document_type,
    status: facts.status,
    source_system: facts.source_system,
    category: 'document',
    labels: [...facts.tags].sort(),
    edges: sortedEdges(edges.filter((edge) => edge !== undefined)),
  };
}

/** Kind of the edge from a record to a node that it names. */
const NAMED_BY: Readonly<Record<RecordTies['kind'], (to: NodeKind) => StoredEdgeKind | undefined>> = {
  bundle: (to) => (to === 'member' ? 'CONCERNS' : to === 'matter' ? 'IN_MATTER' : undefined),
  matter: (to) => (to === 'member' ? 'CONCERNS' : isDetail(to) ? 'INCLUDES' : undefined),
  hold: (to) =>
    to === 'matter' ? 'IN_MATTER' : to === 'member' || to === 'event' || to === 'document' ? 'HOLDS' : undefined,
  rule: (to) => (to === 'code' ? 'APPLIES_TO' : undefined),
};

const isDetail = (kind: NodeKind): boolean => kind === 'document' || kind === 'bundle' || kind === 'hold';

/** Builds the record of a bundle, a matter, a hold or a rule. A released hold has no HOLDS edges. */
export function tiedRecord(ties: RecordTies): GraphRecord | undefined {
  const node = nodeOf(ties.kind, ties.id);
  if (node === undefined) return undefined;
  const isOver = ties.kind === 'hold' && ties.status === 'RELEASED';
  const edges = ties.names.flatMap((named): EdgeEnd[] => {
    const to = parseNode(named)?.node;
    const kind = to && NAMED_BY[ties.kind](kindOfNode(to));
    return to === undefined || kind === undefined || (isOver && kind === 'HOLDS') ? [] : [{ kind, to }];
  });
  return {
    node,
    kind: ties.kind,
    at_ms: instantOf(ties.at) ?? 0,
    label: ties.label,
    status: ties.status,
    source_system: null,
    category: ties.kind,
    labels: [],
    edges: sortedEdges(edges),
  };
}

function end(kind: StoredEdgeKind, toKind: NodeKind, id: string): EdgeEnd | undefined {
  const to: NodeId | undefined = nodeOf(toKind, id);
  return to === undefined ? undefined : { kind, to };
}
