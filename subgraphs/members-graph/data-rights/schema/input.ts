import { ArgsType, InputType, Int } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { PlaceArgs, WindowArgs } from '../../../../shared/graph/page.js';
import { ACTORS, CATEGORIES, PURPOSE } from '../../consent/schema.js';
import { MEMBER, NAME, PERSON_FILTER, REVISION, TEXT, TIME } from '../../records/schema.js';
import {
  DATA_RIGHT_STATUSES,
  DATA_RIGHTS,
  type DataRightStatus,
  RELATIONSHIPS,
  type Relationship,
  type DataRight as Right,
} from '../domain.js';

export const RIGHT = { example: 'ACCESS', enum: [...DATA_RIGHTS] };
export const RELATIONSHIP = { example: 'SELF', enum: [...RELATIONSHIPS] };
const WORDS = { minLength: 1, maxLength: 2_000 };
export const EVENT = { example: 'evt_01JQ0000000000000000000001', minLength: 1, maxLength: 64 };
const EVENTS = {
  example: ['evt_01JQ0000000000000000000001'],
  items: { minLength: 1, maxLength: 64 },
  minItems: 1,
  maxItems: 100,
};

@InputType({ description: 'The requester.' })
class RequesterInput {
  @ContractField(() => String, { description: 'Name.', optional: true, ...NAME })
  name?: string;

  @ContractField(() => String, { description: 'Relationship to the member.', ...RELATIONSHIP })
  relationship!: Relationship;
}

@InputType({ description: 'A request of a member about their data.' })
export class DataRightInput {
  @ContractField(() => String, { description: 'Member; 404 for an unknown member.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'Requested right.', ...RIGHT })
  right!: Right;

  @ContractField(() => RequesterInput, { description: 'Requester; default the member.', optional: true })
  requester?: RequesterInput;

  @ContractField(() => String, {
    description: 'Time of receipt; default now. The deadline counts from here.',
    optional: true,
    ...TIME,
  })
  received_at?: string;

  @ContractField(() => String, { description: 'Text of the request.', optional: true, ...TEXT })
  details?: string;
}

@InputType({ description: 'The verification of the requester.' })
export class DataRightVerification {
  @ContractField(() => String, { description: 'Method.', example: 'Photo identification, in person.', ...WORDS })
  how!: string;

  @ContractField(() => String, {
    description: "Verifier; default the key's actor or name.",
    optional: true,
    ...NAME,
  })
  verified_by?: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'Starts or continues the work; only a RESTRICTION has further members.' })
export class DataRightStart {
  @ContractField(() => String, { description: 'Purpose; default `*`, every purpose.', optional: true, ...PURPOSE })
  purpose?: string;

  @ContractField(() => [String], {
    description: 'Categories of records, as in consents.',
    optional: true,
    ...CATEGORIES,
  })
  categories?: string[];

  @ContractField(() => [String], { description: 'Actors, as in consents.', optional: true, ...ACTORS })
  actors?: string[];

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'An extension of the deadline.' })
export class DataRightExtension {
  @ContractField(() => String, { description: 'Reason for the extension.', ...WORDS })
  reason!: string;

  @ContractField(() => String, {
    description: 'New deadline: after due_at and at most 30 days after it, which is the default.',
    optional: true,
    ...TIME,
  })
  to?: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'Fulfils a request; only an AMENDMENT has events.' })
export class DataRightFulfilmentInput {
  @ContractField(() => [String], { description: 'Amended events.', optional: true, ...EVENTS })
  event_ids?: string[];

  @ContractField(() => [String], { description: 'Correcting events.', optional: true, ...EVENTS })
  correction_event_ids?: string[];

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'Denies a request.' })
export class DataRightDenial {
  @ContractField(() => String, { description: 'Ground of the denial.', ...WORDS })
  ground!: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: "A member's disagreement with a denied amendment." })
export class DataRightDisagreement {
  @ContractField(() => String, { description: 'Event with the statement of the member.', ...EVENT })
  statement_of_disagreement_event_id!: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@ArgsType()
export class DataRightFilter extends WindowArgs {
  @ContractField(() => String, PERSON_FILTER)
  member_id?: string;

  @ContractField(() => String, { description: 'Only this right.', optional: true, enum: [...DATA_RIGHTS] })
  right?: Right;

  @ContractField(() => String, { description: 'Only this status.', optional: true, enum: [...DATA_RIGHT_STATUSES] })
  status?: DataRightStatus;

  @ContractField(() => Boolean, {
    description: 'True: only open requests past their deadline; false: all others.',
    optional: true,
  })
  overdue?: boolean;
}

@ArgsType()
export class DisclosureArgs extends PlaceArgs {
  @ContractField(() => String, { description: 'Identifier of the accounting.', maxLength: 64 })
  data_right_id!: string;
}
