import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import {
  CLOSE_REASONS,
  type CloseReason,
  CONVERSION_KINDS,
  type ConversionKind,
  LEAD_STATUSES,
  LEAD_TYPES,
  type LeadAction,
  type LeadStatus,
  type LeadType,
} from '../domain/lead.js';
import { NAME_LIMITS } from './named-list-filter.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_LEAD = 'led_01JQ0000000000000000000001';
const TEXT = { maxLength: 4_000 };
const LINE = { minLength: 1, maxLength: 320 };
const REFERENCE = { minLength: 1, maxLength: 256 };
const SOURCE = { example: 'web-form', ...NAME_LIMITS };
const SCORE = { example: 60, minimum: 0, maximum: 100 };
const CHANNELS = ['EMAIL', 'PHONE', 'POST'];

@InputType('LeadContactInput', { description: 'Who asked, and how to answer them.' })
@ObjectType('LeadContact', { description: 'Who asked, and how to answer them: stored encrypted.' })
export class LeadContactShape {
  @ContractField(() => String, { description: 'Their name.', optional: true, ...LINE })
  name?: string;

  @ContractField(() => String, { description: 'Their e-mail address.', optional: true, ...LINE })
  email?: string;

  @ContractField(() => String, { description: 'Their telephone number.', optional: true, ...LINE })
  phone?: string;

  @ContractField(() => String, { description: 'Their postal address.', optional: true, ...TEXT })
  address?: string;

  @ContractField(() => String, { description: 'How they want to be answered.', optional: true, enum: CHANNELS })
  preferred_channel?: 'EMAIL' | 'PHONE' | 'POST';
}

@InputType({ description: 'What became of a lead.' })
@ObjectType('LeadConversion', { description: 'What a lead became.' })
export class LeadConversionInput {
  @ContractField(() => String, { description: 'Kind of record.', example: 'MATTER', enum: [...CONVERSION_KINDS] })
  kind!: ConversionKind;

  @ContractField(() => String, {
    description: 'Its identifier.',
    example: 'mat_01JQ0000000000000000000001',
    ...REFERENCE,
  })
  id!: string;
}

@InputType({ description: 'A lead to be made.' })
export class LeadInput {
  @ContractField(() => String, { description: 'What it is about.', example: 'APPEAL_HELP', enum: [...LEAD_TYPES] })
  lead_type!: LeadType;

  @ContractField(() => String, { description: 'Where it came from.', optional: true, ...SOURCE })
  source?: string;

  @ContractField(() => LeadContactShape, { description: 'Who asked; a tip may be anonymous.', optional: true })
  contact?: LeadContactShape;

  @ContractField(() => String, {
    description: 'What they want, in their words; stored encrypted.',
    optional: true,
    ...TEXT,
  })
  summary?: string;

  @ContractField(() => Boolean, {
    description: 'Whether they agreed to be contacted; false unless told.',
    optional: true,
  })
  consent_to_contact?: boolean;

  @ContractField(() => Int, { description: 'How promising it is.', optional: true, ...SCORE })
  score?: number;

  @ContractField(() => String, { description: 'Who works on it.', optional: true, ...REFERENCE })
  assigned_to?: string;

  @ContractField(() => String, { description: 'The lead that it repeats.', optional: true, ...REFERENCE })
  duplicate_of?: string;
}

@InputType({ description: 'Changes of a lead: absent stays, null takes away.' })
export class LeadPatch {
  @ContractField(() => String, { description: 'Where it came from.', optional: true, nullable: true, ...SOURCE })
  source?: string | null;

  @ContractField(() => LeadContactShape, { description: 'Who asked.', optional: true, nullable: true })
  contact?: LeadContactShape | null;

  @ContractField(() => String, { description: 'What they want.', optional: true, nullable: true, ...TEXT })
  summary?: string | null;

  @ContractField(() => Boolean, { description: 'Whether they agreed to be contacted.', optional: true })
  consent_to_contact?: boolean;

