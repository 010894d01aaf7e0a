import { sha256 } from '../../../../shared/crypto/hash.js';
import type { JsonObject, JsonValue } from '../../../../shared/json/strict-json.js';
import { parseRule, RuleFault, ruleHolds } from '../../../../shared/json-logic/json-logic.js';
import { type FlagDefinition, type FlagType, flagTypeOf, type SplitShare, type TargetingRule } from './feature-flag.js';

// OpenFeature's evaluation (open-feature/spec, types: resolution details), as a function of flag, context and time.

export const FLAG_REASONS = ['STATIC', 'DEFAULT', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'ERROR'] as const;
export type FlagReason = (typeof FLAG_REASONS)[number];

export const FLAG_ERROR_CODES = [
  'FLAG_NOT_FOUND',
  'TYPE_MISMATCH',
  'TARGETING_KEY_MISSING',
  'PARSE_ERROR',
  'INVALID_CONTEXT',
  'GENERAL',
] as const;
export type FlagErrorCode = (typeof FLAG_ERROR_CODES)[number];

/** The context of an evaluation: a stable key for shares, and attributes for rules. */
interface EvaluationContext {
  readonly targetingKey: string | null;
  readonly attributes: JsonObject;
}

export interface FlagEvaluation {
  readonly key: string;
  /** Null after an error. */
  readonly value: JsonValue;
  readonly variant: string | null;
  readonly reason: FlagReason;
  readonly error_code: FlagErrorCode | null;
  readonly error_message: string | null;
  readonly metadata: JsonObject;
}

type EvaluableFlag = FlagDefinition & { readonly key: string; readonly revision: number };

export interface EvaluationRequest {
  readonly context: EvaluationContext;
  /** Type that the caller expects, if given. */
  readonly type?: FlagType | undefined;
  readonly nowMs: number;
}

/** Builds a failed evaluation: no value, and the error code of OpenFeature. */
export const failedEvaluation = (
  key: string,
  code: FlagErrorCode,
  message: string,
  metadata: JsonObject = {},
): FlagEvaluation => ({
  key,
  value: null,
  variant: null,
  reason: 'ERROR',
  error_code: code,
  error_message: message,
  metadata,
});

export const flagNotFound = (key: string): FlagEvaluation =>
  failedEvaluation(key, 'FLAG_NOT_FOUND', 'There is no such flag.');

/**
 * Evaluates a flag; never throws. A disabled or expired flag returns its default variant with the reason DISABLED. Otherwise the
 * first matching rule decides. STATIC: a flag without rules. DEFAULT: no rule matches.
 */
export function evaluateFlag(flag: EvaluableFlag, { context, type, nowMs }: EvaluationRequest): FlagEvaluation {
  const metadata: JsonObject = { revision: flag.revision, ...(flag.owner === null ? {} : { owner: flag.owner }) };
  if (type !== undefined && type !== flag.type) {
    return failedEvaluation(flag.key, 'TYPE_MISMATCH', `The flag is of type ${flag.type}.`, metadata);
  }
  try {
    const expired = flag.expires_at !== null && flag.expires_at.getTime() <= nowMs;
    const { variant, reason } =
      !flag.enabled || expired
        ? ({ variant: flag.default_variant, reason: 'DISABLED' } as const)
        : chosenVariant(flag, context);
    const value = Object.hasOwn(flag.variants, variant) ? flag.variants[variant] : undefined;
    if (value === undefined || flagTypeOf(value) !== flag.type) {
      return failedEvaluation(flag.key, 'GENERAL', 'The flag names a variant that it does not have.', metadata);
    }
    const told = expired ? { ...metadata, expired: true } : metadata;
    return { key: flag.key, value, variant, reason, error_code: null, error_message: null, metadata: told };
  } catch (error) {
    if (error instanceof KeyNeeded) {
      return failedEvaluation(flag.key, 'TARGETING_KEY_MISSING', 'The flag is shared out by targeting key.', metadata);
    }
    if (error instanceof RuleFault) {
      return failedEvaluation(flag.key, 'PARSE_ERROR', 'A targeting rule of the flag cannot be read.', metadata);
    }
    throw error;
  }
}

class KeyNeeded extends Error {}

function chosenVariant(
  flag: EvaluableFlag,
  context: EvaluationContext,
): { readonly variant: string; readonly reason: FlagReason } {
  if (flag.targeting.length === 0) return { variant: flag.default_variant, reason: 'STATIC' };
  const data: JsonObject = {
    ...context.attributes,
    ...(context.targetingKey === null
      ? {}
      : { targetingKey: context.targetingKey, targeting_key: context.targetingKey }),
  };
  for (const rule of flag.targeting) {
    if (rule.when !== undefined && !ruleHolds(parseRule(rule.when), data)) continue;
    const shares = sharesOf(rule);
    if (shares === null) return { variant: rule.variant ?? flag.default_variant, reason: 'TARGETING_MATCH' };
    if (context.targetingKey === null) throw new KeyNeeded();
    const variant = shareFor(shares, bucketOf(flag.key, context.targetingKey));
    if (variant !== null) return { variant, reason: 'SPLIT' };
  }
  return { variant: flag.default_variant, reason: 'DEFAULT' };
}

/** Returns null for a rule with one variant for all. */
function sharesOf({ variant, percent, split }: TargetingRule): readonly SplitShare[] | null {
  if (split !== undefined) return split;
  return percent === undefined || variant === undefined ? null : [{ variant, percent }];
}

const BUCKETS = 10_000;

/** Returns the bucket of a targeting key, 0 to 9,999: permanent, and independent for each flag. */
export const bucketOf = (flagKey: string, targetingKey: string): number =>
  sha256(`${flagKey}\0${targetingKey}`).readUInt32BE(0) % BUCKETS;

/** Shares are consecutive, so that a larger last share keeps every assigned variant. */
function shareFor(shares: readonly SplitShare[], bucket: number): string | null {
  let upTo = 0;
  for (const { variant, percent } of shares) {
    upTo += Math.round(percent * 100);
    if (bucket < upTo) return variant;
  }
  return null;
}

/** Limits of a context. */
const CONTEXT_LIMITS = { bytes: 65_536, targetingKeyCharacters: 1_024 } as const;

/** Reads a context with `targetingKey`, as OpenFeature writes it, or `targeting_key`. @returns null if it is invalid. */
export function readContext(json: JsonValue | undefined): EvaluationContext | null {
  if (json === undefined || json === null) return { targetingKey: null, attributes: {} };
  if (typeof json !== 'object' || Array.isArray(json)) return null;
  const { targetingKey: camel, targeting_key: snake, ...attributes } = json;
  if (camel !== undefined && snake !== undefined && camel !== snake) return null;
  const key = camel ?? snake ?? null;
  if (key !== null && (typeof key !== 'string' || key.length > CONTEXT_LIMITS.targetingKeyCharacters)) return null;
  if (JSON.stringify(attributes).length > CONTEXT_LIMITS.bytes) return null;
  return { targetingKey: key === '' ? null : key, attributes };
}
