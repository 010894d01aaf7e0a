import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { parseRule, RuleFault } from '../../../../shared/json-logic/json-logic.js';
import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// A flag in OpenFeature's model: named variants of one type, rules that choose among them, and a default.

export const FLAG_TYPES = ['boolean', 'string', 'number', 'object'] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

/** Pattern of keys and variant names, which occur in paths and answers. */
export const FLAG_KEY_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';
export const FLAG_LIMITS = { variants: 50, rules: 50, variantBytes: 16_384, definitionBytes: 65_536 } as const;

/** A share of the contexts, in percent with two decimals. */
export interface SplitShare {
  readonly variant: string;
  readonly percent: number;
}

/**
 * One targeting rule; the first matching rule decides. A rule without `when` matches every context. It returns one variant, or,
 * with `percent`, returns it to that share, or splits the contexts; contexts in no share continue with the next rule.
 */
export interface TargetingRule {
  readonly when?: JsonValue;
  readonly variant?: string;
  readonly percent?: number;
  readonly split?: readonly SplitShare[];
}

export interface FlagDefinition {
  readonly type: FlagType;
  readonly description: string | null;
  readonly variants: JsonObject;
  readonly default_variant: string;
  readonly targeting: readonly TargetingRule[];
  readonly enabled: boolean;
  readonly owner: string | null;
  readonly expires_at: Date | null;
}

export const FLAG_STATES = ['PRESENT', 'ARCHIVED'] as const;

const write = { scope: 'flags:write' } as const;
/** A deleted flag is archived: reads find nothing, and a later put continues its history. */
export const FEATURE_FLAG_MACHINE = stateMachine<(typeof FLAG_STATES)[number], 'put' | 'delete'>('feature-flag', [
  { from: null, action: 'put', to: 'PRESENT', ...write, emits: ['feature-flag.created'] },
  { from: 'PRESENT', action: 'put', to: 'PRESENT', ...write, emits: ['feature-flag.updated'] },
  { from: 'PRESENT', action: 'delete', to: 'ARCHIVED', ...write, emits: ['feature-flag.archived'] },
  { from: 'ARCHIVED', action: 'put', to: 'PRESENT', ...write, emits: ['feature-flag.restored'] },
]);

export const flagTypeOf = (value: JsonValue | undefined): FlagType | null => {
  const type = isJsonObject(value) ? 'object' : typeof value;
  return FLAG_TYPES.find((known) => known === type && !Array.isArray(value) && value !== null) ?? null;
};

interface DefinitionFault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

type CheckedMembers = Pick<FlagDefinition, 'type' | 'variants' | 'default_variant' | 'targeting'>;

/** Checks beyond the schema: types of variants, existing names, valid rules, and shares within 100 percent. */
export function definitionFaults(flag: CheckedMembers): DefinitionFault[] {
  const names = new Set(Object.keys(flag.variants));
  const faults: DefinitionFault[] = [];
  if (names.size === 0) faults.push({ path: '/variants', code: 'length', message: 'Must have at least one variant.' });
  if (names.size > FLAG_LIMITS.variants) {
    faults.push({ path: '/variants', code: 'length', message: `Must have at most ${FLAG_LIMITS.variants} variants.` });
  }
  for (const [name, value] of Object.entries(flag.variants)) faults.push(...variantFaults(flag.type, name, value));
  if (!names.has(flag.default_variant)) faults.push(unknownVariant('/default_variant'));
  flag.targeting.forEach((rule, index) => {
    faults.push(...ruleFaults(rule, `/targeting/${index}`, names));
  });
  if (JSON.stringify([flag.variants, flag.targeting]).length > FLAG_LIMITS.definitionBytes) {
    faults.push({
      path: '',
      code: 'length',
      message: `Variants and rules must have at most ${FLAG_LIMITS.definitionBytes} bytes.`,
    });
  }
  return faults;
}

const VARIANT_NAME = new RegExp(FLAG_KEY_PATTERN);

function variantFaults(type: FlagType, name: string, value: JsonValue): DefinitionFault[] {
  // The name may be any text of the sender, so the fault points to all variants.
  if (!VARIANT_NAME.test(name)) {
    return [{ path: '/variants', code: 'pattern', message: `Names must match ${FLAG_KEY_PATTERN}.` }];
  }
  const path = `/variants/${name}`;
  if (flagTypeOf(value) !== type) return [{ path, code: 'type', message: `Must be of type ${type}.` }];
  if (JSON.stringify(value).length > FLAG_LIMITS.variantBytes) {
    return [{ path, code: 'length', message: `Must have at most ${FLAG_LIMITS.variantBytes} bytes.` }];
  }
  return [];
}

const unknownVariant = (path: string): DefinitionFault => ({
  path,
  code: 'unknown_variant',
  message: 'Must name a variant.',
});

function ruleFaults(rule: TargetingRule, path: string, names: ReadonlySet<string>): DefinitionFault[] {
  const faults: DefinitionFault[] = [];
  if ((rule.variant === undefined) === (rule.split === undefined)) {
    faults.push({ path, code: 'required', message: 'Must have either variant or split.' });
  }
  if (rule.split !== undefined && rule.percent !== undefined) {
    faults.push({
      path: `${path}/percent`,
      code: 'unknown_field',
      message: 'Allowed only with variant, not with split.',
    });
  }
  if (rule.variant !== undefined && !names.has(rule.variant)) faults.push(unknownVariant(`${path}/variant`));
  rule.split?.forEach(({ variant }, index) => {
    if (!names.has(variant)) faults.push(unknownVariant(`${path}/split/${index}/variant`));
  });
  const total = (rule.split ?? []).reduce((sum, { percent }) => sum + Math.round(percent * 100), 0);
  if (total > 10_000)
    faults.push({ path: `${path}/split`, code: 'range', message: 'Must add up to at most 100 percent.' });
  if (rule.when !== undefined) faults.push(...whenFaults(rule.when, `${path}/when`));
  return faults;
}

function whenFaults(when: JsonValue, path: string): DefinitionFault[] {
  try {
    parseRule(when);
    return [];
  } catch (error) {
    if (!(error instanceof RuleFault)) throw error;
    return [{ path: `${path}${error.path}`, code: 'rule', message: error.message }];
  }
}
