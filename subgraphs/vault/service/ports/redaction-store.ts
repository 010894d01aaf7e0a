import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type {
  RedactionAction,
  RedactionStatus,
  RedactionSubject,
  RedactionSubjectKind,
  RedactionTarget,
} from '../../domain/redaction.js';
import type { VaultEffect } from './vault-effects.js';

export interface RedactionChange {
  readonly revision: number;
  readonly action: RedactionAction;
  readonly from: RedactionStatus | null;
  readonly to: RedactionStatus;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
}

export interface StoredRedaction extends RedactionTarget {
  readonly redaction_id: string;
  readonly tenant_id: TenantId;
  readonly subject: RedactionSubject;
  readonly reason: string;
  /** The rule, order or request that demands it. */
  readonly basis: string;
  readonly status: RedactionStatus;
  /** Actor of the key where it has one, else the key. */
  readonly drafted_by: string;
  readonly applied_by: string | null;
  readonly applied_at: Date | null;
  readonly rendition_sha256: string | null;
  readonly rendition_size: number | null;
  /** Of a document: what the rendition was made of. Told to who may read it. */
  readonly original_sha256: string | null;
  /** Counts the applied redactions of the subject, from 1; absent before. */
  readonly ordinal?: number;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  readonly history: readonly RedactionChange[];
}

export interface RedactionQuery extends ListWindow {
  readonly status?: RedactionStatus | undefined;
  readonly subject_kind?: RedactionSubjectKind | undefined;
  readonly subject_id?: string | undefined;
}

export interface RedactionWrite {
  readonly redaction: Omit<StoredRedaction, 'history'>;
  readonly change: RedactionChange;
  readonly pending: readonly VaultEffect[];
}

/** Redactions of one tenant. */
export interface TenantRedactions {
  get(redactionId: string): Promise<StoredRedaction | null>;
  list(query: RedactionQuery): Promise<readonly StoredRedaction[]>;
  /** Of a subject: the applied ones, in the order in which they were. */
  applied(subject: RedactionSubject): Promise<readonly StoredRedaction[]>;
  /** Null when the identifier is taken. */
  insert(write: RedactionWrite): Promise<StoredRedaction | null>;
  /** Null when the redaction is no longer at this revision, or its ordinal is another's by now. */
  replace(write: RedactionWrite, revision: number): Promise<StoredRedaction | null>;
  /** Durably, before the content is stored: whoever disposes of the subject looks for it from then on. */
  noteStored(redactionId: string, sha256: string, at: Date): Promise<void>;
  relay(write: RedactionWrite): Promise<void>;
  /** Whether everything that followed from its writes is done. */
  isSettled(redactionId: string): Promise<boolean>;
}

export type RedactionStore = (tenantId: TenantId) => TenantRedactions;
