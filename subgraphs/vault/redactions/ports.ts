import type { FactPlace } from '../../../shared/facts/fact.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { NewRendition, VaultEffect } from '../documents/index.js';
import type { RedactionAction, RedactionStatus, RedactionSubject, RedactionSubjectKind } from './domain.js';
import type { Redaction } from './schema.js';

interface OwnMembers {
  readonly terms: readonly string[];
  readonly original_sha256: string | null;
  /** Number among the applied redactions of the subject, from 1; absent before. */
  readonly ordinal?: number;
  /** Of an applied redaction of an event: pointers of all hidden leaves, those of earlier redactions included. */
  readonly hides?: readonly string[];
  /** Of an applied redaction of a document: what its readers get. */
  readonly rendition?: NewRendition;
  /** Place of its latest fact. */
  readonly fact?: FactPlace;
  readonly history: readonly StepLine<RedactionStatus, RedactionAction>[];
}

export type StoredRedaction = Stored<Redaction, OwnMembers>;

/** Subjects of a list; an absent member restricts nothing. */
export interface SubjectFilter {
  readonly kind?: RedactionSubjectKind | undefined;
  readonly id?: string | undefined;
}

/** The redactions of one tenant. */
export interface TenantRedactions extends Records<StoredRedaction, VaultEffect> {
  pageAbout(query: ListQuery<StoredRedaction>, subject: SubjectFilter): Promise<Page<StoredRedaction>>;
  /** Returns the applied redactions of a subject, in order. */
  applied(subject: RedactionSubject): Promise<readonly StoredRedaction[]>;
  /** Notes a content before it is stored, durably: disposals of the subject then find it. */
  noteStored(redactionId: string, sha256: string, at: Date): Promise<void>;
  /** Checks whether all effects of its writes are done. */
  isSettled(redactionId: string): Promise<boolean>;
}

export type RedactionStore = (tenantId: TenantId) => TenantRedactions;

/** A content that was, or may have been, stored for a redaction: it is noted before its first byte. */
export interface StoredRendition {
  readonly redaction_id: string;
  readonly subject: RedactionSubject;
  readonly sha256: string;
  readonly noted_at: Date;
}

/** All renditions of one tenant, current or not: each shows everything that was not hidden. */
export interface StoredRenditions {
  of(subjectIds: readonly string[]): Promise<readonly StoredRendition[]>;
  /** Returns the renditions with one of these contents. */
  named(sha256s: readonly string[]): Promise<readonly StoredRendition[]>;
  /** Yields all renditions in batches, by redaction id. */
  all(): AsyncIterable<readonly StoredRendition[]>;
  /** Forgets a rendition that is gone, or that other holders need. */
  forget(rendition: StoredRendition): Promise<void>;
}
