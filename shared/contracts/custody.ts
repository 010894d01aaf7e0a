import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';
import { defineCall, json, list } from './call.js';

/** What custody is kept of (api.md section 4). `RAW` is the body of a raw message, named by its hash. */
export const CUSTODY_SUBJECT_KINDS = ['EVENT', 'DOCUMENT', 'BUNDLE', 'MEMBER', 'HOLD', 'RAW'] as const;
export type CustodySubjectKind = (typeof CUSTODY_SUBJECT_KINDS)[number];

/** `AUTOMATIC` ones are the service's alone, so that no caller can claim a download; `MANUAL` ones come by the API. */
type Recorded = 'AUTOMATIC' | 'MANUAL';

interface ActionRow {
  readonly recorded: Recorded;
  readonly description: string;
}

/** Every action there is: the one table behind the checks, the API description and docs/custody.md. */
export const CUSTODY_ACTIONS = {
  READ_CONTENT: { recorded: 'AUTOMATIC', description: 'The service returned the content of a document.' },
  READ_RAW: { recorded: 'AUTOMATIC', description: 'The service returned the raw bytes of an event.' },
  READ_TIMELINE: { recorded: 'AUTOMATIC', description: "A member's timeline was read." },
  READ_MEMBER_RECORD: {
    recorded: 'AUTOMATIC',
    description: "A member's record was read with a member's consent token.",
  },
  READ_DISCLOSURES: {
    recorded: 'AUTOMATIC',
    description: "The accounting of disclosures of a member's data was read.",
  },
  DOWNLOAD_BUNDLE: { recorded: 'AUTOMATIC', description: 'A sealed bundle was downloaded.' },
  SHARE: { recorded: 'AUTOMATIC', description: 'A link to a sealed bundle was made for another party.' },
  UNSHARE: { recorded: 'AUTOMATIC', description: 'A link to a sealed bundle was revoked.' },
  EXPORT_EDX: { recorded: 'AUTOMATIC', description: 'A bundle was exported for electronic discovery.' },
  UPLOAD: { recorded: 'AUTOMATIC', description: 'A document was taken in.' },
  RELEASE: { recorded: 'AUTOMATIC', description: 'A document was released from quarantine.' },
  REJECT: { recorded: 'AUTOMATIC', description: 'A document in quarantine was rejected.' },
  REDACT: { recorded: 'AUTOMATIC', description: 'A redaction was applied; the original stays.' },
  HOLD: { recorded: 'AUTOMATIC', description: 'A legal hold was placed.' },
  UNHOLD: { recorded: 'AUTOMATIC', description: 'A legal hold was released under an authority.' },
  NOTIFY: { recorded: 'AUTOMATIC', description: 'A custodian of a legal hold was given a notice, or reminded of it.' },
  ACKNOWLEDGE: { recorded: 'AUTOMATIC', description: 'A custodian acknowledged the notice of a legal hold.' },
  WITHDRAW: { recorded: 'AUTOMATIC', description: 'A notice of a legal hold was withdrawn.' },
  DISPOSE: { recorded: 'AUTOMATIC', description: 'Content was disposed of under a retention policy.' },
  INTEGRITY_FAILURE: {
    recorded: 'AUTOMATIC',
    description: 'Bytes did not match their hash, and the service did not return them.',
  },
  RECEIVED: { recorded: 'MANUAL', description: 'It was received from a party outside the service.' },
  TRANSFERRED: { recorded: 'MANUAL', description: 'It was handed over to a party outside the service.' },
  DISCLOSED: { recorded: 'MANUAL', description: 'It was disclosed to a party outside the service.' },
  COPIED: { recorded: 'MANUAL', description: 'A copy was made outside the service.' },
  INSPECTED: { recorded: 'MANUAL', description: 'It was examined outside the service.' },
  RETURNED: { recorded: 'MANUAL', description: 'It came back to its owner.' },
  DESTROYED: { recorded: 'MANUAL', description: 'A copy outside the service was destroyed.' },
  NOTED: { recorded: 'MANUAL', description: 'A remark on its custody.' },
} as const satisfies Record<string, ActionRow>;

