import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { ExceptionKind, Severity } from '../../domain/exception-kinds.js';
import type { ExceptionAction, ExceptionSource, ExceptionStatus } from '../../domain/exception-states.js';

/** What happened to what. Neither `subject` nor `detail` holds personal data: ids, positions, hashes and reasons only. */
export interface ExceptionDraft {
  readonly kind: ExceptionKind;
  readonly source: ExceptionSource;
  readonly subject: JsonObject;
  readonly detail: JsonObject;
  readonly raw_sha256?: string;
  /**
   * Fixed by what the exception is derived from: then it is opened once for all, whoever derives it again, and whatever has
   * become of it meanwhile; while it is not resolved, its detail follows what is told. Without it, the same again after a
   * resolution is a new exception.
   */
  readonly exception_id?: string;
}

export interface ExceptionStep {
  readonly revision: number;
  readonly action: ExceptionAction;
  readonly from: ExceptionStatus | null;
  readonly to: ExceptionStatus;
  readonly at: Date;
  /** The key, or the part of the service. */
  readonly by: string;
  readonly actor_id: string | null;
  readonly note: string | null;
  /** Of the request that took the step: the same request run again finds it done. */
  readonly work_id: string | null;
}

export interface KnownGap {
  readonly reason: string;
  /** It reopens then; null stays. */
  readonly until: Date | null;
}

export interface ExceptionRow {
  readonly exception_id: string;
  readonly tenant_id: TenantId;
  readonly kind: ExceptionKind;
  readonly severity: Severity;
  readonly status: ExceptionStatus;
  readonly source: ExceptionSource;
  readonly subject: JsonObject;
  readonly subject_key: string;
  /** Every identifier in the subject: what a list is narrowed by. */
  readonly subject_ids: readonly string[];
  readonly detail: JsonObject;
  readonly raw_sha256: string | null;
  /** How often it has been told, and when last. */
  readonly occurrences: number;
  readonly last_seen_at: Date;
  readonly assigned_to: string | null;
  readonly resolution: string | null;
  readonly resolution_note: string | null;
  readonly resolved_at: Date | null;
  readonly known_gap: KnownGap | null;
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** All of it, oldest first. */
  readonly history: readonly ExceptionStep[];
}

/** One step of one exception: the record after it, the step, and what must follow. */
export interface ExceptionWrite {
  readonly exception: Omit<ExceptionRow, 'history'>;
  readonly step: ExceptionStep;
  readonly pending: readonly PendingEffect[];
}

/** What became of a draft: it was opened, or one that stands has been told again. */
export interface Told {
  readonly exception: ExceptionRow;
  readonly opened: boolean;
}

export interface ExceptionQuery extends ListWindow {
  readonly kind?: ExceptionKind | undefined;
  readonly status?: ExceptionStatus | undefined;
  readonly severity?: Severity | undefined;
  readonly source?: ExceptionSource | undefined;
  readonly assigned_to?: string | undefined;
  readonly subject_kind?: string | undefined;
  readonly subject_id?: string | undefined;
}

/** Exceptions of one tenant. Writes are durable when they resolve. */
export interface TenantExceptions {
  /** @param once see ExceptionDraft.exception_id. */
  open(writes: readonly (ExceptionWrite & { readonly once: boolean })[]): Promise<readonly Told[]>;
  get(exceptionId: string): Promise<ExceptionRow | null>;
  /** The one of this kind and subject that is not resolved. */
  standing(kind: ExceptionKind, subjectKey: string): Promise<ExceptionRow | null>;
  /** Up to `limit + 1` in order. */
  list(query: ExceptionQuery): Promise<readonly ExceptionRow[]>;
  /** Null when the exception is no longer at this revision. */
  replace(write: ExceptionWrite, revision: number): Promise<ExceptionRow | null>;
}

export interface ExceptionStore {
  forTenant(tenantId: TenantId): TenantExceptions;
  /** Known gaps whose time is over, of all tenants; the longest over first. */
  gapsOver(nowMs: number, limit: number): Promise<readonly ExceptionRow[]>;
}
