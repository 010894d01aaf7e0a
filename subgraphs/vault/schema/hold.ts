import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { HELD_KINDS, type HeldKind, HOLD_STATUSES, type HoldStatus } from '../../../shared/contracts/holds.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { AUTHORITY_KINDS, type AuthorityKind, type HoldAction } from '../domain/hold-states.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const HOLD_EXAMPLE = 'hld_01JQ0000000000000000000001';
const MATTER = { example: 'mat_01JQ0000000000000000000001', minLength: 1, maxLength: 128 };
const NAME = { example: 'Doe v. Acme Health', minLength: 1, maxLength: 200, pattern: '\\S' };
const TEXT = { minLength: 1, maxLength: 4_000, pattern: '\\S' };
const LINE = { minLength: 1, maxLength: 256, pattern: '\\S' };
const NAMES = { items: { minLength: 1, maxLength: 256 }, maxItems: 1_000, optional: true };

@InputType('LegalHoldScopeInput', { description: 'What a hold is over.' })
@ObjectType('LegalHoldScope', {
  description: 'What a hold is over: what is named by id, and what fits all of the other members that are given.',
})
export class LegalHoldScopeShape {
  @ContractField(() => [String], { description: 'Members whose records are held.', ...NAMES })
  member_ids?: string[];

  @ContractField(() => [String], {
    description: 'Events that are held, with the documents attached to them.',
    ...NAMES,
  })
  event_ids?: string[];

  @ContractField(() => [String], { description: 'Documents that are held.', ...NAMES })
  document_ids?: string[];

  @ContractField(() => [String], { description: 'Originating systems.', ...NAMES })
  source_systems?: string[];

  @ContractField(() => [String], { description: 'Event families, without regard to case.', ...NAMES })
  event_families?: string[];