const isCustodyAction = (text: string): text is CustodyAction => Object.hasOwn(CUSTODY_ACTIONS, text);
export const CustodyAction = z.string().refine(isCustodyAction, 'expected an action of custody');
export type CustodyAction = keyof typeof CUSTODY_ACTIONS;

export const CustodySubject = z.object({ kind: z.enum(CUSTODY_SUBJECT_KINDS), id: z.string() });
export type CustodySubject = z.infer<typeof CustodySubject>;

/** The actor of a key where the key has one, else the key; the service itself for work that no key asked for. */
export const CustodyActor = z.object({
  type: z.enum(['ACTOR', 'KEY', 'SERVICE']),
  id: z.string(),
  /** The key that an actor used. */
  key_id: z.string().exactOptional(),
});
export type CustodyActor = z.infer<typeof CustodyActor>;

/** One act, of one request, however many records it shows. */
export interface CustodyEntry {
  /** Fixed before the first attempt by a caller that may retry (with the same `at`). Default: a fresh id. */
  readonly custody_id?: string;
  readonly action: CustodyAction;
  readonly subject: CustodySubject;
  /** Others that the same act concerns; beyond 1,000 their count and Merkle root are kept in place of them. */
  readonly subjects?: readonly CustodySubject[];
  /** Members of the record. Their custody shows the row too. */
  readonly member_ids?: readonly string[];
  /** See custodyActorOf. */
  readonly actor: CustodyActor;
  /** When it was done; UTC with milliseconds. */
  readonly at: string;
  readonly request_id?: string;
  /** Why, as the caller stated it. */
  readonly purpose?: string;
  /** To whom it went. */
  readonly recipient?: string;
  readonly sha256_before?: string;
  readonly sha256_after?: string;
  /** Ids, hashes, ranges and counts; nothing of the content. */
  readonly detail?: JsonObject;
}

/**
 * The chain of custody of a tenant, stored in the partition `_custody` of the tenant's ledger. Without a custody row no
 * content is returned: a reader first awaits `record`.
 */
export interface Custody {
  /** Resolves when every entry is durable. Repeating one under its custody_id changes nothing. @throws UNAVAILABLE */
  record(tenantId: TenantId, entries: readonly CustodyEntry[]): Promise<void>;
}

/** An entry of custody, for parts of the service that account for it. */
const CustodyFact = z.object({
  custody_id: z.string(),
  action: CustodyAction,
  at: z.string(),
  subject: CustodySubject,
  /** Further subjects where they are listed. */
  subjects: list(CustodySubject).exactOptional(),
  /** Number of further subjects where they are not listed. */
  subject_count: z.int().exactOptional(),
  actor: CustodyActor,
  purpose: z.string().exactOptional(),
  recipient: z.string().exactOptional(),
  /** Position in the chain of custody. */
  seq: z.int(),
  entry_hash: z.string(),
  /** Cursor of the entries after this one. */
  place: z.string(),
});
export type CustodyFact = z.infer<typeof CustodyFact>;

const MemberCustodyAsked = z.object({
  /** Entries that name one of these, as subject or among their members. */
  member_ids: list(z.string()),
  actions: list(CustodyAction),
  /** By the time of the act: from ≤ t < to. */
  from_ms: z.number(),
  to_ms: z.number(),
  cursor: z.string().nullable(),
  /** 1 to 500. */
  limit: z.int(),
});
export type MemberCustodyAsked = z.infer<typeof MemberCustodyAsked>;

const CustodyFactsPage = z.object({ items: list(CustodyFact), next_cursor: z.string().nullable() });
export type CustodyFactsPage = z.infer<typeof CustodyFactsPage>;

/** The chain of custody, for parts of the service that account for it. */
export interface CustodyReads {
  /** Oldest first. @throws INTEGRITY_FAILURE; VALIDATION_ERROR for an invalid cursor */
  ofMembers(tenantId: TenantId, asked: MemberCustodyAsked): Promise<CustodyFactsPage>;
}

export const memberCustody = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'memberCustody',
  input: { asked: json(MemberCustodyAsked) },
  output: CustodyFactsPage,
});
