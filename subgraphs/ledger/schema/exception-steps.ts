import { InputType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';

const WORDS = { minLength: 1, maxLength: 4_000 } as const;

@InputType({ description: 'Who is to work on an exception.' })
export class ExceptionAssignment {
  @ContractField(() => String, {
    description: 'Who works on it from now on.',
    example: 'act_01JQ0000000000000000000001',
    minLength: 1,
    maxLength: 256,
  })
  assignee!: string;
}

@InputType({ description: 'How an exception ended.' })
export class ExceptionResolution {
  @ContractField(() => String, {
    description: 'How it ended, in a word or a few.',
    example: 'CORRECTED_AT_SOURCE',
    minLength: 1,
    maxLength: 128,
  })
  resolution!: string;

  @ContractField(() => String, { description: 'What else there is to say.', optional: true, ...WORDS })
  note?: string;
}

@InputType({ description: 'Why an exception is bearable.' })
export class KnownGapInput {
  @ContractField(() => String, {
    description: 'Why.',
    example: 'The clearinghouse was down that night.',
    ...WORDS,
  })
  reason!: string;

  @ContractField(() => String, {
    description: 'It reopens then; without it, it stays.',
    optional: true,
    format: 'date-time',
    maxLength: 64,
  })
  until?: string;
}
