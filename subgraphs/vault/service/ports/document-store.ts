import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { DocumentAction, DocumentStatus, ScanStatus } from '../../domain/document-states.js';
import type { VaultEffect } from './vault-effects.js';

/** What a check found, in words that name no content. */
export interface ScanFinding {
  readonly engine: string;
  /** `EXECUTABLE`, `ENGINE_UNAVAILABLE` …: docs/vault.md lists them. */
  readonly code: string;
  readonly detail: string;
}

export interface DocumentScan {
  readonly status: ScanStatus;
  /** Engines that were asked, joined by `+`; null before the scan. */
  readonly engine: string | null;
  readonly findings: readonly ScanFinding[];
  readonly scanned_at: Date | null;
}

/** What readers without `documents:unredacted` get in place of the content. */
export interface DocumentRendition {
  readonly redaction_id: string;
  readonly sha256: string;
  readonly size: number;
  readonly media_type: string;
  /** What the record says of the document, without the hidden terms; absent of renditions made before these were kept. */
  readonly filename?: string;
  readonly title?: string | null;
  readonly tags?: readonly string[];
}

/** Why a person let a document out of quarantine, or kept it in for good. */
export interface DocumentReview {
  readonly decision: 'RELEASED' | 'REJECTED';
  readonly reason: string;
  readonly reviewed_by: string;
  readonly reviewed_at: Date;
}

export interface DocumentChange {
  readonly revision: number;
  readonly action: DocumentAction;
  readonly from: DocumentStatus | null;
  readonly to: DocumentStatus;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
  /** What it was about: an event, a redaction, a certificate. */
  readonly about?: JsonObject;
}

/** One upload: many of them may share one content. */
export interface StoredDocument {
  readonly document_id: string;
  readonly tenant_id: TenantId;
  readonly sha256: string;
  readonly size: number;
  /** As declared; the scan holds it to the bytes. */
  readonly media_type: string;
  /** Cleaned of paths and control characters. */
  readonly filename: string;
  readonly title: string | null;
  readonly document_type: string | null;
  readonly source_system: string | null;
  readonly member_ids: readonly string[];
  readonly event_ids: readonly string[];
  readonly matter_id: string | null;
  readonly tags: readonly string[];
  readonly effective_at: Date | null;
  readonly status: DocumentStatus;
  readonly scan: DocumentScan;
  readonly review: DocumentReview | null;
  readonly rendition: DocumentRendition | null;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  /** All of it, oldest first. */
  readonly history: readonly DocumentChange[];
}

export interface DocumentQuery extends ListWindow {
  readonly document_ids?: readonly string[] | undefined;
  readonly statuses?: readonly DocumentStatus[] | undefined;
  readonly scan_status?: ScanStatus | undefined;
  readonly member_ids?: readonly string[] | undefined;
  readonly event_ids?: readonly string[] | undefined;
  readonly matter_id?: string | undefined;
  readonly document_type?: string | undefined;
  readonly source_system?: string | undefined;
  readonly media_type?: string | undefined;
  readonly filename?: string | undefined;
  readonly sha256?: string | undefined;
  readonly tag?: string | undefined;
}

export interface DocumentWrite {
  readonly document: Omit<StoredDocument, 'history'>;
  readonly change: DocumentChange;
  readonly pending: readonly VaultEffect[];
}

/** Documents of one tenant. */
export interface TenantDocuments {
  get(documentId: string): Promise<StoredDocument | null>;
  /** Up to `limit + 1` documents in order. */
  list(query: DocumentQuery): Promise<readonly StoredDocument[]>;
  /** Those that have an effective time in order of it, or those that have none in order of their coming; as `list`. */
  listBy(time: 'effective_at' | 'created_at', query: DocumentQuery): Promise<readonly StoredDocument[]>;
  /** Null when the identifier is taken. Durable when it resolves. */
  insert(write: DocumentWrite): Promise<StoredDocument | null>;
  /** Null when the document is no longer at this revision. */
  replace(write: DocumentWrite, revision: number): Promise<StoredDocument | null>;
  /** Performs what a write has left behind. */
  relay(write: DocumentWrite): Promise<void>;
  /** Which of these contents (by hash) some document that is not DISPOSED still names, as its own or as its rendition. */
  referenced(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
}

export type DocumentStore = (tenantId: TenantId) => TenantDocuments;
