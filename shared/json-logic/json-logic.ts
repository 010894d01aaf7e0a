import { isJsonObject, type JsonValue } from '../json/strict-json.js';

// A closed subset of JsonLogic (jsonlogic.com), read strictly: no coercion between types, no loops, no code. A rule is a
// boolean operator over values; a value is a scalar, a list of scalars, or {"var": "path.into.the.data"}.

/** Bounds of one rule: what fits evaluates in microseconds, whatever it says. */
const RULE_LIMITS = { depth: 8, nodes: 200, listItems: 500, textCharacters: 1_000 } as const;

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>=', 'in', 'starts_with', 'ends_with'] as const;
const CONNECTIVES = ['and', 'or'] as const;
const RULE_OPERATORS: readonly string[] = [...COMPARISONS, ...CONNECTIVES, '!', 'var'];

type Comparison = (typeof COMPARISONS)[number];

export type Rule =
  | { readonly kind: 'and' | 'or'; readonly rules: readonly Rule[] }
  | { readonly kind: 'not'; readonly rule: Rule }
  | { readonly kind: 'compare'; readonly by: Comparison; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'constant'; readonly value: boolean };

type Scalar = string | number | boolean | null;
type Operand =
  | { readonly kind: 'value'; readonly value: Scalar | Scalar[] }
  | { readonly kind: 'var'; readonly path: readonly string[] };

/** Where a rule breaks the grammar: `path` is a JSON Pointer into it. */
export class RuleFault extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Reads a rule. @throws RuleFault at the first place that is no rule of this grammar, or beyond its bounds. */
export function parseRule(json: JsonValue): Rule {
  return new Parser().rule(json, '', 1);
}

class Parser {
  #nodes = 0;

  rule(json: JsonValue, path: string, depth: number): Rule {
    this.#count(path, depth);
    if (typeof json === 'boolean') return { kind: 'constant', value: json };
    const [operator, given] = this.#operator(json, path);
    const at = `${path}/${operator}`;
    if (operator === '!') {
      const [only, ...more] = Array.isArray(given) ? given : [given];
      if (only === undefined || more.length > 0) throw new RuleFault(at, 'Takes one rule.');
      return { kind: 'not', rule: this.rule(only, Array.isArray(given) ? `${at}/0` : at, depth + 1) };
    }
    if (!Array.isArray(given)) throw new RuleFault(at, 'Takes a list.');
    if (isOneOf(CONNECTIVES, operator)) {
      if (given.length === 0) throw new RuleFault(at, 'Takes at least one rule.');
      return { kind: operator, rules: given.map((item, i) => this.rule(item, `${at}/${i}`, depth + 1)) };
    }
    if (!isOneOf(COMPARISONS, operator)) throw new RuleFault(at, `Must be one of ${RULE_OPERATORS.join(' ')}.`);
    const [left, right, ...more] = given;
    if (left === undefined || right === undefined || more.length > 0) throw new RuleFault(at, 'Takes two values.');
    return {
      kind: 'compare',
      by: operator,
      left: this.#operand(left, `${at}/0`, depth + 1),
      right: this.#operand(right, `${at}/1`, depth + 1),
    };
  }

  #operand(json: JsonValue, path: string, depth: number): Operand {
    this.#count(path, depth);
    if (isScalar(json)) return { kind: 'value', value: this.#scalar(json, path) };
    if (Array.isArray(json)) {
      if (json.length > RULE_LIMITS.listItems)
        throw new RuleFault(path, `Holds at most ${RULE_LIMITS.listItems} items.`);
      return { kind: 'value', value: json.map((item, i) => this.#listItem(item, `${path}/${i}`)) };
    }
    const [operator, given] = this.#operator(json, path);
    if (operator !== 'var') throw new RuleFault(path, 'Must be a value or a var.');
    if (typeof given !== 'string' || given === '' || given.length > RULE_LIMITS.textCharacters) {
      throw new RuleFault(`${path}/var`, 'Must be the name of a member, or a dotted path.');
    }
    return { kind: 'var', path: given.split('.') };
  }

  #operator(json: JsonValue, path: string): readonly [string, JsonValue] {
    const entries = isJsonObject(json) ? Object.entries(json) : [];
    const [entry] = entries;
    if (!entry || entries.length !== 1) throw new RuleFault(path, 'Must be an object with one operator.');
    return entry;
  }

  #listItem(json: JsonValue, path: string): Scalar {
    if (!isScalar(json)) throw new RuleFault(path, 'Must be a string, number, boolean or null.');
    return this.#scalar(json, path);
  }

  #scalar(value: Scalar, path: string): Scalar {
    if (typeof value === 'string' && value.length > RULE_LIMITS.textCharacters) {
      throw new RuleFault(path, `Has at most ${RULE_LIMITS.textCharacters} characters.`);
    }
    return value;
  }

  #count(path: string, depth: number): void {
    if (depth > RULE_LIMITS.depth) throw new RuleFault(path, `Is nested deeper than ${RULE_LIMITS.depth}.`);
    this.#nodes += 1;
    if (this.#nodes > RULE_LIMITS.nodes)
      throw new RuleFault(path, `The rule has more than ${RULE_LIMITS.nodes} parts.`);
  }
}

const isScalar = (json: JsonValue): json is Scalar => json === null || typeof json !== 'object';

const isOneOf = <T extends string>(list: readonly T[], text: string): text is T => list.some((item) => item === text);

/** Does the rule hold for this data? A member that is absent is null; values of different types are never in order. */
export function ruleHolds(rule: Rule, data: Readonly<Record<string, JsonValue>>): boolean {
  switch (rule.kind) {
    case 'constant':
      return rule.value;
    case 'not':
      return !ruleHolds(rule.rule, data);
    case 'and':
      return rule.rules.every((part) => ruleHolds(part, data));
    case 'or':
      return rule.rules.some((part) => ruleHolds(part, data));
    case 'compare':
      return compares(rule.by, operandValue(rule.left, data), operandValue(rule.right, data));
  }
}

function operandValue(operand: Operand, data: Readonly<Record<string, JsonValue>>): JsonValue {
  if (operand.kind === 'value') return operand.value;
  let value: JsonValue = { ...data };
  for (const name of operand.path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return null;
    value = value[name] ?? null;
  }
  return value;
}

function compares(by: Comparison, left: JsonValue, right: JsonValue): boolean {
  switch (by) {
    case '==':
      return left === right && isScalar(left);
    case '!=':
      return left !== right || !isScalar(left);
    case 'in':
      if (Array.isArray(right)) return isScalar(left) && right.includes(left);
      return typeof left === 'string' && typeof right === 'string' && right.includes(left);
    case 'starts_with':
      return typeof left === 'string' && typeof right === 'string' && left.startsWith(right);
    case 'ends_with':
      return typeof left === 'string' && typeof right === 'string' && left.endsWith(right);
    default:
      return inOrder(by, left, right);
  }
}

function inOrder(by: '<' | '<=' | '>' | '>=', left: JsonValue, right: JsonValue): boolean {
  const numbers = typeof left === 'number' && typeof right === 'number';
  const texts = typeof left === 'string' && typeof right === 'string';
  if (!numbers && !texts) return false;
  switch (by) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}
