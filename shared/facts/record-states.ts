import { z } from 'zod';
import { defineCall, INT, JSON_OBJECT, list, TEXT_OR_NULL, word } from '../contracts/call.js';
import type { SubgraphName } from '../graph/subgraph-names.js';
import type { TenantId } from '../ids/tenant.js';
import { FactKind, FactPlace } from './fact.js';

// What verification reads of records that are projections of facts: the owner of a kind derives the evidential fields of its
// rows, and the ledger compares them with the facts.

/** A stored row, as its owner reads it. */
const RecordState = z.object({
  /** Identifier of the row: that of its subject, unless `subject` names another one. */
  id: z.string(),
  /** The subject of a row that is one of several. */
  subject: z.string().exactOptional(),
  /** The fact that the row names; null when it names none. */
  fact: FactPlace.nullable(),
  /** For a record of a set: the fact that the row of the whole set names. */
  head: FactPlace.nullable().exactOptional(),
  /** The evidential fields, as a fact states them; null for a malformed row. */
  state: JSON_OBJECT.nullable(),
  /** The field of a wrong type, for a malformed row. */
  field: z.string().nullable(),
  /** Columns that do not follow from the evidential fields. */
  differing: list(z.string()).exactOptional(),
  /** The collection of a row that is not in the page's. */
  collection: z.string().exactOptional(),
  /** Absent for a stored row. GONE: other rows name it, and it is not stored. LAST: no later row is stored. */
  mark: z.enum(['GONE', 'LAST']).exactOptional(),
});
export type RecordState = z.infer<typeof RecordState>;

/**
 * How rows project facts.
 *
 * - SUBJECT: one row a subject, which names the latest fact and projects its whole state.
 * - SET: one row a subject, which names the latest fact and lists the records that it states.
 * - RECORD: one row for each record of a set; the fact that changed the record states it as `changed`.
 * - EACH: one row for each fact of a subject.
 * - LATEST: one row a subject, which names no fact. Without a fact, its evidential fields are null.
 */
const StateForm = z.enum(['SUBJECT', 'SET', 'RECORD', 'EACH', 'LATEST']);
export type StateForm = z.infer<typeof StateForm>;

export const RecordStatePage = z.object({
  /** The collection of the rows. */
  collection: z.string(),
  form: StateForm,
  /** In the order of identifiers; malformed identifiers come first. */
  rows: list(RecordState),
  /** What to continue after; null at the end. For SUBJECT and SET it is an identifier. */
  next: z.string().nullable(),
  /** Rows of facts before this time, in ms of the epoch, must be written; see FactSweeps. */
  settled_ms: z.int(),
});
export type RecordStatePage = z.infer<typeof RecordStatePage>;

/** The subgraph that writes the rows of each kind. */
const OWNERS = {
  document: 'vault',
  'event-redaction': 'ledger',
  'document-redaction': 'vault',
  redaction: 'vault',
  disposal: 'ledger',
  'disposal-order': 'vault',
  hold: 'vault',
  'hold-notice': 'vault',
  matter: 'bundles',
  bundle: 'bundles',
  'bundle-link': 'bundles',
  member: 'members-graph',
  'member-merges': 'members-graph',
  consent: 'members-graph',
  'consent-policy': 'members-graph',
  'data-right': 'members-graph',
  'retention-policy': 'vault',
  rule: 'advocacy',
} as const satisfies Readonly<Record<FactKind, SubgraphName>>;

export type StateOwner = (typeof OWNERS)[FactKind];

const statesCall = (subgraph: SubgraphName, name: string) =>
  defineCall({
    subgraph,
    kind: 'query',
    name,
    input: { kind: word(FactKind), part: INT, after: TEXT_OR_NULL, limit: INT },
    output: RecordStatePage.nullable(),
  });

/** By owner, the call that reads the rows of its kinds. */
export const STATES_CALLS = {
  ledger: statesCall('ledger', 'ledgerRecordStates'),
  vault: statesCall('vault', 'vaultRecordStates'),
  bundles: statesCall('bundles', 'bundlesRecordStates'),
  'members-graph': statesCall('members-graph', 'membersRecordStates'),
  advocacy: statesCall('advocacy', 'advocacyRecordStates'),
} as const satisfies Readonly<Record<StateOwner, unknown>>;

export const statesCallOf = (kind: FactKind) => STATES_CALLS[OWNERS[kind]];

/** A page of rows that verification asks for. */
export interface StatesAsked {
  readonly kind: FactKind;
  /** Number of the collection, from 0: several may hold rows of one kind. */
  readonly part: number;
  /** What the page before ended with. */
  readonly after: string | null;
  readonly limit: number;
}

/** Reads the rows of one collection for verification; see rowStates in shared/records. */
export interface StateRows {
  readonly collection: string;
  /** SUBJECT by default. */
  readonly form?: StateForm;
  /** Up to `limit` rows after a place, in order. Never throws for what a row holds. */
  readonly page: (
    tenantId: TenantId,
    after: string | null,
    limit: number,
  ) => Promise<Pick<RecordStatePage, 'rows' | 'next'>>;
}

/** The rows of records, for the verification of the ledger. */
export interface RecordStates {
  /** One page of rows; null for a part that does not exist, and for a kind whose rows have no facts. */
  page(tenantId: TenantId, asked: StatesAsked): Promise<RecordStatePage | null>;
}
