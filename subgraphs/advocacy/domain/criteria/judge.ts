import type { Rule } from '../../../../shared/json-logic/json-logic.js';
import { type Evidence, type Facts, MOST_EVIDENCE } from '../facts/fact-value.js';
import { compareFacts, type Truth } from './compare.js';

// A rule judged on a record that may be silent: Kleene's strong three-valued logic. `and` is false when any part is, `or`
// true when any part is, and what is unknown decides nothing. Two-valued evaluation would take silence for a no.

export interface Judgement {
  /** Null: unknown. */
  readonly met: Truth;
  /** What decided; of an unknown, what is known of it. */
  readonly evidence: readonly Evidence[];
  /** Names of the facts that are unknown, or not known well enough, where `met` is. */
  readonly unknown: readonly string[];
}

/** Bounded by the grammar: at most 200 parts, eight deep (RULE_LIMITS). */
export function judge(rule: Rule, facts: Facts): Judgement {
  switch (rule.kind) {
    case 'constant':
      return { met: rule.value, evidence: [], unknown: [] };
    case 'not': {
      const { met, evidence, unknown } = judge(rule.rule, facts);
      return { met: met === null ? null : !met, evidence, unknown };
    }
    case 'and':
      return together(rule.rules, facts, false);
    case 'or':
      return together(rule.rules, facts, true);
    case 'compare':
      return compareFacts(rule, facts);
  }
}

/** @param deciding the value of one part that decides the whole: false of `and`, true of `or`. */
function together(rules: readonly Rule[], facts: Facts, deciding: boolean): Judgement {
  const parts: Judgement[] = [];
  for (const rule of rules) {
    const part = judge(rule, facts);
    if (part.met === deciding) return part;
    parts.push(part);
  }
  const met = parts.some((part) => part.met === null) ? null : !deciding;
  return { met, ...merged(parts, met) };
}

/** Evidence and unknown facts of parts, each once. */
export function merged(parts: readonly Judgement[], met: Truth): Pick<Judgement, 'evidence' | 'unknown'> {
  const evidence = new Map<string, Evidence>();
  for (const one of parts.flatMap((part) => part.evidence)) {
    const key = `${one.event_id} ${one.field}`;
    if (!evidence.has(key) && evidence.size < MOST_EVIDENCE) evidence.set(key, one);
  }
  const unknown = met === null ? new Set(parts.flatMap((part) => (part.met === null ? part.unknown : []))) : [];
  return { evidence: [...evidence.values()], unknown: [...unknown] };
}
