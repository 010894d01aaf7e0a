import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import { parseRule, RuleFault } from '../../../shared/json-logic/json-logic.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// What a flag is (OpenFeature's flag model): named variants of one type, rules that choose among them, and a default.

export const FLAG_TYPES = ['boolean', 'string', 'number', 'object'] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

/** Keys and variant names: what stands in paths and in evaluation answers. */
export const FLAG_KEY_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';
export const FLAG_LIMITS = { variants: 50, rules: 50, variantBytes: 16_384, definitionBytes: 65_536 } as const;

/** A share of the contexts, in percent with two decimals. */
export interface SplitShare {
  readonly variant: string;
  readonly percent: number;
}

/**
 * One targeting rule; the first that applies decides. `when` absent holds for everybody. It gives one variant, or with
 * `percent` to that share of those it holds for, or splits them; who falls into no share goes on to the next rule.
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
/** A deleted flag is archived: its key answers as if it had never been, and its history goes on when it is put again. */
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

export interface DefinitionFault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

type Judged = Pick<FlagDefinition, 'type' | 'variants' | 'default_variant' | 'targeting'>;

/** What the schema cannot say: types of variants, names that must exist, rules that must parse, shares that must fit. */
export function definitionFaults(flag: Judged): DefinitionFault[] {
  const names = new Set(Object.keys(flag.variants));
  const faults: DefinitionFault[] = [];
  if (names.size === 0) faults.push({ path: '/variants', code: 'length', message: 'Needs at least one variant.' });
  if (names.size > FLAG_LIMITS.variants) {
    faults.push({ path: '/variants', code: 'length', message: `Holds at most ${FLAG_LIMITS.variants} variants.` });
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
      message: `Variants and rules exceed ${FLAG_LIMITS.definitionBytes} bytes.`,
    });
  }
  return faults;
}

const VARIANT_NAME = new RegExp(FLAG_KEY_PATTERN);

function variantFaults(type: FlagType, name: string, value: JsonValue): DefinitionFault[] {
  // The name is the sender's and may be anything, so the fault tells the place of all variants.
  if (!VARIANT_NAME.test(name)) {
    return [{ path: '/variants', code: 'pattern', message: `Names must match ${FLAG_KEY_PATTERN}.` }];
  }
  const path = `/variants/${name}`;
  if (flagTypeOf(value) !== type) return [{ path, code: 'type', message: `Must be of type ${type}.` }];
  if (JSON.stringify(value).length > FLAG_LIMITS.variantBytes) {
    return [{ path, code: 'length', message: `Has at most ${FLAG_LIMITS.variantBytes} bytes.` }];
  }
  return [];
}

const unknownVariant = (path: string): DefinitionFault => ({
  path,
  code: 'unknown_variant',
  message: 'Is none of the variants.',
});

function ruleFaults(rule: TargetingRule, path: string, names: ReadonlySet<string>): DefinitionFault[] {
  const faults: DefinitionFault[] = [];
  if ((rule.variant === undefined) === (rule.split === undefined)) {
    faults.push({ path, code: 'required', message: 'Needs either variant or split.' });
  }
  if (rule.split !== undefined && rule.percent !== undefined) {
    faults.push({ path: `${path}/percent`, code: 'unknown_field', message: 'Belongs to variant, not to split.' });
  }
  if (rule.variant !== undefined && !names.has(rule.variant)) faults.push(unknownVariant(`${path}/variant`));
  rule.split?.forEach(({ variant }, index) => {
    if (!names.has(variant)) faults.push(unknownVariant(`${path}/split/${index}/variant`));
  });
  const total = (rule.split ?? []).reduce((sum, { percent }) => sum + Math.round(percent * 100), 0);
  if (total > 10_000)
    faults.push({ path: `${path}/split`, code: 'range', message: 'Adds up to more than 100 percent.' });
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