  @ContractField(() => Int, { description: 'How promising it is.', optional: true, nullable: true, ...SCORE })
  score?: number | null;

  @ContractField(() => String, { description: 'Who works on it.', optional: true, nullable: true, ...REFERENCE })
  assigned_to?: string | null;

  @ContractField(() => String, {
    description: 'The lead that it repeats.',
    optional: true,
    nullable: true,
    ...REFERENCE,
  })
  duplicate_of?: string | null;

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@InputType({ description: 'Why a lead is closed.' })
export class LeadClosing {
  @ContractField(() => String, { description: 'Why.', example: 'RESOLVED', enum: [...CLOSE_REASONS] })
  reason!: CloseReason;

  @ContractField(() => String, { description: 'The lead that it repeats.', optional: true, ...REFERENCE })
  duplicate_of?: string;
}

@ObjectType({ description: 'One step of a lead.' })
export class LeadStep {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'create' })
  action!: LeadAction;

  @ContractField(() => String, { description: 'Status before.', nullable: true, enum: [...LEAD_STATUSES] })
  from!: LeadStatus | null;

  @ContractField(() => String, { description: 'Status after.', example: 'NEW', enum: [...LEAD_STATUSES] })
  to!: LeadStatus;

  @ContractField(() => String, { description: 'When.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;
}

@ObjectType({ description: 'An enquiry or a tip that may become a matter, a member or a tenant.' })
export class Lead {
  @ContractField(() => String, { description: 'Identifier of the lead.', example: EXAMPLE_LEAD })
  lead_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'What it is about.', example: 'APPEAL_HELP', enum: [...LEAD_TYPES] })
  lead_type!: LeadType;

  @ContractField(() => String, { description: 'Where it stands.', example: 'NEW', enum: [...LEAD_STATUSES] })
  status!: LeadStatus;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['contact', 'close'] })
  allowed_actions!: string[];

  @ContractField(() => String, { description: 'Where it came from.', nullable: true })
  source!: string | null;

  @ContractField(() => LeadContactShape, { description: 'Who asked.', nullable: true })
  contact!: LeadContactShape | null;

  @ContractField(() => String, { description: 'What they want.', nullable: true })
  summary!: string | null;

  @ContractField(() => Boolean, { description: 'Whether they agreed to be contacted.', example: true })
  consent_to_contact!: boolean;

  @ContractField(() => Int, { description: 'How promising it is.', nullable: true })
  score!: number | null;

  @ContractField(() => String, { description: 'Who works on it.', nullable: true })
  assigned_to!: string | null;

  @ContractField(() => String, { description: 'The lead that it repeats.', nullable: true })
  duplicate_of!: string | null;

  @ContractField(() => LeadConversionInput, { description: 'What it became.', nullable: true })
  converted_to!: LeadConversionInput | null;

  @ContractField(() => String, { description: 'Why it was closed.', nullable: true, enum: [...CLOSE_REASONS] })
  close_reason!: CloseReason | null;

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it came.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that made it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;

  @ContractField(() => [LeadStep], { description: 'Its steps, oldest first.' })
  history!: LeadStep[];
}

export const LeadPage = pageType('LeadPage', () => Lead);

@ArgsType()
export class LeadFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only leads that stand here.', optional: true, enum: [...LEAD_STATUSES] })
  status?: LeadStatus;

  @ContractField(() => String, { description: 'Only leads about this.', optional: true, enum: [...LEAD_TYPES] })
  lead_type?: LeadType;

  @ContractField(() => String, { description: 'Only leads from there.', optional: true, maxLength: 200 })
  source?: string;

  @ContractField(() => String, { description: 'Only leads that they work on.', optional: true, maxLength: 256 })
  assigned_to?: string;

  @ContractField(() => String, { description: 'Made at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Made before this time.', optional: true, format: 'date-time' })
  to?: string;
}
