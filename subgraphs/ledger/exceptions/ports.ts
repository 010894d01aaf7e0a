import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { ListQuery, Records, RecordWrite, Where } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { Chain } from '../followers/index.js';
import type { ExceptionKind } from './domain/kinds.js';
import type { ExceptionAction, ExceptionSource, ExceptionStatus } from './domain/states.js';
import type { ExceptionRecord } from './schema.js';

/**
 * What happened to which subject. Neither `subject` nor `detail` holds personal data, only ids, positions, hashes and
 * reasons.
 */
export interface ExceptionDraft {
  readonly kind: ExceptionKind;
  readonly source: ExceptionSource;
  readonly subject: JsonObject;
  readonly detail: JsonObject;
  readonly raw_sha256?: string;
  /**
   * Derived from the cause, so that the exception is opened only once, in whatever state it is; until it is resolved,
   * its detail follows later reports. Without this id, a repetition after a resolution is a new exception.
   */
  readonly exception_id?: string;
}

/** Opens exceptions; returns the open exception of each draft. */
export type OpenExceptions = (tenantId: string, drafts: readonly ExceptionDraft[]) => Promise<readonly ExceptionRow[]>;

/** Resolves the open exception of this kind and subject, if there is one, because its cause has gone. */
export type ResolveException = (
  tenantId: string,
  kind: ExceptionKind,
  subject: JsonObject,
  note: string,
) => Promise<void>;

interface OwnMembers {
  readonly subject_key: string;
  /** Every identifier in the subject, for list filters. */
  readonly subject_ids: readonly string[];
  /** The time at which a known gap reopens; null for never. */
  readonly known_gap: { readonly reason: string; readonly until: Date | null } | null;
  readonly history: readonly (StepLine<ExceptionStatus, ExceptionAction> & { readonly note: string | null })[];
}

export type ExceptionRow = Stored<ExceptionRecord, OwnMembers, 'meaning' | 'advice'>;

/** @param once see ExceptionDraft.exception_id. */
export type Opening = RecordWrite<ExceptionRow> & { readonly once: boolean };

/** The result for a draft: a new exception, or an open one that was counted again. */
export interface OpenOutcome {
  readonly exception: ExceptionRow;
  readonly opened: boolean;
}

export interface ExceptionQuery extends ListQuery<ExceptionRow> {
  readonly where: Where<ExceptionRow> & { readonly subject_kind?: string; readonly subject_id?: string };
}

/** Unresolved exceptions of one kind and age. */
export interface ExceptionCount {
  readonly kind: ExceptionKind;
  /** Place in the list of age buckets. */
  readonly bucket: number;
  readonly count: number;
  readonly oldest: Date;
}

/** Exceptions that are equal in every member that groups them. */
export interface ExceptionCell {
  readonly kind: string;
  readonly status: string;
  readonly severity: string;
  readonly source: string;
  /** Month in UTC in which they were opened: `2026-03`. */
  readonly month: string;
  readonly count: number;
  readonly resolved: number;
  /** Sum of the times from opening to resolution, in ms. */
  readonly resolution_ms: number;
}

export interface ExceptionWindow {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

/** Exceptions of one tenant. Writes are durable when they resolve. */
export interface TenantExceptions extends Records<ExceptionRow> {
  page(query: ExceptionQuery): ReturnType<Records<ExceptionRow>['page']>;
  open(writes: readonly Opening[]): Promise<readonly OpenOutcome[]>;
  /** Returns the unresolved exception of this kind and subject. */
  unresolved(kind: ExceptionKind, subjectKey: string): Promise<ExceptionRow | null>;
  /**
   * Counts unresolved exceptions by kind and age.
   *
   * @param bounds the times that part the buckets, newest first: bucket 0 was opened after the first one
   */
  countByAge(bounds: readonly Date[]): Promise<readonly ExceptionCount[]>;
  /** Counts the exceptions that were opened in a window, by all members that group them. */
  cells(window: ExceptionWindow): Promise<readonly ExceptionCell[]>;
}

export interface ExceptionStore {
  forTenant(tenantId: TenantId): TenantExceptions;
  /** Known gaps of all tenants that are past their time, the longest overdue first. */
  gapsOver(nowMs: number, limit: number): Promise<readonly ExceptionRow[]>;
}

/** Rows marked as conflicts, and the sequence up to which their exceptions are open. */
export interface ConflictStore {
  /** Returns marked rows of a chain after a sequence, in order. */
  marked(
    chain: Chain,
    afterSeq: number,
    limit: number,
  ): Promise<readonly Pick<LedgerRow, '_id' | 'event_id' | 'conflicts_with'>[]>;
  /** By source system; a chain without conflicts has no entry. */
  doneUpTo(tenantId: string): Promise<ReadonlyMap<string, number>>;
  markDone(chain: Chain, seq: number): Promise<void>;
}
