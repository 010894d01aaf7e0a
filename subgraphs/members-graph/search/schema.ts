import { ArgsType, Float, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { MATCH_FIELDS, MATCH_GRADES, type MatchField, type MatchGrade } from '../matching/domain/index.js';
import { Member, PersonInput } from '../members/schema.js';

const MAX_FOUND = 500;
const TEXT = { minLength: 1, maxLength: 256 } as const;
const LIMIT = {
  description: 'Maximum number of members; default 20.',
  example: 20,
  optional: true,
  minimum: 1,
  maximum: MAX_FOUND,
} as const;

@ArgsType()
export class MemberSearchArgs {
  @ContractField(() => String, {
    description: 'Search text: names in any order, a date, an identifier, a telephone number.',
    example: 'okafor adaeze 1970-01-31',
    optional: true,
    ...TEXT,
  })
  q?: string;

  @ContractField(() => String, { description: 'Family name.', example: 'Okafor', optional: true, ...TEXT })
  family?: string;

  @ContractField(() => String, { description: 'Given names.', example: 'Adaeze', optional: true, ...TEXT })
  given?: string;

  @ContractField(() => String, {
    description: 'Date of birth: YYYY-MM-DD, YYYY-MM or YYYY.',
    example: '1970-01-31',
    optional: true,
    pattern: '^\\d{4}(-\\d{2}(-\\d{2})?)?$',
  })
  birth_date?: string;

  @ContractField(() => String, { description: 'An identifier of any system.', optional: true, ...TEXT })
  identifier?: string;

  @ContractField(() => String, { description: 'Telephone number.', optional: true, ...TEXT })
  phone?: string;

  @ContractField(() => String, { description: 'E-mail address.', optional: true, ...TEXT })
  email?: string;

  @ContractField(() => String, { description: 'Postal code.', example: '62704', optional: true, ...TEXT })
  postal_code?: string;

  @ContractField(() => Int, LIMIT)
  limit?: number;
}

@ArgsType()
export class MemberMatchArgs {
  @ContractField(() => PersonInput, { description: 'The record to match.' })
  record!: PersonInput;

  @ContractField(() => Int, LIMIT)
  limit?: number;
}

@ObjectType({ description: 'The weight of one field in a score.' })
class MatchContribution {
  @ContractField(() => String, { description: 'The field.', example: 'birth_date', enum: [...MATCH_FIELDS] })
  field!: MatchField;

  @ContractField(() => String, { description: 'Level of agreement.', example: 'EXACT' })
  level!: string;

  @ContractField(() => Float, {
    description: 'Weight in bits: log2 of how much likelier this level is for one person than for two.',
    example: 13.05,
  })
  weight!: number;
}

@ObjectType({ description: 'A member that matches a search or a record.' })
class MemberMatch {
  @ContractField(() => Member, { description: 'The member; for a merged record, its survivor.' })
  member!: Member;

  @ContractField(() => String, {
    description: "The record that matched: the member's own, or one merged into it.",
    example: 'M-1001',
  })
  matched_member_id!: string;

  @ContractField(() => Float, { description: 'Sum of the contributions, in bits.', example: 31.4 })
  score!: number;

  @ContractField(() => String, {
    description:
      'EXACT: names and one more identifying field agree fully. PROBABLE, POSSIBLE: by the thresholds of the deployment.',
    example: 'PROBABLE',
    enum: [...MATCH_GRADES],
  })
  match!: MatchGrade;

  @ContractField(() => String, {
    description: 'Reason for POSSIBLE where the score alone would allow a better grade.',
    example: 'ANOTHER_OF_THE_FAMILY',
    optional: true,
  })
  caution?: string;

  @ContractField(() => [MatchContribution], { description: 'Weights of the fields.' })
  contributions!: MatchContribution[];
}

@ObjectType({ description: 'Matching members, the likeliest first.' })
export class MemberMatches {
  @ContractField(() => [MemberMatch], { description: 'The members.' })
  items!: MemberMatch[];
}
