import { ArgsType, Directive, Extensions, InputType, Int, ObjectType } from 'type-graphql';
import {
  CUSTODY_ACTIONS,
  CUSTODY_SUBJECT_KINDS,
  type CustodyAction,
  type CustodySubjectKind,
} from '../../../shared/contracts/custody.js';
import { MAX_LISTED_SUBJECTS } from '../../../shared/custody/custody-entry.js';
import { CONTRACT, type ContractExtension, ContractField } from '../../../shared/graph/contract-field.js';
import { PlaceArgs, pageType } from '../../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const HASH = { optional: true, pattern: '^[0-9a-f]{64}$' } as const;
const ACTIONS = Object.keys(CUSTODY_ACTIONS);
/** Actions that callers may record; the others are the service's own. */
const MANUAL_ACTIONS = Object.entries(CUSTODY_ACTIONS).flatMap(([name, { recorded }]) =>
  recorded === 'MANUAL' ? [name] : [],
);
const LINE = { minLength: 1, maxLength: 512 } as const;
const IDS = { optional: true, maxItems: MAX_LISTED_SUBJECTS, items: { minLength: 1, maxLength: 256 } } as const;

@InputType('CustodySubjectInput', { description: 'Subject of custody.' })
@ObjectType('CustodySubject', { description: 'Subject of custody.' })
class CustodySubjectShape {
  @ContractField(() => String, {
    description: 'Kind of subject; RAW is the body of a raw message, named by its SHA-256.',
    example: 'BUNDLE',
    enum: [...CUSTODY_SUBJECT_KINDS],
  })
  kind!: CustodySubjectKind;

  @ContractField(() => String, {
    description: 'Its identifier.',
    example: 'bdl_01JQ0000000000000000000001',
    minLength: 1,
    maxLength: 256,
  })
  id!: string;
}

/** The admin subgraph adds the name. */
@Directive('@key(fields: "type id", resolvable: false)')
@ObjectType('CustodyActor', { description: 'The actor who did it.' })
class CustodyActorShape {
  @ContractField(() => String, {
    description: 'The actor of a key, a key without an actor, or the service itself.',
    example: 'KEY',
    enum: ['ACTOR', 'KEY', 'SERVICE'],
  })
  type!: 'ACTOR' | 'KEY' | 'SERVICE';

  @ContractField(() => String, { description: 'Its identifier.', example: 'key_01JQ0000000000000000000001' })
  id!: string;

  @ContractField(() => String, { description: 'The key that an actor used.', optional: true })
  key_id?: string;
}

@ObjectType('CustodyEntry', { description: 'One act of custody, as recorded in the ledger.' })
export class CustodyRecord {
  @ContractField(() => String, { description: 'The entry.', example: 'cus_01JQ0000000000000000000001' })
  custody_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'What was done.', example: 'TRANSFERRED', enum: ACTIONS })
  action!: CustodyAction;

  @ContractField(() => String, {
    description: 'Whether the service itself or a caller of the API recorded it.',
    example: 'MANUAL',
    enum: ['AUTOMATIC', 'MANUAL'],
  })
  recorded!: 'AUTOMATIC' | 'MANUAL';

  @ContractField(() => CustodySubjectShape, { description: 'With what.' })
  subject!: CustodySubjectShape;

  @ContractField(() => [CustodySubjectShape], { description: 'Further subjects.', optional: true })
  subjects?: readonly CustodySubjectShape[];

  @ContractField(() => Int, {
    description: 'Number of further subjects, if there are too many to list.',
    optional: true,
  })
  subject_count?: number;

  @ContractField(() => String, { description: 'Root of the RFC 6962 tree over them.', optional: true })
  subjects_root?: string;

  @ContractField(() => [String], { description: 'Members of the record.', optional: true })
  member_ids?: readonly string[];

  @ContractField(() => CustodyActorShape, { description: 'By whom.' })
  actor!: CustodyActorShape;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'The stated purpose.', optional: true, example: 'litigation' })
  purpose?: string;

  @ContractField(() => String, { description: 'The recipient.', optional: true, example: 'Outside counsel' })
  recipient?: string;

  @ContractField(() => String, { description: 'SHA-256 of the content before.', ...HASH })
  sha256_before?: string;

  @ContractField(() => String, { description: 'SHA-256 of the content after.', ...HASH })
  sha256_after?: string;

  @ContractField(() => JsonScalar, {
    description: 'Further details.',
    optional: true,
    shape: { type: 'object' },
  })
  detail?: JsonObject;

  @ContractField(() => String, { description: 'The request that did it.', optional: true })
  request_id?: string;

  @ContractField(() => SafeInteger, { description: 'Place in the chain of custody, from 1.', example: 1 })
  seq!: number;

  @ContractField(() => String, { description: 'When it was recorded.', ...TIME })
  recorded_at!: string;

  @ContractField(() => String, { description: 'Hash of the previous entry.' })
  prev_hash!: string;

  @ContractField(() => String, { description: 'Hash of this entry.' })
  entry_hash!: string;
}

