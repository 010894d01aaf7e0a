import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { parseRule, RuleFault } from '../../../../shared/json-logic/json-logic.js';
import { judge } from '../criteria/judge.js';
import type { Facts } from '../facts/fact-value.js';
import type { Findings } from './suggestion.js';

// Rules of kind CODE_EDIT. Each criterion: `logic`, the edit that is hit when it holds; `suggest` { from, to }, what would
// be right; `supported_when`, what the record must say for that. Without the record's word the edit is told, and no more.

interface EditRule {
  readonly rule_id: string;
  readonly key: string;
  readonly title: string;
  readonly body: string | null;
  readonly criteria: JsonValue;
}

export function editFindings(rules: readonly EditRule[], facts: Facts): Findings {
  const parts = rules.flatMap((rule) =>
    (Array.isArray(rule.criteria) ? rule.criteria : [{ logic: rule.criteria }]).map((one) => hit(rule, one, facts)),
  );
  return { suggestions: parts.flatMap((part) => part.suggestions), needed: parts.flatMap((part) => part.needed) };
}

function hit(rule: EditRule, criterion: JsonValue, facts: Facts): Findings {
  if (!isJsonObject(criterion)) return { suggestions: [], needed: [] };
  const edit = judged(criterion['logic'], facts);
  if (edit?.met !== true) return { suggestions: [], needed: [] };
  const text = typeof criterion['text'] === 'string' ? criterion['text'] : rule.title;
  const change = changeOf(criterion['suggest']);
  const support = judged(criterion['supported_when'], facts);
  if (change !== null && support?.met === true) {
    const reason = `${text} (${rule.key})`;
    const suggestion = { ...change, reason, rule_id: rule.rule_id, confidence: 0.8, supported_by: support.evidence };
    return { suggestions: [suggestion], needed: [] };
  }
  const [first] = edit.evidence;
  const needed = {
    code: change?.from ?? String(first?.value ?? rule.key),
    problem: text,
    needs: rule.body ?? 'Records that show why the codes stand together.',
    rule_id: rule.rule_id,
    candidates: [],
  };
  return { suggestions: [], needed: [needed] };
}

function changeOf(value: JsonValue | undefined): { readonly from: string | null; readonly to: string } | null {
  if (!isJsonObject(value)) return null;
  const { from, to }: JsonObject = value;
  return typeof to === 'string' ? { from: typeof from === 'string' ? from : null, to } : null;
}

/** Null for what is no rule: a linter has refused it when the rule was taken in. */
function judged(logic: JsonValue | undefined, facts: Facts) {
  if (logic === undefined || logic === null) return null;
  try {
    return judge(parseRule(logic), facts);
  } catch (error) {
    if (error instanceof RuleFault) return null;
    throw error;
  }
}
