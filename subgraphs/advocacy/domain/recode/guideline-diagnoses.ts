import type { JsonValue } from '../../../../shared/json/strict-json.js';
import { type Rule, RuleFault } from '../../../../shared/json-logic/json-logic.js';
import { readCriteria } from '../criteria/read-criteria.js';
import type { Findings, RecodeCase, Suggestion } from './suggestion.js';

const DIAGNOSIS_FACTS = new Set(['diagnoses.codes', 'diagnoses.stems', 'event.diagnosis_stems']);

/** Suggestions of one guideline at most: a family may hold many codes of a long record. */
const MOST_OF_ONE = 5;

interface AskingRule {
  readonly rule_id: string;
  readonly key: string;
  readonly title: string;
  readonly criteria: JsonValue;
}

/** A diagnosis that a guideline of the service asks for, that is on the record and not on the claim. */
export function guidelineDiagnoses(asked: RecodeCase, rules: readonly AskingRule[]): Findings {
  const stated = new Set(asked.diagnoses);
  const suggestions: Suggestion[] = [];
  for (const rule of rules) {
    const wanted = wantedStems(rule);
    const missing = [...asked.onRecord].filter(
      ([code]) => !stated.has(code) && wanted.some((stem) => code.startsWith(stem)),
    );
    for (const [code, found] of missing.slice(0, MOST_OF_ONE)) {
      suggestions.push({
        from: null,
        to: code,
        reason: `${rule.title} (${rule.key}) asks for it; the record has it, and the claim does not state it.`,
        rule_id: rule.rule_id,
        confidence: 0.6,
        supported_by: [found],
      });
    }
  }
  return { suggestions, needed: [] };
}

function wantedStems({ criteria, title }: AskingRule): readonly string[] {
  try {
    return readCriteria(criteria, title).flatMap(({ logic }) => (logic ? literals(logic, true) : []));
  } catch (error) {
    // A rule is linted when it is taken in; one that cannot be read asks for nothing.
    if (error instanceof RuleFault) return [];
    throw error;
  }
}

/** Codes looked for among diagnoses; under a negation they are what must not be there. */
function literals(rule: Rule, isAsked: boolean): readonly string[] {
  switch (rule.kind) {
    case 'not':
      return literals(rule.rule, !isAsked);
    case 'and':
    case 'or':
      return rule.rules.flatMap((part) => literals(part, isAsked));
    case 'compare': {
      const { by, left, right } = rule;
      const isOfDiagnoses = right.kind === 'var' && DIAGNOSIS_FACTS.has(right.path.join('.'));
      if (!isAsked || by !== 'in' || !isOfDiagnoses || left.kind !== 'value') return [];
      return typeof left.value === 'string' ? [left.value] : [];
    }
    case 'constant':
      return [];
  }
}
