import { ArgsType, InputType, Int } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { SEXES, type Sex } from '../domain/members/member.js';
import { MEMBER_ID, MEMBER_LISTS, MemberAddressInput, MemberIdentifierInput, MemberNameInput } from './member-parts.js';

const WORD = { minLength: 1, maxLength: 256 } as const;
const BIRTH_DATE = { example: '1970-01-31', pattern: '^\\d{4}(-\\d{2}(-\\d{2})?)?$' } as const;

/** What may be said of a person; inputs that say it are declared by `declarePerson`, since graph inputs inherit no limits. */
export class PersonFields {
  identifiers?: MemberIdentifierInput[];
  name?: MemberNameInput;
  former_families?: string[];
  birth_date?: string | null;
  multiple_birth?: boolean | null;
  sex?: Sex | null;
  addresses?: MemberAddressInput[];
  phones?: string[];
  emails?: string[];
}

function declarePerson(target: { readonly prototype: PersonFields }): void {
  const declare = (name: keyof PersonFields, field: PropertyDecorator): void => field(target.prototype, name);
  const listed = { optional: true } as const;
  const known = { optional: true, nullable: true } as const;
  declare(
    'identifiers',
    ContractField(() => [MemberIdentifierInput], {
      description: 'Identifiers by the systems that give them.',
      ...listed,
      ...MEMBER_LISTS.identifiers,
    }),
  );
  declare(
    'name',
    ContractField(() => MemberNameInput, { description: 'Name.', optional: true }),
  );
  declare(
    'former_families',
    ContractField(() => [String], {
      description: 'Family names borne before.',
      ...listed,
      ...MEMBER_LISTS.former_families,
    }),
  );
  declare(
    'birth_date',
    ContractField(() => String, {
      description: 'Date of birth: YYYY-MM-DD, or YYYY-MM or YYYY where no more is known.',
      ...known,
      ...BIRTH_DATE,
    }),
  );
  declare(
    'multiple_birth',
    ContractField(() => Boolean, { description: 'Whether born together with others.', ...known }),
  );
  declare(
    'sex',
    ContractField(() => String, {
      description: 'Administrative sex.',
      example: 'FEMALE',
      enum: [...SEXES],
      ...known,
    }),
  );
  declare(
    'addresses',
    ContractField(() => [MemberAddressInput], { description: 'Addresses.', ...listed, ...MEMBER_LISTS.addresses }),
  );
  declare(
    'phones',
    ContractField(() => [String], { description: 'Telephone numbers.', ...listed, ...MEMBER_LISTS.phones }),
  );
  declare(
    'emails',
    ContractField(() => [String], { description: 'E-mail addresses.', ...listed, ...MEMBER_LISTS.emails }),
  );
}

/** A record to be matched. */
@InputType({ description: 'What is known of a person.' })
export class PersonInput extends PersonFields {}
declarePerson(PersonInput);

@InputType({ description: 'A member for the directory.' })
export class MemberInput extends PersonFields {
  @ContractField(() => String, { description: 'The member: your own identifier.', ...MEMBER_ID })
  member_id!: string;

  @ContractField(() => String, { description: 'Programme of cover.', optional: true, nullable: true, ...WORD })
  program?: string | null;

  @ContractField(() => String, { description: 'Jurisdiction.', optional: true, nullable: true, ...WORD })
  jurisdiction?: string | null;
}

declarePerson(MemberInput);

@InputType({ description: 'What changes of a member: absent stays, what is given replaces, null takes away.' })
export class MemberPatch extends PersonFields {
  @ContractField(() => String, { description: 'Programme of cover.', optional: true, nullable: true, ...WORD })
  program?: string | null;

  @ContractField(() => String, { description: 'Jurisdiction.', optional: true, nullable: true, ...WORD })
  jurisdiction?: string | null;

  @ContractField(() => String, {
    description: 'INACTIVE: no longer a member; the record stays.',
    optional: true,
    enum: ['ACTIVE', 'INACTIVE'],
  })
  status?: 'ACTIVE' | 'INACTIVE';

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

declarePerson(MemberPatch);

@ArgsType()
export class MergeArgs {
  @ContractField(() => String, { description: 'The record that stands for the person.', ...MEMBER_ID })
  member_id!: string;

  @ContractField(() => String, {
    description: 'The record that is merged into it.',
    ...MEMBER_ID,
    example: 'M-2002',
  })
  source_member_id!: string;

  @ContractField(() => String, {
    description: 'Why.',
    example: 'Same card, same birth date.',
    optional: true,
    minLength: 1,
    maxLength: 1000,
  })
  reason?: string;
}
