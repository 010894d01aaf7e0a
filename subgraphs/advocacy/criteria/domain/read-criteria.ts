import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { parseRule, type Rule, RuleFault } from '../../../../shared/json-logic/json-logic.js';
import { DOCUMENT_KINDS, type DocumentKind, isDocumentKind } from '../../facts/domain/index.js';

// `criteria` of a rule is one JsonLogic rule, described by the rule's title, or a list of criteria.

/** One condition of a guideline. */
export interface Criterion {
  readonly id: string;
  readonly text: string;
  /** Absent if the record cannot decide it: the criterion is unknown until a person reads the documents. */
  readonly logic?: Rule;
  /** Condition under which the criterion applies; absent: always. */
  readonly when?: Rule;
  /** Group name: one met criterion of the group is enough. */
  readonly alternative?: string;
  /** Shown, but not evaluated. */
  readonly informative: boolean;
  /** The kind of document that settles an unknown criterion. */
  readonly settled_by?: DocumentKind;
}

/** All members of a criterion; `kind` is the author's own label, which decides nothing. */
export const CRITERION_MEMBERS: readonly string[] = [
  'kind',
  'id',
  'text',
  'logic',
  'when',
  'alternative',
  'informative',
  'settled_by',
] satisfies readonly (keyof Criterion | 'kind')[];

const MAX_CRITERIA = 50;

/** @throws RuleFault with a JSON Pointer into `criteria` */
export function readCriteria(criteria: JsonValue | undefined, title: string): readonly Criterion[] {
  if (criteria === undefined || criteria === null) return [];
  if (!Array.isArray(criteria)) return [{ id: 'c1', text: title, logic: parseRule(criteria), informative: false }];
  if (criteria.length > MAX_CRITERIA) throw new RuleFault('', `Holds at most ${MAX_CRITERIA} criteria.`);
  const read = criteria.map((one, i) => readOne(one, i, title));
  const seen = new Set<string>();
  for (const [i, { id }] of read.entries()) {
    if (seen.has(id)) throw new RuleFault(`/${i}/id`, 'Is the id of another criterion.');
    seen.add(id);
  }
  return read;
}

function readOne(json: JsonValue, i: number, title: string): Criterion {
  if (!isJsonObject(json)) throw new RuleFault(`/${i}`, 'Must be a criterion.');
  const logic = ruleAt(json, 'logic', `/${i}`);
  const when = ruleAt(json, 'when', `/${i}`);
  const alternative = textAt(json, 'alternative', `/${i}`);
  const settledBy = textAt(json, 'settled_by', `/${i}`);
  if (settledBy !== undefined && !isDocumentKind(settledBy)) {
    throw new RuleFault(`/${i}/settled_by`, `Must be one of ${Object.keys(DOCUMENT_KINDS).join(' ')}.`);
  }
  const informative = json['informative'] ?? false;
  if (typeof informative !== 'boolean') throw new RuleFault(`/${i}/informative`, 'Must be true or false.');
  return {
    id: textAt(json, 'id', `/${i}`) ?? `c${i + 1}`,
    text: textAt(json, 'text', `/${i}`) ?? title,
    informative,
    ...(logic && { logic }),
    ...(when && { when }),
    ...(alternative !== undefined && { alternative }),
    ...(settledBy !== undefined && { settled_by: settledBy }),
  };
}

function textAt(json: JsonObject, name: string, path: string): string | undefined {
  const value = json[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.trim() === '') throw new RuleFault(`${path}/${name}`, 'Must be a text.');
  return value;
}

function ruleAt(json: JsonObject, name: string, path: string): Rule | undefined {
  const value = json[name] ?? undefined;
  if (value === undefined) return undefined;
  try {
    return parseRule(value);
  } catch (error) {
    if (error instanceof RuleFault) throw new RuleFault(`${path}/${name}${error.path}`, error.message);
    throw error;
  }
}

/** Returns the names of the facts that a rule uses, without duplicates. The linter checks them against the fact table. */
export function factsUsedBy(rule: Rule): readonly string[] {
  return [...new Set(usedBy(rule))];
}

function usedBy(rule: Rule): string[] {
  switch (rule.kind) {
    case 'constant':
      return [];
    case 'not':
      return usedBy(rule.rule);
    case 'compare':
      return [rule.left, rule.right].flatMap((side) => (side.kind === 'var' ? [side.path.join('.')] : []));
    default:
      return rule.rules.flatMap(usedBy);
  }
}
