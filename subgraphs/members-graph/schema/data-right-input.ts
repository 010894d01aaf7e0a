import { ArgsType, InputType, Int } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, PlaceArgs } from '../../../shared/graph/page.js';
import {
  DATA_RIGHT_STATUSES,
  DATA_RIGHTS,
  type DataRightStatus,
  RELATIONSHIPS,
  type Relationship,
  type DataRight as Right,
} from '../domain/data-rights/data-right.js';
import { MEMBER, NAME, REVISION, TEXT, TIME } from './appointment-input.js';
import { ACTORS, CATEGORIES, PURPOSE } from './consent.js';

export const RIGHT = { example: 'ACCESS', enum: [...DATA_RIGHTS] };
export const RELATIONSHIP = { example: 'SELF', enum: [...RELATIONSHIPS] };
export const WORDS = { minLength: 1, maxLength: 2_000 };
export const EVENT = { example: 'evt_01JQ0000000000000000000001', minLength: 1, maxLength: 64 };
export const EVENTS = {
  example: ['evt_01JQ0000000000000000000001'],
  items: { minLength: 1, maxLength: 64 },
  minItems: 1,
  maxItems: 100,
};

@InputType({ description: 'Who asks.' })
export class RequesterInput {
  @ContractField(() => String, { description: 'How they are called.', optional: true, ...NAME })
  name?: string;

  @ContractField(() => String, { description: 'What they are to the member.', ...RELATIONSHIP })
  relationship!: Relationship;
}

@InputType({ description: 'What a member asks about their data.' })
export class DataRightInput {
  @ContractField(() => String, { description: 'Whose data; somebody of whom nothing is known is a 404.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'What is asked for.', ...RIGHT })
  right!: Right;

  @ContractField(() => RequesterInput, { description: 'Who asks; the member unless told.', optional: true })
  requester?: RequesterInput;

  @ContractField(() => String, {
    description: 'When it was received; now unless told. The time to answer runs from here.',
    optional: true,
    ...TIME,
  })
  received_at?: string;

  @ContractField(() => String, { description: 'What they said.', optional: true, ...TEXT })
  details?: string;
}

@InputType({ description: 'How it was made sure who asks.' })
export class DataRightVerification {
  @ContractField(() => String, { description: 'By what.', example: 'Photo identification, in person.', ...WORDS })
  how!: string;

  @ContractField(() => String, {
    description: "By whom; the key's actor or name unless told.",
    optional: true,
    ...NAME,
  })
  verified_by?: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'Begins the work, or goes on with it; what is restricted is told for a RESTRICTION alone.' })
export class DataRightStart {
  @ContractField(() => String, { description: 'For what; `*`, everything, unless told.', optional: true, ...PURPOSE })
  purpose?: string;

  @ContractField(() => [String], {
    description: 'Which records, as consents name them.',
    optional: true,
    ...CATEGORIES,
  })
  categories?: string[];

  @ContractField(() => [String], { description: 'To whom, as consents name them.', optional: true, ...ACTORS })
  actors?: string[];

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'More time, once.' })
export class DataRightExtension {
  @ContractField(() => String, { description: 'Why it takes longer.', ...WORDS })
  reason!: string;

  @ContractField(() => String, {
    description: 'Until when: after due_at, and at most 30 days after it; the last of them unless told.',
    optional: true,
    ...TIME,
  })
  to?: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'Ends a request with what was asked for; the events are told for an AMENDMENT alone.' })
export class DataRightFulfilmentInput {
  @ContractField(() => [String], { description: 'What is amended.', optional: true, ...EVENTS })
  event_ids?: string[];

  @ContractField(() => [String], { description: 'What corrects it.', optional: true, ...EVENTS })
  correction_event_ids?: string[];

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'Ends a request without what was asked for.' })
export class DataRightDenial {
  @ContractField(() => String, { description: 'Why, and on what ground.', ...WORDS })
  ground!: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'What the member says to a denied amendment.' })
export class DataRightDisagreement {
  @ContractField(() => String, { description: 'The event that holds their statement.', ...EVENT })
  statement_of_disagreement_event_id!: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@ArgsType()
export class DataRightFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only of this person, under whatever identifier.',
    optional: true,
    maxLength: 256,
  })
  member_id?: string;

  @ContractField(() => String, { description: 'Only these.', optional: true, enum: [...DATA_RIGHTS] })
  right?: Right;

  @ContractField(() => String, { description: 'Only these.', optional: true, enum: [...DATA_RIGHT_STATUSES] })
  status?: DataRightStatus;

  @ContractField(() => Boolean, {
    description: 'Only those that are open past their day, or the others.',
    optional: true,
  })
  overdue?: boolean;

  @ContractField(() => String, { description: 'Noted at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Noted before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@ArgsType()
export class DisclosureArgs extends PlaceArgs {
  @ContractField(() => String, { description: 'The accounting.', maxLength: 64 })
  data_right_id!: string;
}
