import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { branded, DONE, defineCall, FLAG, INT, json, jsonOrNull, list, SAFE_INT, TEXTS } from './call.js';

// Disposal of events (evidence.md section 2 "Disposed"). The vault decides at its one gate what may go; the ledger deletes
// that content, and keeps header, chain and the explanation.

/** The place of an event's header, which stays when the event is disposed of. */
const DisposedPlace = z.object({ event_id: z.string(), source_system: z.string(), sequence: z.int() });
export type DisposedPlace = z.infer<typeof DisposedPlace>;

/** An event past its age, with the facts that holds are compared with. */
const DisposalCandidate = DisposedPlace.extend({
  event_family: z.string(),
  member_id: z.string().nullable(),
  effective_at_ms: z.number(),
  recorded_at_ms: z.number(),
  /** Name of its write-once copy. Kept until the copy is gone, and never returned to a caller. */
  worm_sha256: z.string().nullable(),
  /** The body of the raw message that the event was read from. */
  raw_sha256: z.string().nullable(),
});
export type DisposalCandidate = z.infer<typeof DisposalCandidate>;

/** Start of an age: when the event happened, or the later of that and when it was recorded. */
export const COUNTS_FROM = ['EFFECTIVE', 'LATER'] as const;
export type CountsFrom = (typeof COUNTS_FROM)[number];

const FamilyCutoff = z.object({ before_ms: z.number(), counts_from: z.enum(COUNTS_FROM) });

/** An event is past its age if it happened (and, by LATER, was recorded) before these times. */
const DisposalCutoffs = z.object({
  /** For families without a cutoff; counts by LATER. */
  default_before_ms: z.number(),
  /** By event_family in lower case. */
  families: z.record(z.string(), FamilyCutoff),
});
export type DisposalCutoffs = z.infer<typeof DisposalCutoffs>;

/** Returns whether the event is past its age by these cutoffs. */
export function isPastAge(
  event: Pick<DisposalCandidate, 'event_family' | 'effective_at_ms' | 'recorded_at_ms'>,
  { families, default_before_ms }: DisposalCutoffs,
): boolean {
  const own = Object.hasOwn(families, event.event_family) ? families[event.event_family] : undefined;
  const { before_ms, counts_from } = own ?? { before_ms: default_before_ms, counts_from: 'LATER' };
  if (event.effective_at_ms >= before_ms) return false;
  return counts_from === 'EFFECTIVE' || event.recorded_at_ms < before_ms;
}

const DisposalCursor = z.object({ at_ms: z.number(), event_id: z.string() });
export type DisposalCursor = z.infer<typeof DisposalCursor>;

const DisposalPlan = z.object({
  candidates: list(DisposalCandidate),
  /** Examined events with rows that fail their check. */
  damaged: list(z.string()),
  /** Null at the end. */
  next: DisposalCursor.nullable(),
});
export type DisposalPlan = z.infer<typeof DisposalPlan>;

/** Events by their proven state; an event without a row and without a disposal is in no list. */
const EventsForHolds = z.object({
  /** Events with a record, and the facts that holds are compared with. */
  candidates: list(DisposalCandidate),
  /** Events that a fact calls disposed. */
  disposed: list(z.string()),
  /** Events with rows that fail their check. */
  damaged: list(z.string()),
});
export type EventsForHolds = z.infer<typeof EventsForHolds>;

/** The certificate of a disposal, as the ledger's `_system` entry records it. */
const DisposalOrder = z.object({
  /** Fixed before the first attempt: the entry's source_record_id. */
  disposal_id: z.string(),
  at: z.string(),
  /** Policies that allow the disposal. */
  policies: list(z.string()),
  events: list(DisposedPlace),
});
export type DisposalOrder = z.infer<typeof DisposalOrder>;

/** Whether a body counts as in use that no event and no exception names. */
export type UnknownBodies = 'KEEP' | 'LET_GO';

/** The ledger's side of disposal. */
export interface LedgerDisposal {
  /** Tenants that have a ledger. */
  tenantIds(): Promise<readonly TenantId[]>;
  /** Events past their age, oldest first, without reserved partitions. */
  plan(
    tenantId: TenantId,
    cutoffs: DisposalCutoffs,
    after: DisposalCursor | null,
    limit: number,
  ): Promise<DisposalPlan>;
  /** Events of these members at any age, oldest first, without reserved partitions. */
  ofMembers(
    tenantId: TenantId,
    memberIds: readonly string[],
    after: DisposalCursor | null,
    limit: number,
  ): Promise<DisposalPlan>;
  /** Returns the proven state of these events. Opens an exception for each damaged one. */
  facts(tenantId: TenantId, eventIds: readonly string[]): Promise<EventsForHolds>;
  /**
   * Writes the `_system` entry, then deletes record, seed, hash, keys and query fields of each row, and removes the events
   * from search and links. Repeating it changes nothing.
   */
  dispose(tenantId: TenantId, order: DisposalOrder): Promise<void>;
  /** Returns the bodies that a kept event was read from, or that an open exception is about. */
  rawInUse(tenantId: TenantId, rawSha256s: readonly string[], unknown: UnknownBodies): Promise<readonly string[]>;
  /**
   * Drops sealed segments with only disposed records. First copies the rest of their content (entries of
   * reserved partitions, checkpoints, kept blobs) and writes each drop into `_system`.
   */
  dropSegments(tenantId: TenantId, sealedBeforeMs: number): Promise<readonly string[]>;
}

export const disposalTenants = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'disposalTenants',
  input: {},
  output: list(branded<TenantId>()),
});

export const planDisposal = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'planDisposal',
  input: { cutoffs: json(DisposalCutoffs), after: jsonOrNull(DisposalCursor), limit: INT },
  output: DisposalPlan,
});

export const memberDisposals = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'memberDisposals',
  input: { member_ids: TEXTS, after: jsonOrNull(DisposalCursor), limit: INT },
  output: DisposalPlan,
});

export const disposalFacts = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'disposalFacts',
  input: { event_ids: TEXTS },
  output: EventsForHolds,
});

export const disposeEvents = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'disposeEvents',
  input: { order: json(DisposalOrder) },
  output: DONE,
});

export const rawInUse = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'rawInUse',
  input: { raw_sha256s: TEXTS, keep_unknown: FLAG },
  output: list(z.string()),
});

export const dropSegments = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'dropSegments',
  input: { sealed_before_ms: SAFE_INT },
  output: list(z.string()),
});
