import { InputType, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';

// Parts of a member's record: what goes in and what comes out have the same members.

export const MEMBER_ID = { example: 'M-1001', minLength: 1, maxLength: 256 } as const;
const TEXT = { minLength: 1, maxLength: 256 } as const;
const MANY = { maxItems: 50 } as const;
const LINES = { maxItems: 10, items: TEXT } as const;

@InputType({ description: 'An identifier of a person, as one system gives it.' })
export class MemberIdentifierInput {
  @ContractField(() => String, { description: 'Who gives it: a URI, an OID or a name.', example: 'ssn', ...TEXT })
  system!: string;

  @ContractField(() => String, { description: 'The identifier.', example: '212-34-5566', ...TEXT })
  value!: string;
}

@ObjectType({ description: 'An identifier of a person, as one system gives it.' })
export class MemberIdentifier {
  @ContractField(() => String, { description: 'Who gives it.', example: 'ssn' })
  system!: string;

  @ContractField(() => String, { description: 'The identifier.', example: '212-34-5566' })
  value!: string;
}

@InputType({ description: "A person's name." })
export class MemberNameInput {
  @ContractField(() => String, { description: 'Family name.', example: 'Okafor', optional: true, ...TEXT })
  family?: string;

  @ContractField(() => [String], {
    description: 'Given names, the first one first.',
    example: ['Adaeze', 'Ruth'],
    optional: true,
    maxItems: 10,
    items: TEXT,
  })
  given?: string[];

  @ContractField(() => String, { description: 'Jr, Sr, III …', optional: true, minLength: 1, maxLength: 32 })
  suffix?: string;
}

@ObjectType({ description: "A person's name." })
export class MemberName {
  @ContractField(() => String, { description: 'Family name.', example: 'Okafor', nullable: true })
  family!: string | null;

  @ContractField(() => [String], { description: 'Given names, the first one first.', example: ['Adaeze', 'Ruth'] })
  given!: string[];

  @ContractField(() => String, { description: 'Jr, Sr, III …', optional: true })
  suffix?: string;
}

@InputType({ description: 'An address.' })
export class MemberAddressInput {
  @ContractField(() => [String], {
    description: 'House number and street, and further lines.',
    example: ['12 Elm Street'],
    optional: true,
    ...LINES,
  })
  lines?: string[];

  @ContractField(() => String, { description: 'City.', example: 'Springfield', optional: true, ...TEXT })
  city?: string;

  @ContractField(() => String, { description: 'State or province.', example: 'IL', optional: true, ...TEXT })
  state?: string;

  @ContractField(() => String, { description: 'Postal code.', example: '62704', optional: true, ...TEXT })
  postal_code?: string;

  @ContractField(() => String, { description: 'Country.', example: 'US', optional: true, ...TEXT })
  country?: string;
}

@ObjectType({ description: 'An address.' })
export class MemberAddress {
  @ContractField(() => [String], { description: 'House number and street, and further lines.' })
  lines!: string[];

  @ContractField(() => String, { description: 'City.', example: 'Springfield', optional: true })
  city?: string;

  @ContractField(() => String, { description: 'State or province.', example: 'IL', optional: true })
  state?: string;

  @ContractField(() => String, { description: 'Postal code.', example: '62704', optional: true })
  postal_code?: string;

  @ContractField(() => String, { description: 'Country.', example: 'US', optional: true })
  country?: string;
}

/** Limits of lists that records and inputs share. */
export const MEMBER_LISTS = {
  identifiers: MANY,
  addresses: { maxItems: 20 },
  phones: { maxItems: 20, items: { minLength: 1, maxLength: 64 } },
  emails: { maxItems: 20, items: { minLength: 3, maxLength: 254 } },
  former_families: { maxItems: 10, items: TEXT },
} as const;
