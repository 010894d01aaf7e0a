import type { TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';

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
  READ_CONTENT: { recorded: 'AUTOMATIC', description: 'Content of a document was given out.' },
  READ_RAW: { recorded: 'AUTOMATIC', description: 'Raw bytes of an event were given out.' },
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
  EXPORT_EDX: { recorded: 'AUTOMATIC', description: 'A bundle was exported for electronic discovery.' },
  UPLOAD: { recorded: 'AUTOMATIC', description: 'A document was taken in.' },
  RELEASE: { recorded: 'AUTOMATIC', description: 'A document was released from quarantine.' },
  REJECT: { recorded: 'AUTOMATIC', description: 'A document in quarantine was rejected.' },
  REDACT: { recorded: 'AUTOMATIC', description: 'A redaction was applied; the original stays.' },
  HOLD: { recorded: 'AUTOMATIC', description: 'A legal hold was placed.' },
  UNHOLD: { recorded: 'AUTOMATIC', description: 'A legal hold was released under an authority.' },
  DISPOSE: { recorded: 'AUTOMATIC', description: 'Content was disposed of under a retention policy.' },
  INTEGRITY_FAILURE: { recorded: 'AUTOMATIC', description: 'Bytes did not match their hash and were not given out.' },
  RECEIVED: { recorded: 'MANUAL', description: 'It was received from somebody outside the service.' },
  TRANSFERRED: { recorded: 'MANUAL', description: 'It was handed over to somebody outside the service.' },
  DISCLOSED: { recorded: 'MANUAL', description: 'It was shown or told to somebody outside the service.' },
  COPIED: { recorded: 'MANUAL', description: 'A copy was made outside the service.' },
  INSPECTED: { recorded: 'MANUAL', description: 'It was examined outside the service.' },
  RETURNED: { recorded: 'MANUAL', description: 'It came back to its owner.' },
  DESTROYED: { recorded: 'MANUAL', description: 'A copy outside the service was destroyed.' },
  NOTED: { recorded: 'MANUAL', description: 'A remark on its custody.' },
} as const satisfies Record<string, ActionRow>;

export type CustodyAction = keyof typeof CUSTODY_ACTIONS;

export interface CustodySubject {
  readonly kind: CustodySubjectKind;
  readonly id: string;
}

/** Who did it: the actor of a key where it has one, else the key; the service itself for work that no key asked for. */
export interface CustodyActor {
  readonly type: 'ACTOR' | 'KEY' | 'SERVICE';
  readonly id: string;
  /** The key that an actor used. */
  readonly key_id?: string;
}

/** One act, of one request, however many records it shows. */
export interface CustodyEntry {
  /** Fixed before the first attempt by whoever may repeat it (with the same `at`); a fresh one where it is left out. */
  readonly custody_id?: string;
  readonly action: CustodyAction;
  readonly subject: CustodySubject;
  /** Others that the same act concerns; beyond 1,000 their count and Merkle root are kept in place of them. */
  readonly subjects?: readonly CustodySubject[];
  /** Members whose record it concerns: their custody shows it too. */
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
 * The chain of custody of a tenant, kept in the partition `_custody` of its own ledger. No custody row, no bytes: who
 * gives out content first awaits `record`.
 */
export interface Custody {
  /** Resolves when every entry is durable. Repeating one under its custody_id changes nothing. @throws UNAVAILABLE */
  record(tenantId: TenantId, entries: readonly CustodyEntry[]): Promise<void>;
}
