import { z } from 'zod';
import { CustodyActor } from '../contracts/custody.js';
import type { SystemEntry } from '../contracts/system-ledger.js';
import type { SystemPartition } from '../ids/tenant.js';
import { keysOf } from '../json/keys.js';
import { isJsonObject, type JsonObject } from '../json/strict-json.js';

// A fact is an entry of a system partition that sets the state of one subject (docs/evidence.md "Facts"). The fact is the
// commit point of a change; the row of the record is a projection of it.

/** The kinds of subjects, and the partition of their facts. */
export const FACT_PARTITIONS = {
  document: '_records',
  'event-redaction': '_system',
  'document-redaction': '_system',
  redaction: '_records',
  disposal: '_system',
  'disposal-order': '_records',
  hold: '_records',
  'hold-notice': '_records',
  matter: '_records',
  bundle: '_records',
  'bundle-link': '_records',
  member: '_records',
  'member-merges': '_records',
  consent: '_records',
  'consent-policy': '_records',
  'data-right': '_records',
  'retention-policy': '_records',
  rule: '_records',
} as const satisfies Readonly<Record<string, SystemPartition>>;

export const FactKind = z.enum(keysOf(FACT_PARTITIONS));
export type FactKind = z.infer<typeof FactKind>;

export const FactSubject = z.object({ kind: FactKind, id: z.string().min(1) });
export type FactSubject = z.infer<typeof FactSubject>;

/** Place of a fact in the ledger, as the row of its subject stores it. */
export const FactPlace = z.object({ source_system: z.string(), seq: z.int().positive(), entry_hash: z.string() });
export type FactPlace = z.infer<typeof FactPlace>;

const FACT_VERSION = 'eas.fact/v2';

/** Longer names would not fit into an index entry. */
const MAX_REF_LENGTH = 512;

const JSON_MEMBERS = z.custom<JsonObject>(isJsonObject);

/** Payload of a fact's record. */
const FactPayload = z.object({
  fact: z.literal(FACT_VERSION),
  subject: FactSubject,
  action: z.string().min(1),
  actor: CustodyActor,
  purpose: z.string().exactOptional(),
  recipient: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** entry_hash of the subject's fact before this one; null for its first. */
  previous: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  sha256_before: z.string().exactOptional(),
  sha256_after: z.string().exactOptional(),
  /** The evidential fields after the change. */
  state: JSON_MEMBERS,
  /** Names of other records that the subject refers to (`member/M-1`); the ledger finds the subject by them. */
  refs: z.array(z.string().max(MAX_REF_LENGTH)).exactOptional(),
  /** Names that the fact before referred to, and this one no more. */
  dropped_refs: z.array(z.string().max(MAX_REF_LENGTH)).exactOptional(),
  /** Whatever else the projection needs to write the row. */
  row: JSON_MEMBERS.exactOptional(),
});
export type FactPayload = z.infer<typeof FactPayload>;

/** A fact before it has its place. */
export const FactDraft = FactPayload.omit({ fact: true }).extend({
  /** Fixed before the first attempt; the event's identifier follows from it. */
  fact_id: z.string(),
  event_family: z.string(),
  event_type: z.string(),
  /** RFC 3339. */
  at: z.string(),
  outcome: z.string().exactOptional(),
  /** Further members of the payload, for readers of the partition. */
  details: JSON_MEMBERS.exactOptional(),
});
export type FactDraft = z.infer<typeof FactDraft>;

/** The name of a subject: the `source_record_id` of its facts, so that a look-up by it lists the subject's history. */
export const subjectName = ({ kind, id }: FactSubject): string => `${kind}/${id}`;

/** The entry that a draft becomes. */
export function factEntry({
  fact_id: _,
  event_family,
  event_type,
  at,
  outcome,
  details,
  ...rest
}: FactDraft): SystemEntry {
  return {
    source_system: FACT_PARTITIONS[rest.subject.kind],
    source_record_id: subjectName(rest.subject),
    event_family,
    event_type,
    event_effective_timestamp: at,
    ...(outcome === undefined ? {} : { outcome }),
    payload: { ...details, fact: FACT_VERSION, ...rest },
  };
}

/** The payload of an entry that is a fact; null for any other entry, and for one that a caller sent. */
export function factPayloadOf(members: JsonObject): FactPayload | null {
  const { source_system, payload } = members;
  if (!isJsonObject(payload) || payload['fact'] !== FACT_VERSION) return null;
  const { success, data } = FactPayload.safeParse(payload);
  return success && FACT_PARTITIONS[data.subject.kind] === source_system ? data : null;
}

/** A fact that was read: verified from its record to its entry hash. */
export const Fact = FactPayload.omit({ fact: true }).extend({ event_id: z.string(), at: z.string(), place: FactPlace });
export type Fact = z.infer<typeof Fact>;
