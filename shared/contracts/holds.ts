import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { branded, defineCall, json, list, TEXT, TEXTS } from './call.js';

/** Kinds of records that a legal hold covers. */
export const HELD_KINDS = ['EVENT', 'DOCUMENT'] as const;
export type HeldKind = (typeof HELD_KINDS)[number];

export const HOLD_STATUSES = ['ACTIVE', 'RELEASED'] as const;
export type HoldStatus = (typeof HOLD_STATUSES)[number];

/** Facts that the scope of a hold is compared with. Leave out an unknown fact: it must not take a subject out of a hold. */
const HoldFacts = z.object({
  member_ids: list(z.string()),
  /** Of a document: the events that it is attached to. */
  event_ids: list(z.string()).exactOptional(),
  source_system: z.string().exactOptional(),
  /** Of the event, or of the events that a document is attached to. */
  event_families: list(z.string()).exactOptional(),
  matter_id: z.string().exactOptional(),
  /** When it happened: event_effective_timestamp, or a document's effective_at, else created_at. */
  at_ms: z.number().exactOptional(),
});

const HoldSubject = z.object({ kind: z.enum(HELD_KINDS), id: z.string(), facts: HoldFacts });
export type HoldSubject = z.infer<typeof HoldSubject>;

/** A hold as bundles and matters show it. */
const HoldSummary = z.object({
  hold_id: z.string(),
  name: z.string(),
  matter_id: z.string().nullable(),
  status: z.enum(HOLD_STATUSES),
  created_at: z.string(),
  released_at: z.string().nullable(),
});
export type HoldSummary = z.infer<typeof HoldSummary>;

/** Legal holds, for other subgraphs. A record under two holds stays held until both are released. */
export interface Holds {
  /** The ACTIVE holds over each subject, by the subject's id. Leaves out subjects without a hold. */
  covering(tenantId: TenantId, subjects: readonly HoldSubject[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The existing ones of these holds, in the order asked for. */
  facts(tenantId: TenantId, holdIds: readonly string[]): Promise<readonly HoldSummary[]>;
  /** Ids of the ACTIVE holds of a legal matter, oldest first. */
  activeOfMatter(tenantId: TenantId, matterId: string): Promise<readonly string[]>;
}

export const holdsCovering = defineCall({
  subgraph: 'vault',
  kind: 'query',
  name: 'holdsCovering',
  input: { subjects: json(list(HoldSubject)) },
  output: list(z.tuple([z.string(), list(z.string())])),
});

export const holdSummaries = defineCall({
  subgraph: 'vault',
  kind: 'query',
  name: 'holdSummaries',
  input: { hold_ids: TEXTS },
  output: list(HoldSummary),
});

export const holdsOfMatter = defineCall({
  subgraph: 'vault',
  kind: 'query',
  name: 'holdsOfMatter',
  input: { matter_id: TEXT },
  output: list(z.string()),
});

/** A notice to a custodian, as the holder of its link reads it. */
const SharedNotice = z.object({
  tenant_id: branded<TenantId>(),
  notice_id: z.string(),
  custodian: z.string(),
  text: z.string(),
  status: z.enum(['PENDING', 'ACKNOWLEDGED']),
  /** Times are RFC 3339. */
  due_at: z.string(),
  acknowledged_at: z.string().nullable(),
});
export type SharedNotice = z.infer<typeof SharedNotice>;

/** Links to notices for custodians without a key. The token alone opens a link. */
export interface SharedNotices {
  /** @returns null for an unknown or expired link, for a withdrawn notice, and if the maker may no longer give notices */
  open(token: string): Promise<SharedNotice | null>;
  /**
   * Acknowledges the notice in the name that the custodian has typed.
   *
   * @returns null where `open` returns null
   * @throws INVALID_TRANSITION for a notice that is acknowledged
   */
  acknowledge(token: string, name: string, requestId: string): Promise<SharedNotice | null>;
}

export const openSharedNotice = defineCall({
  subgraph: 'vault',
  kind: 'query',
  name: 'openSharedNotice',
  input: { token: TEXT },
  output: SharedNotice.nullable(),
});

export const acknowledgeSharedNotice = defineCall({
  subgraph: 'vault',
  kind: 'mutation',
  name: 'acknowledgeSharedNotice',
  input: { token: TEXT, name: TEXT, request_id: TEXT },
  output: SharedNotice.nullable(),
});
