import type { Rule } from '../../../../shared/json-logic/json-logic.js';
import { type Evidence, evidenceOf, type Facts, type FactValue, UNKNOWN } from '../facts/fact-value.js';
import type { Judgement } from './judge.js';

/** Null: unknown. */
export type Truth = boolean | null;

type Comparison = Extract<Rule, { readonly kind: 'compare' }>;
type Operand = Comparison['left'];
type Literals = readonly (string | number | boolean | null)[];

/** What an operand is: a fact, a list of literals, or nothing that can be compared. */
type Side = FactValue | { readonly kind: 'list'; readonly items: Literals };

/** One comparison on the record. Values of different types are never equal and never in order, as the grammar has it. */
export function compareFacts({ by, left, right }: Comparison, facts: Facts): Judgement {
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

/** `in`: a text among codes, a text within a text, a value among literals; codes of the record among literals: any of them. */
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

/** Certain when every value that the bounds allow is below every other; impossible when none is. */
function below(a: Side, b: Side): Truth {
  if (a.kind === 'number' && b.kind === 'number') {
    if (a.max < b.min) return true;
    return a.min >= b.max ? false : null;
  }
  return a.kind === 'text' && b.kind === 'text' && a.value < b.value;
}

/** `a >= b` is "not a < b" only of what can be compared at all. */
const negated = (truth: Truth, canCompare: boolean): Truth => (canCompare ? (truth === null ? null : !truth) : false);

function edge(a: Side, b: Side, fits: (text: string, part: string) => boolean): Truth {
  if (b.kind !== 'text') return false;
  if (a.kind === 'text') return fits(a.value, b.value);
  if (a.kind !== 'codes') return false;
  if ([...a.codes.keys()].some((code) => fits(code, b.value))) return true;
  return a.complete ? false : null;
}
