import type { Rule } from '../../../../shared/json-logic/json-logic.js';
import {
  type Evidence,
  evidenceOf,
  type Facts,
  type FactValue,
  MAX_EVIDENCE,
  UNKNOWN,
} from '../../facts/domain/index.js';

// Evaluates a rule on an incomplete record by Kleene's strong three-valued logic: `and` is false if any part is false, `or`
// is true if any part is true, and an unknown part decides nothing. Two-valued logic would read silence as a no.

interface Evaluation {
  /** Null: unknown. */
  readonly met: Truth;
  /** Evidence that decided; for an unknown result, the evidence so far. */
  readonly evidence: readonly Evidence[];
  /** Names of the facts that leave `met` unknown. */
  readonly unknown: readonly string[];
}

/** Evaluates a rule. The grammar bounds it to 200 parts, eight deep (RULE_LIMITS). */
export function evaluate(rule: Rule, facts: Facts): Evaluation {
  switch (rule.kind) {
    case 'constant':
      return { met: rule.value, evidence: [], unknown: [] };
    case 'not': {
      const { met, evidence, unknown } = evaluate(rule.rule, facts);
      return { met: met === null ? null : !met, evidence, unknown };
    }
    case 'and':
      return combined(rule.rules, facts, false);
    case 'or':
      return combined(rule.rules, facts, true);
    case 'compare':
      return compareFacts(rule, facts);
  }
}

/** @param deciding the value of one part that decides the whole: false for `and`, true for `or`. */
function combined(rules: readonly Rule[], facts: Facts, deciding: boolean): Evaluation {
  const parts: Evaluation[] = [];
  for (const rule of rules) {
    const part = evaluate(rule, facts);
    if (part.met === deciding) return part;
    parts.push(part);
  }
  const met = parts.some((part) => part.met === null) ? null : !deciding;
  return { met, ...merged(parts, met) };
}

/** Merges the evidence and the unknown facts of the parts, without duplicates. */
function merged(parts: readonly Evaluation[], met: Truth): Pick<Evaluation, 'evidence' | 'unknown'> {
  const evidence = new Map<string, Evidence>();
  for (const one of parts.flatMap((part) => part.evidence)) {
    const key = `${one.event_id} ${one.field}`;
    if (!evidence.has(key) && evidence.size < MAX_EVIDENCE) evidence.set(key, one);
  }
  const unknown = met === null ? new Set(parts.flatMap((part) => (part.met === null ? part.unknown : []))) : [];
  return { evidence: [...evidence.values()], unknown: [...unknown] };
}

/** Null: unknown. */
export type Truth = boolean | null;

type Comparison = Extract<Rule, { readonly kind: 'compare' }>;
type Operand = Comparison['left'];
type Literals = readonly (string | number | boolean | null)[];

/** An operand: a fact or a list of literals. */
type Side = FactValue | { readonly kind: 'list'; readonly items: Literals };

/** Evaluates one comparison on the record. By the grammar, values of different types are neither equal nor ordered. */
function compareFacts({ by, left, right }: Comparison, facts: Facts): Evaluation {
  const [a, b] = [sideOf(left, facts), sideOf(right, facts)];
  const found = by === 'in' ? contained(a, b) : { met: ordered(by, a, b) };
  const evidence = 'evidence' in found ? found.evidence : [...shown(a), ...shown(b)];
  return { met: found.met, evidence, unknown: found.met === null ? [left, right].flatMap(nameOf) : [] };
}

const shown = (side: Side): readonly Evidence[] => (side.kind === 'list' ? [] : evidenceOf(side));

const nameOf = (operand: Operand): string[] => (operand.kind === 'var' ? [operand.path.join('.')] : []);

