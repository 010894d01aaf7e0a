import type { TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';

/** An event of the ledger as one reader may see it. */
export interface LedgerEventView {
  readonly event_id: string;
  readonly source_system: string;
  readonly sequence: number;
  readonly recorded_at: string;
  readonly prev_hash: string;
  readonly entry_hash: string;
  /** Absent in a rendition, and of an event that is disposed of. */
  readonly worm_sha256: string | null;
  /** REDACTED: members are hidden from this reader. DISPOSED: the content is gone, what follows is null and empty. */
  readonly state: 'INCLUDED' | 'REDACTED' | 'DISPOSED';
  /** The latest redaction of the event, for every reader. */
  readonly redaction_id: string | null;
  readonly event_family: string | null;
  readonly event_type: string | null;
  readonly member_id: string | null;
  readonly source_record_id: string | null;
  /** ISO 8601, UTC. */
  readonly effective_at: string | null;
  readonly outcome: string | null;
  readonly payload: JsonObject;
}

/** What the reader on whose behalf it is asked may see. */
export interface EventSightAsked {
  /** Holds `documents:unredacted`. */
  readonly unredacted: boolean;
}

export interface MemberEventsAsked extends EventSightAsked {
  /** ISO 8601: effective before. */
  readonly before: string | null;
  /** 1 to 500. */
  readonly limit: number;
}

/** An event that names a number which another names too; the words are those of `GET /v1/events/{id}/links`. */
export interface LinkedEventView {
  readonly kind: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly via: string;
}

export interface LinkedEventsView {
  readonly items: readonly LinkedEventView[];
  readonly truncated: boolean;
}

/** Events by what they say, for those who judge them. */
export interface EventReads {
  /** Null for one that the tenant does not have. @throws INTEGRITY_FAILURE */
  byId(tenantId: TenantId, eventId: string, sight: EventSightAsked): Promise<LedgerEventView | null>;
  /** Newest first; reserved partitions and what is disposed of are left out. @throws INTEGRITY_FAILURE */
  ofMember(tenantId: TenantId, memberId: string, asked: MemberEventsAsked): Promise<readonly LedgerEventView[]>;
  /** Null for an event that the tenant does not have; an event is joined within a second of its append. */
  linked(tenantId: TenantId, eventId: string): Promise<LinkedEventsView | null>;
}
