import type { TenantId } from '../ids/tenant.js';

/** What is hidden of an event: all its applied redactions together. */
export interface EventRedaction {
  /** The latest of them; the redacted line is its rendition. */
  readonly redaction_id: string;
  /** RFC 6901, into the record: the leaves that are hidden. */
  readonly pointers: readonly string[];
}

/** Applied redactions of events, for those who give out records. */
export interface Redactions {
  /** By event id; events of which nothing is hidden are left out. At most 1,000 ids a call. */
  ofEvents(tenantId: TenantId, eventIds: readonly string[]): Promise<ReadonlyMap<string, EventRedaction>>;
}

/** What the ledger is asked to hide: everything that is hidden of the event from this redaction on. */
export interface EventRedactionOrder extends EventRedaction {
  readonly event_id: string;
  /** Counts the applied redactions of the event, from 1: an order that comes late takes nothing back. */
  readonly ordinal: number;
}

/** What became of pointers held against an event's record. */
export interface EventPointersJudged {
  readonly status: 'READY' | 'NOT_FOUND' | 'DISPOSED' | 'RESERVED';
  /** Leaves that would be hidden; a pointer to a subtree stands for every leaf below it. */
  readonly leaves: readonly string[];
  readonly unknown: readonly string[];
  readonly undisclosable: readonly string[];
  readonly member_id: string | null;
}

/** The rendition of an event: its redacted line. */
export interface EventRendition {
  readonly line: string;
}

/** The ledger's side of redactions: it alone has records and seeds. */
export interface EventRedactor {
  judge(tenantId: TenantId, eventId: string, pointers: readonly string[]): Promise<EventPointersJudged>;
  /** Makes the rendition; keeps nothing and hides nothing. Repeating it gives the same. */
  render(tenantId: TenantId, order: EventRedactionOrder): Promise<EventRendition>;
  /** From when it resolves, readers without `documents:unredacted` get the rendition. Repeating it changes nothing. */
  hide(tenantId: TenantId, order: EventRedactionOrder): Promise<void>;
}
