import type { NodeKind } from './node-id.js';

// Kinds of edges. A stored edge starts at the record that states it, so that a record and its edges change together. Edges
// between events follow from numbers that both name (docs/linking.md) and are computed on read.

interface EdgeKindRow {
  readonly from: readonly NodeKind[];
  readonly to: readonly NodeKind[];
  readonly raised_by: string;
}

const DETAILS = ['document', 'bundle', 'hold'] as const;

/** Stored edges: the one table behind lookups, checks and docs/graph.md. */
export const STORED_EDGE_KINDS = {
  CONCERNS: {
    from: ['event', 'document', 'bundle', 'matter'],
    to: ['member'],
    raised_by: "`member_id` of an event; members of a document, of a matter; a bundle's scope",
  },
  INVOLVES: {
    from: ['event'],
    to: ['provider'],
    raised_by: '`payload.providers[].npi`, `payload.provider.npi`, `payload.npi`, `payload.*_npi`',
  },
  ABOUT_CLAIM: {
    from: ['event'],
    to: ['claim'],
    raised_by: '`payload.claim_id`, under the source system of the event',
  },
  PROCEDURE: { from: ['event'], to: ['code'], raised_by: '`payload.procedure_codes`' },
  DIAGNOSIS: { from: ['event'], to: ['code'], raised_by: '`payload.diagnosis_codes`' },
  REASON: {
    from: ['event'],
    to: ['code'],
    raised_by: '`payload.carc`, `payload.rarc`, `payload.reject_codes`',
  },
  ATTACHED_TO: { from: ['document'], to: ['event'], raised_by: '`event_ids` of a document' },
  IN_MATTER: {
    from: ['event', ...DETAILS],
    to: ['matter'],
    raised_by:
      "`payload.matter_id` of an event; `matter_id` of a document, a hold, a bundle's scope; links of a matter",
  },
  HOLDS: {
    from: ['hold'],
    to: ['member', 'event', 'document'],
    raised_by:
      'records that the scope of an active hold names; records that match its filter are reached through members',
  },
  INCLUDES: { from: ['matter'], to: DETAILS, raised_by: 'links of a matter to holds, bundles and documents' },
  APPLIES_TO: { from: ['rule'], to: ['code'], raised_by: 'codes of the current revision of a rule' },
} as const satisfies Readonly<Record<string, EdgeKindRow>>;

export type StoredEdgeKind = keyof typeof STORED_EDGE_KINDS;

/** Edges between events in forward direction. */
const LINK_EDGE_KINDS = [
  'ADJUDICATES',
  'REPORTS_ON',
  'AUTHORIZED_BY',
  'REFERRED_BY',
  'ANSWERS',
  'REVERSES',
  'REPLACES',
  'SAME_CLAIM',
  'SAME_AUTHORIZATION',
] as const;
export type LinkEdgeKind = (typeof LINK_EDGE_KINDS)[number];

export type GraphEdgeKind = StoredEdgeKind | LinkEdgeKind;
const LINK_KINDS: ReadonlySet<string> = new Set(LINK_EDGE_KINDS);

export const isStoredKind = (kind: string): kind is StoredEdgeKind => Object.hasOwn(STORED_EDGE_KINDS, kind);
export const isLinkKind = (kind: string): kind is LinkEdgeKind => LINK_KINDS.has(kind);
export const isEdgeKind = (kind: string): kind is GraphEdgeKind => isStoredKind(kind) || isLinkKind(kind);

const STORED_KINDS = Object.keys(STORED_EDGE_KINDS).filter(isStoredKind);
export const GRAPH_EDGE_KINDS: readonly GraphEdgeKind[] = [...STORED_KINDS, ...LINK_EDGE_KINDS];

const INTO = new Map<NodeKind, StoredEdgeKind[]>();
for (const kind of STORED_KINDS) {
  const { to }: EdgeKindRow = STORED_EDGE_KINDS[kind];
  for (const target of to) INTO.set(target, [...(INTO.get(target) ?? []), kind]);
}

/** Returns the kinds of edges that can lead into a node of this kind. */
export const kindsInto = (kind: NodeKind): readonly StoredEdgeKind[] => INTO.get(kind) ?? [];
