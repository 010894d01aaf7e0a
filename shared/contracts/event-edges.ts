import type { TenantId } from '../ids/tenant.js';

/** Two events that name the same number (docs/linking.md), told once: from the one that the kind is said of. */
export interface EventEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  /** What both name. */
  readonly via: string;
  /** When the later of them happened, RFC 3339. */
  readonly at: string;
}

export interface EventEdges {
  readonly edges: readonly EventEdge[];
  /** Whether numbers have more events than were looked at. */
  readonly truncated: boolean;
}

/** Edges between events, for those who walk over many of them. */
export interface LinkedEvents {
  /** Every edge at one of these events, as far as the ledger has joined them: within a second of the append. At most 1,000. */
  edgesOf(tenantId: TenantId, eventIds: readonly string[]): Promise<EventEdges>;
}
