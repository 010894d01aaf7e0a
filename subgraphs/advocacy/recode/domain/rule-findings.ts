import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { parseRule, type Rule, RuleFault } from '../../../../shared/json-logic/json-logic.js';
import { evaluate, readCriteria } from '../../criteria/domain/index.js';
import type { Facts } from '../../facts/domain/index.js';
import type { RecodeSuggestion } from '../schema.js';
import { type Findings, NOTHING, needing, type RecodeCase, suggesting } from './suggestion.js';

// Rules of kind CODE_EDIT. Each criterion has `logic`, the condition of the edit; `suggest` { from, to }, the correction;
// `supported_when`, the facts that support it. Without supporting facts the edit is reported as a need.

interface EditRule {
  readonly rule_id: string;
  readonly key: string;
  readonly title: string;
  readonly body: string | null;
  readonly criteria: JsonValue;
}

export function editFindings(rules: readonly EditRule[], facts: Facts): Findings {
  const parts = rules.flatMap((rule) =>
    (Array.isArray(rule.criteria) ? rule.criteria : [{ logic: rule.criteria }]).map((one) => apply(rule, one, facts)),
  );
  return { suggestions: parts.flatMap((part) => part.suggestions), needed: parts.flatMap((part) => part.needed) };
}

function apply(rule: EditRule, criterion: JsonValue, facts: Facts): Findings {
  if (!isJsonObject(criterion)) return NOTHING;
  const edit = evaluated(criterion['logic'], facts);
  if (edit?.met !== true) return NOTHING;
  const text = typeof criterion['text'] === 'string' ? criterion['text'] : rule.title;
  const change = changeOf(criterion['suggest']);
  const support = evaluated(criterion['supported_when'], facts);
  if (change !== null && support?.met === true) {
    const reason = `${text} (${rule.key})`;
    const suggestion = { ...change, reason, rule_id: rule.rule_id, confidence: 0.8, supported_by: support.evidence };
    return suggesting([suggestion]);
  }
  const [first] = edit.evidence;
  const needed = {
    code: change?.from ?? String(first?.value ?? rule.key),
    problem: text,
    needs: rule.body ?? 'Records that show why the codes belong together.',
    rule_id: rule.rule_id,
    candidates: [],
  };
  return needing([needed]);
}

function changeOf(value: JsonValue | undefined): { readonly from: string | null; readonly to: string } | null {
  if (!isJsonObject(value)) return null;
  const { from, to }: JsonObject = value;
  return typeof to === 'string' ? { from: typeof from === 'string' ? from : null, to } : null;
}

/** Returns null for an invalid rule; the linter rejects such a rule when it is written. */
function evaluated(logic: JsonValue | undefined, facts: Facts) {
  if (logic === undefined || logic === null) return null;
  try {
    return evaluate(parseRule(logic), facts);
  } catch (error) {
    if (error instanceof RuleFault) return null;
    throw error;
  }
}

const DIAGNOSIS_FACTS = new Set(['diagnoses.codes', 'diagnoses.stems', 'event.diagnosis_stems']);

/** Suggestions of one guideline; a long record may have many codes of a family. */
const MAX_OF_ONE = 5;

interface CriteriaRule {
  readonly rule_id: string;
  readonly key: string;
  readonly title: string;
  readonly criteria: JsonValue;
}

/** Suggests diagnoses that a guideline of the service requires, and that are on the record but not on the claim. */
export function guidelineDiagnoses(asked: RecodeCase, rules: readonly CriteriaRule[]): Findings {
  const stated = new Set(asked.diagnoses);
  const suggestions: RecodeSuggestion[] = [];
  for (const rule of rules) {
    const wanted = requiredStems(rule);
    const missing = [...asked.onRecord].filter(
      ([code]) => !stated.has(code) && wanted.some((stem) => code.startsWith(stem)),
    );
    for (const [code, found] of missing.slice(0, MAX_OF_ONE)) {
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
  return suggesting(suggestions);
}

function requiredStems({ criteria, title }: CriteriaRule): readonly string[] {
  try {
    return readCriteria(criteria, title).flatMap(({ logic }) => (logic ? literals(logic, true) : []));
  } catch (error) {
    // The linter rejects an unreadable rule when it is written.
    if (error instanceof RuleFault) return [];
    throw error;
  }
}

/** Returns the diagnosis codes that a rule requires; a code under a negation must be absent. */
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
