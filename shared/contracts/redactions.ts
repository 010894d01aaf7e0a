import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { DONE, defineCall, JSON_OBJECT, json, list, TEXT, TEXTS } from './call.js';

/** The hidden parts of an event: all its applied redactions together. */
const EventRedaction = z.object({
  /** The latest redaction; the redacted line is its rendition. */
  redaction_id: z.string(),
  /** RFC 6901 pointers into the record: the hidden leaves. */
  pointers: list(z.string()),
});
export type EventRedaction = z.infer<typeof EventRedaction>;

/** Applied redactions of events. */
export interface Redactions {
  /** By event id, without events that have none. At most 1,000 ids a call. */
  ofEvents(tenantId: TenantId, eventIds: readonly string[]): Promise<ReadonlyMap<string, EventRedaction>>;
}

/** An order to hide everything that is hidden of the event from this redaction on. */
const EventRedactionOrder = EventRedaction.extend({
  event_id: z.string(),
  /** Counts the applied redactions of the event, from 1, so that a late order reverts nothing. */
  ordinal: z.int(),
});
export type EventRedactionOrder = z.infer<typeof EventRedactionOrder>;

/** An applied redaction, with the members that its fact states for readers of the partition. */
const AppliedEventRedaction = EventRedactionOrder.extend({ details: JSON_OBJECT });
export type AppliedEventRedaction = z.infer<typeof AppliedEventRedaction>;

/** The result of checking pointers against an event's record. */
const EventPointersJudged = z.object({
  status: z.enum(['READY', 'NOT_FOUND', 'DISPOSED', 'RESERVED']),
  /** Leaves that would be hidden; a pointer to a subtree names every leaf below it. */
  leaves: list(z.string()),
  unknown: list(z.string()),
  undisclosable: list(z.string()),
  member_id: z.string().nullable(),
});
export type EventPointersJudged = z.infer<typeof EventPointersJudged>;

/** The rendition of an event: its redacted line. */
const EventRendition = z.object({ line: z.string() });
export type EventRendition = z.infer<typeof EventRendition>;

/** The ledger's side of redactions: only the ledger has records and seeds. */
export interface EventRedactor {
  judge(tenantId: TenantId, eventId: string, pointers: readonly string[]): Promise<EventPointersJudged>;
  /** Makes the rendition without storing or hiding anything. Repeating it gives the same bytes. */
  render(tenantId: TenantId, order: EventRedactionOrder): Promise<EventRendition>;
  /** After it resolves, readers without `documents:unredacted` get the rendition. Repeating it changes nothing. */
  hide(tenantId: TenantId, order: AppliedEventRedaction): Promise<void>;
}

export const eventRedactions = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'eventRedactions',
  input: { event_ids: TEXTS },
  output: list(z.tuple([z.string(), EventRedaction])),
});

export const judgeRedaction = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'judgeRedaction',
  input: { event_id: TEXT, pointers: TEXTS },
  output: EventPointersJudged,
});

export const renderEventRedaction = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'renderEventRedaction',
  input: { order: json(EventRedactionOrder) },
  output: EventRendition,
});

export const hideEvent = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'hideEvent',
  input: { order: json(AppliedEventRedaction) },
  output: DONE,
});