export const CustodyPage = pageType('CustodyPage', () => CustodyRecord);

// Records of other subgraphs, to which the ledger adds their custody.

const PARTS = { [CONTRACT]: { parts: true } satisfies ContractExtension };

@ObjectType('Bundle', { description: 'An evidence bundle: requested, then built and sealed.' })
@Directive('@key(fields: "bundle_id")')
@Extensions(PARTS)
export class BundleInCustody {
  @ContractField(() => String, {
    description: 'Identifier of the bundle.',
    example: 'bdl_01JQ0000000000000000000001',
  })
  bundle_id!: string;
}

@ObjectType('Document', { description: 'One upload; equal bytes are stored once for all documents.' })
@Directive('@key(fields: "document_id")')
@Extensions(PARTS)
export class DocumentInCustody {
  @ContractField(() => String, {
    description: 'Identifier of the document.',
    example: 'doc_01JQ0000000000000000000001',
  })
  document_id!: string;

  /** The vault's; the ledger reads it for the edge to the events. */
  @Directive('@external')
  @ContractField(() => [String], { description: 'Events to which it is attached.', example: [] })
  event_ids!: readonly string[];
}

@ObjectType('LegalHold', {
  description: 'A legal hold: while it is ACTIVE, nothing that it covers can be deleted.',
})
@Directive('@key(fields: "hold_id")')
@Extensions(PARTS)
export class HoldInCustody {
  @ContractField(() => String, { description: 'Identifier of the hold.', example: 'hld_01JQ0000000000000000000001' })
  hold_id!: string;
}

@ArgsType()
export class CustodyFilter extends PlaceArgs {
  @ContractField(() => String, {
    description: 'Direction of time; oldest first by default.',
    optional: true,
    enum: ['asc', 'desc'],
  })
  order?: 'asc' | 'desc';

  @ContractField(() => String, { description: 'Only of this kind.', optional: true, enum: [...CUSTODY_SUBJECT_KINDS] })
  subject_kind?: CustodySubjectKind;

  @ContractField(() => String, { description: 'Only of this subject.', optional: true, minLength: 1, maxLength: 256 })
  subject_id?: string;

  @ContractField(() => String, { description: 'Only this action.', optional: true, enum: ACTIONS })
  action?: CustodyAction;

  @ContractField(() => String, {
    description: 'Only by this actor or key.',
    optional: true,
    minLength: 1,
    maxLength: 256,
  })
  actor_id?: string;

  @ContractField(() => String, { description: 'Done at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Done before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@InputType({ description: 'An act of custody outside the service.' })
export class CustodyInput {
  @ContractField(() => Boolean, {
    description: 'Accepts a subject that the service does not know; the entry records it in `detail`.',
    optional: true,
  })
  allow_unknown?: boolean;

  @ContractField(() => String, {
    description: 'The action, outside the service.',
    example: 'TRANSFERRED',
    enum: MANUAL_ACTIONS,
  })
  action!: CustodyAction;

  @ContractField(() => CustodySubjectShape, { description: 'With what.' })
  subject!: CustodySubjectShape;

  @ContractField(() => [CustodySubjectShape], {
    description: 'Further subjects.',
    optional: true,
    maxItems: MAX_LISTED_SUBJECTS,
  })
  subjects?: readonly CustodySubjectShape[];

  @ContractField(() => [String], { description: 'Members of the record.', ...IDS })
  member_ids?: readonly string[];

  @ContractField(() => String, {
    description: 'When it was done; the time of the request by default.',
    optional: true,
    format: 'date-time',
    maxLength: 64,
  })
  at?: string;

  @ContractField(() => String, { description: 'Why.', optional: true, example: 'litigation', ...LINE })
  purpose?: string;

  @ContractField(() => String, { description: 'The recipient.', optional: true, example: 'Outside counsel', ...LINE })
  recipient?: string;

  @ContractField(() => String, { description: 'SHA-256 of the content before.', ...HASH })
  sha256_before?: string;

  @ContractField(() => String, { description: 'SHA-256 of the content after.', ...HASH })
  sha256_after?: string;

  @ContractField(() => JsonScalar, {
    description: 'Further details.',
    optional: true,
    shape: { type: 'object' },
  })
  detail?: JsonObject;
}
