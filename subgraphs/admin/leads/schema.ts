import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { NAME_LIMITS } from '../lists/schema.js';
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
} from './domain.js';

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
class LeadContactShape {
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

/** The members that callers give to a lead; each is one field of the input, the patch and the answer. */
export abstract class LeadMembers {
  @Member(() => String, { description: 'Subject of the lead.', example: 'APPEAL_HELP', enum: [...LEAD_TYPES] })
  lead_type!: LeadType;

  @Member(() => String, { description: 'Channel or campaign the lead came from.', nullable: true, ...SOURCE })
  source!: string | null;

  @Member(() => LeadContactShape, { description: 'Contact details; null for an anonymous tip.', nullable: true })
  contact!: LeadContactShape | null;

  @Member(() => String, { description: 'Request in their own words; stored encrypted.', nullable: true, ...TEXT })
  summary!: string | null;

  @Member(() => Boolean, { description: 'True if they agreed to be contacted; false by default.', example: true })
  consent_to_contact!: boolean;

  @Member(() => Int, { description: 'Likelihood that the lead succeeds, in percent.', nullable: true, ...SCORE })
  score!: number | null;

  @Member(() => String, { description: 'User who works on the lead.', nullable: true, ...REFERENCE })
  assigned_to!: string | null;

  @Member(() => String, { description: 'Earlier lead that this one repeats.', nullable: true, ...REFERENCE })
  duplicate_of!: string | null;
}

@RecordInput({ description: 'A new lead.' })
export class LeadInput extends inputOf(LeadMembers, { consent_to_contact: false }) {}

@RecordInput({ description: 'Changes of a lead: null removes a value, an absent member stays.' })
export class LeadPatch extends patchOf(LeadMembers, 'lead_type') {
  @ContractField(() => Int, {
    description: 'Revision that the caller has read; CONFLICT if the lead has another one.',
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
class LeadStep {
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

@RecordType({ description: 'An enquiry or a tip that may become a matter, a member or a tenant.' })
export class Lead extends outputOf(LeadMembers, RecordMembers) {
  @ContractField(() => String, { description: 'Identifier of the lead.', example: EXAMPLE_LEAD })
  lead_id!: string;

  @ContractField(() => String, { description: 'Current status.', example: 'NEW', enum: [...LEAD_STATUSES] })
  status!: LeadStatus;

  @ContractField(() => LeadConversionInput, { description: 'Record that the lead became.', nullable: true })
  converted_to!: LeadConversionInput | null;

  @ContractField(() => String, { description: 'Reason for closing.', nullable: true, enum: [...CLOSE_REASONS] })
  close_reason!: CloseReason | null;

  @ContractField(() => [LeadStep], { description: 'Steps, oldest first.' })
  history!: LeadStep[];
}

/** Check of stored leads: `contact` and `summary` are in `sealed`. */
export const LEAD_ROW = rowCheckOf(Lead, { own: { sealed: 'bytes' }, omitted: ['contact', 'summary'] });

export const LeadPage = pageType('LeadPage', () => Lead);

@ArgsType()
export class LeadFilter extends WindowArgs {
  @ContractField(() => String, { description: 'Only leads that stand here.', optional: true, enum: [...LEAD_STATUSES] })
  status?: LeadStatus;

  @ContractField(() => String, { description: 'Only leads about this.', optional: true, enum: [...LEAD_TYPES] })
  lead_type?: LeadType;

  @ContractField(() => String, { description: 'Only leads from there.', optional: true, maxLength: 200 })
  source?: string;

  @ContractField(() => String, { description: 'Only leads that they work on.', optional: true, maxLength: 256 })
  assigned_to?: string;
}
