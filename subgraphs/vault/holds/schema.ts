import { ArgsType, Directive, InputType, Int, ObjectType } from 'type-graphql';
import { HELD_KINDS, type HeldKind, HOLD_STATUSES, type HoldStatus } from '../../../shared/contracts/holds.js';
import type { FactKind } from '../../../shared/facts/fact.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { stepOf } from '../../../shared/graph/step-type.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { AUTHORITY_KINDS, type AuthorityKind, type HoldAction } from './domain/states.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const HOLD_EXAMPLE = 'hld_01JQ0000000000000000000001';
const MATTER = { example: 'mat_01JQ0000000000000000000001', minLength: 1, maxLength: 128 };
const NAME = { example: 'Doe v. Acme Health', minLength: 1, maxLength: 200, pattern: '\\S' };
const TEXT = { minLength: 1, maxLength: 4_000, pattern: '\\S' };
const LINE = { minLength: 1, maxLength: 256, pattern: '\\S' };
const ALLOW_UNKNOWN = {
  description:
    'Accepts names of unknown records, for a hold over what is still to come. The scope of the hold records it.',
  optional: true,
} as const;
const NAMES = { items: { minLength: 1, maxLength: 256 }, maxItems: 1_000, optional: true };

@InputType('LegalHoldScopeInput', { description: 'Scope of a hold.' })
@ObjectType('LegalHoldScope', {
  description: 'Scope of a hold: the records named by id, and those that match all other members.',
})
class LegalHoldScopeShape {
  @ContractField(() => [String], { description: 'Members with held records.', ...NAMES })
  member_ids?: string[];

  @ContractField(() => [String], {
    description: 'Held events, with their attached documents.',
    ...NAMES,
  })
  event_ids?: string[];

  @ContractField(() => [String], { description: 'Held documents.', ...NAMES })
  document_ids?: string[];

  @ContractField(() => [String], { description: 'Originating systems.', ...NAMES })
  source_systems?: string[];

  @ContractField(() => [String], { description: 'Event families, case-insensitive.', ...NAMES })
  event_families?: string[];

  @ContractField(() => String, { description: 'Effective at this time or later.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Effective before this time.', optional: true, ...TIME })
  to?: string;

  @ContractField(() => Boolean, {
    description: 'True for a hold that may name records which do not exist yet.',
    optional: true,
  })
  allow_unknown?: boolean;
}

/** The members that callers give to a hold. */
export abstract class LegalHoldMembers {
  @Member(() => String, { description: 'Name of the hold.', ...NAME })
  name!: string;

  @Member(() => String, {
    description: 'Legal matter; its documents are held too.',
    nullable: true,
    ...MATTER,
    shown: { example: undefined },
  })
  matter_id!: string | null;

  @Member(() => LegalHoldScopeShape, { description: 'Scope of the hold; may be empty only with a matter.' })
  scope!: LegalHoldScopeShape;

  @Member(() => String, { description: 'Reason.', ...TEXT })
  reason!: string;

  @Member(() => String, { description: 'Ordering authority, with a reference.', nullable: true, ...LINE })
  authority!: string | null;
}

@RecordInput({ description: 'A new legal hold.' })
export class LegalHoldInput extends inputOf(LegalHoldMembers) {
  @ContractField(() => Boolean, ALLOW_UNKNOWN)
  allow_unknown?: boolean;
}

@RecordInput({
  description: 'Changes of an active hold: absent members stay, null removes a value. The scope can only be widened.',
})
export class LegalHoldPatch extends patchOf(LegalHoldMembers, 'matter_id') {
  @ContractField(() => String, { description: 'Legal matter, if the hold has none yet.', optional: true, ...MATTER })
  matter_id?: string;

  @ContractField(() => Boolean, ALLOW_UNKNOWN)
  allow_unknown?: boolean;

