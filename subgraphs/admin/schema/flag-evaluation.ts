import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import { FLAG_ERROR_CODES, FLAG_REASONS, type FlagErrorCode, type FlagReason } from '../domain/evaluate-flag.js';
import { FLAG_TYPES, type FlagType } from '../domain/feature-flag.js';

@ArgsType()
export class EvaluateFlagsArgs {
  @ContractField(() => String, {
    description: 'One flag; all of the tenant when absent.',
    example: 'new-timeline',
    optional: true,
    minLength: 1,
    maxLength: 512,
  })
  key?: string;

  @ContractField(() => String, {
    description: 'Type that the value will be used as; another one is TYPE_MISMATCH.',
    example: 'boolean',
    optional: true,
    enum: [...FLAG_TYPES],
  })
  type?: FlagType;

  @ContractField(() => JsonScalar, {
    description: 'Whom to evaluate for: targeting_key (or targetingKey), and attributes that rules look at.',
    example: { targeting_key: 'user-17', jurisdiction: 'US-CA' },
    optional: true,
  })
  context?: JsonValue;
}

@ObjectType({ description: 'What a flag is for one context, in the words of OpenFeature.' })
export class FlagEvaluation {
  @ContractField(() => String, { description: 'The flag.', example: 'new-timeline' })
  key!: string;

  @ContractField(() => JsonScalar, { description: 'Its value; null when an error is told.', example: true })
  value!: JsonValue;

  @ContractField(() => String, { description: 'Name of the variant.', example: 'on', nullable: true })
  variant!: string | null;

  @ContractField(() => String, { description: 'How it came about.', example: 'SPLIT', enum: [...FLAG_REASONS] })
  reason!: FlagReason;

  @ContractField(() => String, { description: 'What went wrong.', nullable: true, enum: [...FLAG_ERROR_CODES] })
  error_code!: FlagErrorCode | null;

  @ContractField(() => String, { description: 'The same in a sentence.', nullable: true })
  error_message!: string | null;

  @ContractField(() => JsonScalar, {
    description: 'Revision and owner of the flag.',
    example: { revision: 3, owner: 'analytics' },
    shape: { type: 'object', additionalProperties: {} },
  })
  metadata!: JsonObject;
}

@ObjectType({ description: 'Evaluations of one context.' })
export class FlagEvaluations {
  @ContractField(() => JsonScalar, { description: 'One for each flag, by key.', shape: listShape('FlagEvaluation') })
  evaluations!: FlagEvaluation[];

  @ContractField(() => String, {
    description: 'What stopped all of them.',
    optional: true,
    enum: [...FLAG_ERROR_CODES],
  })
  error_code?: FlagErrorCode;

  @ContractField(() => String, { description: 'The same in a sentence.', optional: true })
  error_message?: string;
}