  @ContractField(() => String, { description: 'What happened at this time or later.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'What happened before this time.', optional: true, ...TIME })
  to?: string;
}

@InputType({ description: 'A hold to be placed.' })
export class LegalHoldInput {
  @ContractField(() => String, { description: 'What people call it.', ...NAME })
  name!: string;

  @ContractField(() => String, { description: 'Its legal matter.', optional: true, ...MATTER })
  matter_id?: string;

  @ContractField(() => LegalHoldScopeShape, { description: 'What it is over; not empty unless a matter is named.' })
  scope!: LegalHoldScopeShape;

  @ContractField(() => String, { description: 'Why.', ...TEXT })
  reason!: string;

  @ContractField(() => String, { description: 'Who ordered it, and where that stands.', optional: true, ...LINE })
  authority?: string;
}

@InputType({
  description: 'Changes of a hold in force: absent stays, null takes away. The scope may only become wider.',
})
export class LegalHoldPatch {
  @ContractField(() => String, { description: 'What people call it.', optional: true, ...NAME })
  name?: string;

  @ContractField(() => String, { description: 'Its legal matter, where it has none yet.', optional: true, ...MATTER })
  matter_id?: string;

  @ContractField(() => LegalHoldScopeShape, { description: 'What it is over from now on.', optional: true })
  scope?: LegalHoldScopeShape;

  @ContractField(() => String, { description: 'Why.', optional: true, ...TEXT })
  reason?: string;

  @ContractField(() => String, { description: 'Who ordered it.', optional: true, nullable: true, ...LINE })
  authority?: string | null;

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@InputType('LegalHoldAuthorityInput', { description: 'The document that ends a hold.' })
@ObjectType('LegalHoldAuthority', { description: 'The document that ended a hold.' })
export class LegalHoldAuthorityShape {
  @ContractField(() => String, { description: 'What it is.', example: 'COURT_ORDER', enum: [...AUTHORITY_KINDS] })
  kind!: AuthorityKind;

  @ContractField(() => String, { description: 'How it is cited.', example: 'No. 24-cv-0001, Dkt. 88', ...LINE })
  reference!: string;

  @ContractField(() => String, { description: 'The document itself, in the vault.', optional: true, maxLength: 64 })
  document_id?: string;
}

@InputType({ description: 'A release under a documented authority.' })
export class LegalHoldReleaseInput {
  @ContractField(() => LegalHoldAuthorityShape, { description: 'The authority.' })
  authority!: LegalHoldAuthorityShape;

  @ContractField(() => String, { description: 'Why.', ...TEXT })
  reason!: string;

  @ContractField(() => String, { description: 'Who releases it.', example: 'General Counsel', ...LINE })
  released_by!: string;
}

@ObjectType({ description: 'How a hold was released.' })
export class LegalHoldRelease {
  @ContractField(() => LegalHoldAuthorityShape, { description: 'The authority.' })
  authority!: LegalHoldAuthorityShape;

  @ContractField(() => String, { description: 'Why.' })
  reason!: string;

  @ContractField(() => String, { description: 'Who released it.' })
  released_by!: string;

  @ContractField(() => String, { description: 'When.', ...TIME })
  released_at!: string;
}

@ObjectType({ description: 'What is listed of a hold; what is held does not wait for it.' })
export class LegalHoldCounts {
  @ContractField(() => Int, { description: 'Events.', example: 12 })
  events!: number;

  @ContractField(() => Int, { description: 'Documents.', example: 3 })
  documents!: number;

  @ContractField(() => Int, { description: 'Deletions that it has stopped.', example: 0 })
  refused_deletions!: number;
}

@ObjectType({ description: 'One step of a hold.' })
export class LegalHoldStep {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'create' })
  action!: HoldAction;

  @ContractField(() => String, { description: 'Status before.', nullable: true, enum: [...HOLD_STATUSES] })
  from!: HoldStatus | null;

  @ContractField(() => String, { description: 'Status after.', example: 'ACTIVE', enum: [...HOLD_STATUSES] })
  to!: HoldStatus;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;
}

@ObjectType({ description: 'A legal hold: nothing that it covers can be deleted while it is ACTIVE.' })
export class LegalHold {
  @ContractField(() => String, { description: 'Identifier of the hold.', example: HOLD_EXAMPLE })
  hold_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'What people call it.', example: 'Doe v. Acme Health' })
  name!: string;

  @ContractField(() => String, { description: 'Its legal matter; documents of it are held too.', nullable: true })
  matter_id!: string | null;

  @ContractField(() => LegalHoldScopeShape, { description: 'What it is over.' })
  scope!: LegalHoldScopeShape;

  @ContractField(() => String, { description: 'Why.' })
  reason!: string;

  @ContractField(() => String, { description: 'Who ordered it.', nullable: true })
  authority!: string | null;

  @ContractField(() => String, { description: 'Whether it is in force.', example: 'ACTIVE', enum: [...HOLD_STATUSES] })
  status!: HoldStatus;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['update', 'release'] })
  allowed_actions!: string[];

  @ContractField(() => LegalHoldCounts, { description: 'What is listed of it.' })
  counts!: LegalHoldCounts;

  @ContractField(() => String, {
    description: 'When its listing last reached the end of ledger and documents; null before the first time.',
    nullable: true,
    ...TIME,
  })
  listed_at!: string | null;

  @ContractField(() => LegalHoldRelease, { description: 'How it was released.', nullable: true })
  release!: LegalHoldRelease | null;

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was placed.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that placed it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', ...TIME })
  updated_at!: string;

  @ContractField(() => [LegalHoldStep], { description: 'Its steps, oldest first.' })
  history!: LegalHoldStep[];
}

export const LegalHoldPage = pageType('LegalHoldPage', () => LegalHold);

@ObjectType({ description: 'One thing that a hold covers.' })
export class HoldTombstone {
  @ContractField(() => String, { description: 'The hold.', example: HOLD_EXAMPLE })
  hold_id!: string;

  @ContractField(() => String, { description: 'What it is.', example: 'EVENT', enum: [...HELD_KINDS] })
  kind!: HeldKind;

  @ContractField(() => String, { description: 'Its identifier.', example: 'evt_01JQ0000000000000000000001' })
  id!: string;

  @ContractField(() => String, { description: 'When it was listed.', ...TIME })
  held_at!: string;

  @ContractField(() => Int, { description: 'Deletions that the hold has stopped.', example: 0 })
  refused_deletions!: number;

  @ContractField(() => String, { description: 'The last of them.', nullable: true, ...TIME })
  refused_at!: string | null;
}

export const HoldTombstonePage = pageType('HoldTombstonePage', () => HoldTombstone);

@ArgsType()
export class LegalHoldFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only holds that stand so.', optional: true, enum: [...HOLD_STATUSES] })
  status?: HoldStatus;

  @ContractField(() => String, { description: 'Only holds of this matter.', optional: true, ...MATTER })
  matter_id?: string;

  @ContractField(() => String, { description: 'Only holds of this name.', optional: true, maxLength: 200 })
  name?: string;

  @ContractField(() => String, { description: 'Placed at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Placed before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@ArgsType()
export class TombstoneFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only things of this kind.', optional: true, enum: [...HELD_KINDS] })
  kind?: HeldKind;

  @ContractField(() => String, { description: 'Listed at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Listed before this time.', optional: true, format: 'date-time' })
  to?: string;
}