  @ContractField(() => Int, {
    description: 'Expected current revision; CONFLICT if it differs.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@InputType('LegalHoldAuthorityInput', { description: 'The authority that ends a hold.' })
@ObjectType('LegalHoldAuthority', { description: 'The authority that ended a hold.' })
class LegalHoldAuthorityShape {
  @ContractField(() => String, {
    description: 'Kind of authority.',
    example: 'COURT_ORDER',
    enum: [...AUTHORITY_KINDS],
  })
  kind!: AuthorityKind;

  @ContractField(() => String, { description: 'Citation.', example: 'No. 24-cv-0001, Dkt. 88', ...LINE })
  reference!: string;

  @ContractField(() => String, {
    description: 'Document of the authority, in the vault.',
    optional: true,
    maxLength: 64,
  })
  document_id?: string;
}

@InputType({ description: 'A release under a documented authority.' })
export class LegalHoldReleaseInput {
  @ContractField(() => LegalHoldAuthorityShape, { description: 'Authority of the release.' })
  authority!: LegalHoldAuthorityShape;

  @ContractField(() => String, { description: 'Reason.', ...TEXT })
  reason!: string;

  @ContractField(() => String, { description: 'Person who releases the hold.', example: 'General Counsel', ...LINE })
  released_by!: string;
}

@ObjectType({ description: 'Release of a hold.' })
class LegalHoldRelease {
  @ContractField(() => LegalHoldAuthorityShape, { description: 'Authority of the release.' })
  authority!: LegalHoldAuthorityShape;

  @ContractField(() => String, { description: 'Reason.' })
  reason!: string;

  @ContractField(() => String, { description: 'Person who released the hold.' })
  released_by!: string;

  @ContractField(() => String, { description: 'Time of the release.', ...TIME })
  released_at!: string;
}

@ObjectType({ description: 'Listed records of a hold; protection does not depend on the listing.' })
class LegalHoldCounts {
  @ContractField(() => Int, { description: 'Number of listed events.', example: 12 })
  events!: number;

  @ContractField(() => Int, { description: 'Number of listed documents.', example: 3 })
  documents!: number;

  @ContractField(() => Int, { description: 'Number of stopped deletions.', example: 0 })
  refused_deletions!: number;
}

@RecordType({ description: 'A step of a hold.' })
class LegalHoldStep extends stepOf<HoldStatus, HoldAction>(HOLD_STATUSES, 'create') {}

/** The ledger adds the custody of a hold. */
@Directive('@key(fields: "hold_id")')
@RecordType({ description: 'A legal hold: while it is ACTIVE, nothing that it covers can be deleted.' })
export class LegalHold extends outputOf(LegalHoldMembers, RecordMembers) {
  @ContractField(() => String, { description: 'Current status.', example: HOLD_STATUSES[0], enum: [...HOLD_STATUSES] })
  status!: HoldStatus;

  @ContractField(() => String, { description: 'Identifier of the hold.', example: HOLD_EXAMPLE })
  hold_id!: string;

  @ContractField(() => LegalHoldCounts, { description: 'Counts of listed records.' })
  counts!: LegalHoldCounts;

  @ContractField(() => String, {
    description: 'Time at which the listing last reached the end of ledger and documents, or null.',
    nullable: true,
    ...TIME,
  })
  listed_at!: string | null;

  @ContractField(() => LegalHoldRelease, { description: 'Release of the hold.', nullable: true })
  release!: LegalHoldRelease | null;

  @ContractField(() => [LegalHoldStep], { description: 'Steps, oldest first.' })
  history!: LegalHoldStep[];
}

/** Check of stored holds: counts and listing time come from the listing. */
export const HOLD_ROW = rowCheckOf(LegalHold, {
  own: { settled: 'flag', listing: 'json' },
  omitted: ['counts', 'listed_at'],
});

/** All that answers show of a hold, but the progress of its listing. */
export const HOLD_FACTS = {
  kind: 'hold',
  evidential: [
    'status',
    'revision',
    'name',
    'matter_id',
    'scope',
    'reason',
    'authority',
    'release',
    'created_at',
    'created_by',
  ],
} as const satisfies { readonly kind: FactKind; readonly evidential: readonly (keyof LegalHold)[] };

export const LegalHoldPage = pageType('LegalHoldPage', () => LegalHold);

@ObjectType({ description: 'A listed record of a hold.' })
export class HoldTombstone {
  @ContractField(() => String, { description: 'Identifier of the hold.', example: HOLD_EXAMPLE })
  hold_id!: string;

  @ContractField(() => String, { description: 'Kind of record.', example: 'EVENT', enum: [...HELD_KINDS] })
  kind!: HeldKind;

  @ContractField(() => String, { description: 'Identifier of the record.', example: 'evt_01JQ0000000000000000000001' })
  id!: string;

  @ContractField(() => String, { description: 'Time of the listing.', ...TIME })
  held_at!: string;

  @ContractField(() => Int, { description: 'Number of stopped deletions.', example: 0 })
  refused_deletions!: number;

  @ContractField(() => String, { description: 'Time of the last stopped deletion.', nullable: true, ...TIME })
  refused_at!: string | null;
}

export const HoldTombstonePage = pageType('HoldTombstonePage', () => HoldTombstone);

@ArgsType()
export class LegalHoldFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only holds with this status.',
    optional: true,
    enum: [...HOLD_STATUSES],
  })
  status?: HoldStatus;

  @ContractField(() => String, { description: 'Only holds of this matter.', optional: true, ...MATTER })
  matter_id?: string;

  @ContractField(() => String, { description: 'Only holds with this name.', optional: true, maxLength: 200 })
  name?: string;

  @ContractField(() => String, { description: 'Placed at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Placed before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@ArgsType()
export class TombstoneFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only records of this kind.', optional: true, enum: [...HELD_KINDS] })
  kind?: HeldKind;

  @ContractField(() => String, { description: 'Listed at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Listed before this time.', optional: true, format: 'date-time' })
  to?: string;
}
