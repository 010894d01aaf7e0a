import type { TenantId } from '../ids/tenant.js';

/** A document as other subgraphs see it: the row without its history; its bytes are read from WORM by `sha256`. */
export interface DocumentFacts {
  readonly document_id: string;
  readonly sha256: string;
  readonly size: number;
  readonly media_type: string;
  readonly filename: string;
  readonly title: string | null;
  readonly document_type: string | null;
  readonly source_system: string | null;
  readonly member_ids: readonly string[];
  readonly event_ids: readonly string[];
  readonly matter_id: string | null;
  readonly tags: readonly string[];
  readonly effective_at: string | null;
  readonly status: 'AVAILABLE' | 'QUARANTINED' | 'REJECTED' | 'DISPOSED';
  readonly scan: {
    readonly status: 'PENDING' | 'CLEAN' | 'FLAGGED';
    readonly engine: string | null;
    readonly findings: readonly { readonly engine: string; readonly code: string; readonly detail: string }[];
  };
  /** What stands in for the content where redactions count: its bytes are in WORM under this hash. */
  readonly rendition: {
    readonly redaction_id: string;
    readonly sha256: string;
    readonly size: number;
    readonly media_type: string;
  } | null;
  readonly created_at: string;
  readonly created_by: string;
  readonly revision: number;
}

/** Members that are given must all hold; a list holds where one of its values does. */
export interface DocumentFactsFilter {
  readonly memberIds?: readonly string[];
  readonly eventIds?: readonly string[];
  readonly matterId?: string;
  readonly documentIds?: readonly string[];
  /** By `created_at`: from ≤ t < to. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface DocumentFactsPage {
  readonly items: readonly DocumentFacts[];
  readonly next_cursor: string | null;
}

/** The vault's documents, for other subgraphs. */
export interface Documents {
  /** Oldest first, every status. @param cursor of the page before, or null. @param limit at most 500. */
  list(
    tenantId: TenantId,
    filter: DocumentFactsFilter,
    cursor: string | null,
    limit: number,
  ): Promise<DocumentFactsPage>;
  /**
   * Scans the document now where its scan is PENDING, and tells what it is then. @throws NOT_FOUND, UNAVAILABLE
   */
  ensureScanned(tenantId: TenantId, documentId: string): Promise<DocumentFacts>;
}
