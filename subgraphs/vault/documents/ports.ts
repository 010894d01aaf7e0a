import type { ExceptionKind, OutsideException } from '../../../shared/contracts/exceptions.js';
import type { FactPlace } from '../../../shared/facts/fact.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Effect, PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { RecordDocument } from '../../../shared/records/record-document.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { SoundRows } from '../../../shared/records/sound-rows.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { DocumentAction, DocumentStatus, ScanStatus } from './domain.js';
import type { Document } from './schema.js';

/** The content for readers without `documents:unredacted`. */
export interface DocumentRendition {
  /** Place of the fact `document-redaction` that the document has followed. */
  readonly fact: FactPlace;
  /** Number of the redaction among those of the document. */
  readonly ordinal: number;
  readonly redaction_id: string;
  readonly sha256: string;
  readonly size: number;
  readonly media_type: string;
  /** Names without the hidden terms; absent from older renditions. */
  readonly filename?: string;
  readonly title?: string | null;
  readonly tags?: readonly string[];
}

interface OwnMembers {
  /** Place of its latest fact. */
  readonly fact?: FactPlace;
  readonly rendition: DocumentRendition | null;
  readonly history: readonly (StepLine<DocumentStatus, DocumentAction> & {
    /** Subject of the step: an event, a redaction, a certificate. */
    readonly about?: JsonObject;
  })[];
}

/** One upload; many documents may share one content. */
export type StoredDocument = Stored<Document, OwnMembers, 'member_id' | 'text' | 'redaction_id' | 'redacted'>;

/** A row with a rendition; it may hold anything. */
export type RedactedDocument = RecordDocument & Pick<StoredDocument, 'rendition' | 'history'>;

export type DocumentScan = StoredDocument['scan'];
/** A finding; its texts quote no content. docs/vault.md lists the codes. */
export type ScanFinding = DocumentScan['findings'][number];

/** Stored content that no engine has scanned yet. */
export type UnscannedContent = Pick<StoredDocument, 'tenant_id' | 'sha256' | 'size' | 'media_type' | 'filename'>;

/** Scans a document that has not been scanned, and returns it with its verdict. @throws NOT_FOUND, and the store's errors */
export type ScanDocument = (tenantId: TenantId, documentId: string) => Promise<StoredDocument>;

export interface DocumentQuery extends ListQuery<StoredDocument> {
  readonly scan_status?: ScanStatus | undefined;
  /** Compares names, tags and hashes with what a reader of renditions sees: hidden values find nothing. */
  readonly seesRenditions?: boolean | undefined;
}

/** The documents of one tenant. */
export interface TenantDocuments extends Records<StoredDocument, VaultEffect> {
  /** As `catchUp`, for many documents at once. */
  catchUpAll(documentIds: readonly string[]): Promise<void>;
  page(query: DocumentQuery): Promise<Page<StoredDocument>>;
  /** As `page`, either over documents with an effective time in its order, or over the others in upload order. */
  pageBy(time: 'effective_at' | 'created_at', query: DocumentQuery): Promise<Page<StoredDocument>>;
  /** As `page`, without the documents that fail their check, which it names. */
  soundPage(query: DocumentQuery): Promise<Page<StoredDocument> & Pick<SoundRows<StoredDocument>, 'damaged'>>;
  /** As `among`, without the documents that fail their check, which it names. */
  soundAmong(documentIds: readonly string[]): Promise<SoundRows<StoredDocument>>;
  /** Returns the contents that an undisposed document still refers to, as its own or as its rendition. */
  referenced(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
}

export type DocumentStore = (tenantId: TenantId) => TenantDocuments;

/** Opens an exception for review. */
interface OpenExceptionEffect extends Effect {
  readonly kind: 'open-exception';
  readonly tenant_id: TenantId;
  readonly exception: OutsideException;
}

/** Resolves an exception. */
interface ResolveExceptionEffect extends Effect {
  readonly kind: 'resolve-exception';
  readonly tenant_id: TenantId;
  readonly exception_kind: ExceptionKind;
  readonly subject: JsonObject;
  readonly note: string;
}

/**
 * Makes readers of the subject of an applied redaction get its rendition. It names the redaction alone: the hidden text
 * follows from the redaction's facts, so that an edited effect hides or shows nothing.
 */
interface SwitchReadersEffect extends Effect {
  readonly kind: 'switch-readers';
  readonly tenant_id: TenantId;
  readonly redaction_id: string;
}

/** Queues a content for text extraction. */
export interface ExpectTextEffect extends Effect {
  readonly kind: 'expect-text';
  readonly source: Pick<StoredDocument, 'tenant_id' | 'document_id' | 'sha256' | 'size' | 'media_type'>;
  /** Upload time of the document, RFC 3339. */
  readonly at: string;
}

/** Effects of this subgraph; performers.ts performs them. */
export type VaultEffect =
  | PendingEffect
  | OpenExceptionEffect
  | ResolveExceptionEffect
  | SwitchReadersEffect
  | ExpectTextEffect;
