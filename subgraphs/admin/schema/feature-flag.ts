import { ArgsType, Float, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import { FLAG_KEY_PATTERN, FLAG_LIMITS, FLAG_TYPES, type FlagType, type SplitShare } from '../domain/feature-flag.js';
import { NAME_LIMITS } from './named-list-filter.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_KEY = 'new-timeline';
const TYPES = [...FLAG_TYPES];
const VARIANTS_SHAPE = { type: 'object', additionalProperties: {} };
const VARIANT_LIMITS = { pattern: FLAG_KEY_PATTERN };
const DESCRIPTION_LIMITS = { maxLength: 2_000 };

@InputType({ description: 'A share of the contexts that a rule holds for.' })
export class FlagShare implements SplitShare {
  @ContractField(() => String, { description: 'The variant they get.', example: 'on', ...VARIANT_LIMITS })
  variant!: string;

  @ContractField(() => Float, {
    description: 'Percent of them, two decimals; who gets it follows from flag key and targeting key alone.',
    example: 25,
    minimum: 0,
    maximum: 100,
  })
  percent!: number;
}

@InputType({ description: 'A targeting rule; the first that applies decides. It has either variant or split.' })
export class FlagTargetingRule {
  @ContractField(() => JsonScalar, {
    description:
      'Whom it holds for; everybody when absent. JsonLogic with == != < <= > >= in starts_with ends_with and or ! var, at most 8 deep.',
    example: { in: [{ var: 'jurisdiction' }, ['US-CA', 'US-NY']] },
    optional: true,
  })
  when?: JsonValue;

  @ContractField(() => String, {
    description: 'The variant it gives.',
    example: 'on',
    optional: true,
    ...VARIANT_LIMITS,
  })
  variant?: string;

  @ContractField(() => Float, {
    description: 'Only to this percentage of those it holds for; the rest goes on to the next rule.',
    example: 25,
    optional: true,
    minimum: 0,
    maximum: 100,
  })
  percent?: number;

  @ContractField(() => [FlagShare], {
    description: 'Shares that add up to 100 at most; the rest goes on to the next rule.',
    optional: true,
    minItems: 1,
    maxItems: FLAG_LIMITS.variants,
  })
  split?: FlagShare[];
}

@InputType({ description: 'A feature flag as it is to be.' })
export class FeatureFlagInput {
  @ContractField(() => String, { description: 'Type of its variants.', example: 'boolean', enum: TYPES })
  type!: FlagType;

  @ContractField(() => String, { description: 'What it is for.', optional: true, ...DESCRIPTION_LIMITS })
  description?: string;

  @ContractField(() => JsonScalar, {
    description: 'Values by name, all of the type.',
    example: { on: true, off: false },
    shape: VARIANTS_SHAPE,
  })
  variants!: JsonObject;

  @ContractField(() => String, {
    description: 'Name of the variant that is given when no rule applies.',
    example: 'off',
    ...VARIANT_LIMITS,
  })
  default_variant!: string;

  @ContractField(() => JsonScalar, {
    description: 'Rules, in order.',
    optional: true,
    shape: { ...listShape('FlagTargetingRule'), maxItems: FLAG_LIMITS.rules },
  })
  targeting?: FlagTargetingRule[];

  @ContractField(() => Boolean, { description: 'On unless told; off gives the default variant.', optional: true })
  enabled?: boolean;

  @ContractField(() => String, { description: 'Who answers for it.', optional: true, ...NAME_LIMITS })
  owner?: string;

  @ContractField(() => String, {
    description: 'From this time on it is as if it were off.',
    example: '2027-03-02T00:00:00.000Z',
    optional: true,
    format: 'date-time',
  })
  expires_at?: string;

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@ArgsType()
export class PutFeatureFlagArgs {
  @ContractField(() => String, {
    description: "The flag's key: the caller's own string.",
    example: EXAMPLE_KEY,
    pattern: FLAG_KEY_PATTERN,
  })
  key!: string;

  @ContractField(() => FeatureFlagInput, { description: 'The flag.' })
  input!: FeatureFlagInput;
}

@ObjectType({ description: 'One change of a flag.' })
export class FeatureFlagChange {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 2 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'feature-flag.updated' })
  action!: string;

  @ContractField(() => String, { description: 'When.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;

  @ContractField(() => [String], { description: 'Members that changed.', example: ['targeting'] })
  changed!: string[];
}

@ObjectType({ description: 'A feature flag.' })
export class FeatureFlag {
  @ContractField(() => String, { description: "The flag's key.", example: EXAMPLE_KEY })
  key!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Type of its variants.', example: 'boolean', enum: TYPES })
  type!: FlagType;

  @ContractField(() => String, { description: 'What it is for.', nullable: true })
  description!: string | null;

  @ContractField(() => JsonScalar, {
    description: 'Values by name.',
    example: { on: true, off: false },
    shape: VARIANTS_SHAPE,
  })
  variants!: JsonObject;

  @ContractField(() => String, { description: 'Given when no rule applies.', example: 'off' })
  default_variant!: string;

  @ContractField(() => JsonScalar, { description: 'Rules, in order.', shape: listShape('FlagTargetingRule') })
  targeting!: FlagTargetingRule[];

  @ContractField(() => Boolean, { description: 'Off gives the default variant.', example: true })
  enabled!: boolean;

  @ContractField(() => String, { description: 'Who answers for it.', nullable: true })
  owner!: string | null;

  @ContractField(() => String, { description: 'From then on as if off.', nullable: true, format: 'date-time' })
  expires_at!: string | null;

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was made.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'When it last changed.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;

  @ContractField(() => [FeatureFlagChange], { description: 'Its latest changes, oldest first.' })
  history!: FeatureFlagChange[];
}

export const FeatureFlagPage = pageType('FeatureFlagPage', () => FeatureFlag);

@ArgsType()
export class FeatureFlagFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only flags of this type.', optional: true, enum: TYPES })
  type?: FlagType;

  @ContractField(() => Boolean, { description: 'Only flags that are on, or off.', optional: true })
  enabled?: boolean;

  @ContractField(() => String, { description: 'Only flags of this owner.', optional: true, maxLength: 200 })
  owner?: string;

  @ContractField(() => String, { description: 'Made at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Made before this time.', optional: true, format: 'date-time' })
  to?: string;
}
