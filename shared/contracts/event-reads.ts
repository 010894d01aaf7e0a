import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { defineCall, FLAG, JSON_OBJECT, json, list, TEXT, TEXTS } from './call.js';

/** An event of the ledger as one reader may see it. */
const LedgerEventView = z.object({
  event_id: z.string(),
  source_system: z.string(),
  sequence: z.int(),
  recorded_at: z.string(),
  prev_hash: z.string(),
  entry_hash: z.string(),
  /** Null in a rendition, and for an event that is disposed of. */
  worm_sha256: z.string().nullable(),
  /** REDACTED: some members are hidden from this reader. DISPOSED: the content is gone; the fields below are null and empty. */
  state: z.enum(['INCLUDED', 'REDACTED', 'DISPOSED']),
  /** The latest redaction of the event, shown to every reader. */
  redaction_id: z.string().nullable(),
  event_family: z.string().nullable(),
  event_type: z.string().nullable(),
  member_id: z.string().nullable(),
  source_record_id: z.string().nullable(),
  /** ISO 8601, UTC. */
  effective_at: z.string().nullable(),
  outcome: z.string().nullable(),
  payload: JSON_OBJECT,
});
export type LedgerEventView = z.infer<typeof LedgerEventView>;

/** What the reader may see. */
interface EventSightAsked {
  /** The reader holds `documents:unredacted`. */
  readonly unredacted: boolean;
}

const MemberEventsAsked = z.object({
  unredacted: z.boolean(),
  /** ISO 8601: events that took effect before. */
  before: z.string().nullable(),
  /** 1 to 500. */
  limit: z.int(),
});
export type MemberEventsAsked = z.infer<typeof MemberEventsAsked>;

const NewestEventsAsked = MemberEventsAsked.omit({ before: true });
export type NewestEventsAsked = z.infer<typeof NewestEventsAsked>;

/** An event that names the same number as another; in the words of `GET /v1/events/{id}/links`. */
const LinkedEventView = z.object({
  kind: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  via: z.string(),
});

const LinkedEventsView = z.object({ items: list(LinkedEventView), truncated: z.boolean() });
export type LinkedEventsView = z.infer<typeof LinkedEventsView>;

/** Events with their content. */
export interface EventReads {
  /** Null for an event that the tenant does not have. @throws INTEGRITY_FAILURE */
  byId(tenantId: TenantId, eventId: string, sight: EventSightAsked): Promise<LedgerEventView | null>;
  /** Newest first, without reserved partitions and disposed events. @throws INTEGRITY_FAILURE */
  ofMember(tenantId: TenantId, memberId: string, asked: MemberEventsAsked): Promise<readonly LedgerEventView[]>;
  /** The newest by effective time, without reserved partitions and disposed events. @throws INTEGRITY_FAILURE */
  newest(tenantId: TenantId, asked: NewestEventsAsked): Promise<readonly LedgerEventView[]>;
  /** Null for an event that the tenant does not have. An event is linked within a second of its append. */
  linked(tenantId: TenantId, eventId: string): Promise<LinkedEventsView | null>;
}

export const eventView = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'eventView',
  input: { event_id: TEXT, unredacted: FLAG },
  output: LedgerEventView.nullable(),
});

export const memberEventViews = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'memberEventViews',
  input: { member_id: TEXT, asked: json(MemberEventsAsked) },
  output: list(LedgerEventView),
});

export const newestEventViews = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'newestEventViews',
  input: { asked: json(NewestEventsAsked) },
  output: list(LedgerEventView),
});

export const linkedEventViews = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'linkedEventViews',
  input: { event_id: TEXT },
  output: LinkedEventsView.nullable(),
});

/** Existence of events, for parts that store references to them. */
export interface LedgerEvents {
  /** The ones of these events that the tenant has. @param eventIds at most 1,000. */
  known(tenantId: TenantId, eventIds: readonly string[]): Promise<ReadonlySet<string>>;
}

export const knownEvents = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'knownEvents',
  input: { event_ids: TEXTS },
  output: list(z.string()),
});

/** Two events that name the same number (docs/linking.md); listed once, from the event that `kind` describes. */
const EventEdge = z.object({
  from: z.string(),
  to: z.string(),
  kind: z.string(),
  /** The number that both name. */
  via: z.string(),
  /** When the later of the two happened, RFC 3339. */
  at: z.string(),
});
export type EventEdge = z.infer<typeof EventEdge>;

const EventEdges = z.object({
  edges: list(EventEdge),
  /** Whether some number has more events than were read. */
  truncated: z.boolean(),
});
export type EventEdges = z.infer<typeof EventEdges>;

/** Edges between events, for walks over many of them. */
export interface LinkedEvents {
  /** Every edge at these events, complete within a second of an append. At most 1,000 events. */
  edgesOf(tenantId: TenantId, eventIds: readonly string[]): Promise<EventEdges>;
}

export const eventEdges = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'eventEdges',
  input: { event_ids: TEXTS },
  output: EventEdges,
});