function sideOf(operand: Operand, facts: Facts): Side {
  if (operand.kind === 'var') return facts.get(operand.path.join('.'));
  const { value } = operand;
  if (typeof value === 'number') return { kind: 'number', min: value, max: value, evidence: [] };
  if (typeof value === 'string') return { kind: 'text', value, open: false, evidence: [] };
  if (typeof value === 'boolean') return { kind: 'boolean', value, evidence: [] };
  return value === null ? UNKNOWN : { kind: 'list', items: value };
}

/** Evaluates `in`: a text among codes, a text in a text, a value among literals, or any code of the record among literals. */
function contained(a: Side, b: Side): { readonly met: Truth; readonly evidence?: readonly Evidence[] } {
  if (a.kind === 'unknown' || b.kind === 'unknown') return { met: null };
  if (b.kind === 'codes') {
    if (a.kind !== 'text') return { met: false };
    const found = b.codes.get(a.value);
    return found ? { met: true, evidence: [found] } : { met: b.complete ? false : null };
  }
  if (b.kind === 'list') {
    if (a.kind !== 'codes') return { met: among(a, b.items) };
    const found = b.items.flatMap((item) => (typeof item === 'string' ? (a.codes.get(item) ?? []) : []));
    return found.length > 0 ? { met: true, evidence: found } : { met: a.complete ? false : null };
  }
  if (b.kind !== 'text' || a.kind !== 'text') return { met: false };
  if (b.value.includes(a.value)) return { met: true };
  return { met: b.open ? null : false };
}

function among(value: Side, items: Literals): Truth {
  if (value.kind === 'number') {
    if (value.min === value.max) return items.includes(value.min);
    const possible = items.some((item) => typeof item === 'number' && item >= value.min && item <= value.max);
    return possible ? null : false;
  }
  return value.kind === 'text' || value.kind === 'boolean' ? items.includes(value.value) : false;
}

function ordered(by: Exclude<Comparison['by'], 'in'>, a: Side, b: Side): Truth {
  if (a.kind === 'unknown' || b.kind === 'unknown') return null;
  switch (by) {
    case '==':
      return equal(a, b);
    case '!=': {
      const same = equal(a, b);
      return same === null ? null : !same;
    }
    case '<':
      return below(a, b);
    case '>':
      return below(b, a);
    case '<=':
      return negated(below(b, a), comparable(a, b));
    case '>=':
      return negated(below(a, b), comparable(a, b));
    case 'starts_with':
      return edge(a, b, (text, part) => text.startsWith(part));
    case 'ends_with':
      return edge(a, b, (text, part) => text.endsWith(part));
  }
}

function equal(a: Side, b: Side): Truth {
  if (a.kind === 'number' && b.kind === 'number') {
    if (a.max < b.min || b.max < a.min) return false;
    return a.min === a.max && b.min === b.max ? true : null;
  }
  if (a.kind === 'text' && b.kind === 'text') return a.value === b.value;
  return a.kind === 'boolean' && b.kind === 'boolean' && a.value === b.value;
}

const comparable = (a: Side, b: Side): boolean => a.kind === b.kind && (a.kind === 'number' || a.kind === 'text');

/** True if every value within the bounds of `a` is below every value of `b`; false if none is; else unknown. */
function below(a: Side, b: Side): Truth {
  if (a.kind === 'number' && b.kind === 'number') {
    if (a.max < b.min) return true;
    return a.min >= b.max ? false : null;
  }
  return a.kind === 'text' && b.kind === 'text' && a.value < b.value;
}

/** `a >= b` equals `not a < b` only for comparable values. */
const negated = (truth: Truth, canCompare: boolean): Truth => (canCompare ? (truth === null ? null : !truth) : false);

function edge(a: Side, b: Side, fits: (text: string, part: string) => boolean): Truth {
  if (b.kind !== 'text') return false;
  if (a.kind === 'text') return fits(a.value, b.value);
  if (a.kind !== 'codes') return false;
  if ([...a.codes.keys()].some((code) => fits(code, b.value))) return true;
  return a.complete ? false : null;
}
