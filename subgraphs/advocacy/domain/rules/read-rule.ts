import type { FieldFault } from '../../../../shared/errors/problem.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import { lintCriteria, lintTexts, readCodes } from './lint-rule.js';
import { RULE_BOUNDS } from './rule-bounds.js';
import { type NamedCode, writtenCode } from './rule-codes.js';
import type { RuleKind } from './rule-kinds.js';

/** A rule as it is sent. */
export interface GivenRule {
  readonly key: string;
  readonly title: string;
  readonly kind: RuleKind;
  readonly jurisdiction?: string | undefined;
  readonly program?: string | undefined;
  readonly effective_from: string;
  readonly effective_to?: string | undefined;
  readonly codes?: readonly string[] | undefined;
  readonly criteria?: JsonValue | undefined;
  readonly body?: string | undefined;
  readonly citation?: string | undefined;
}

/** What a revision says. */
export interface RuleContent {
  readonly title: string;
  readonly kind: RuleKind;
  readonly jurisdiction: string | null;
  readonly program: string | null;
  readonly effective_from: Date;
  readonly effective_to: Date | null;
  readonly codes: readonly string[];
  readonly criteria: JsonValue;
  readonly body: string | null;
  readonly citation: string | null;
}

export interface ReadRule {
  readonly content: RuleContent;
  readonly codes: readonly NamedCode[];
  /** RFC 8785, key and content: what the rule is judged the same by, and its artifact where it brings none of its own. */
  readonly canonical: string;
}

const NONE: JsonValue = [];

/** Reads a rule that fits its schema; what the schema cannot say is looked at here. Faults: pointers into what was sent. */
export function readRule(given: GivenRule): ReadRule | { readonly faults: readonly FieldFault[] } {
  const faults: FieldFault[] = [];
  const from = momentOf(given.effective_from);
  const to = given.effective_to === undefined ? null : momentOf(given.effective_to);
  if (from === undefined) faults.push(noTime('/effective_from'));
  if (to === undefined) faults.push(noTime('/effective_to'));
  if (from != null && to != null && to <= from) {
    faults.push({ path: '/effective_to', code: 'order', message: 'Must be later than effective_from.' });
  }
  const read = readCodes(given.codes ?? []);
  faults.push(...below('/codes', read.faults));
  const criteria = given.criteria ?? NONE;
  if (!Array.isArray(criteria) && !isJsonObject(criteria)) {
    faults.push({
      path: '/criteria',
      code: 'type',
      message: 'Must be a list of criteria, or one JsonLogic expression.',
    });
  } else {
    faults.push(...below('/criteria', lintCriteria(criteria, given.title)));
    // What the linter has not bounded is not looked through.
    if (faults.length === 0) faults.push(...below('/criteria', lintTexts(criteria)));
  }
  // Nothing is written in canonical form that the linter has not bounded.
  if (faults.length > 0 || from == null || to === undefined) return { faults };
  const content: RuleContent = {
    title: given.title,
    kind: given.kind,
    jurisdiction: given.jurisdiction ?? null,
    program: given.program ?? null,
    effective_from: from,
    effective_to: to,
    codes: read.codes.map(writtenCode).sort(),
    criteria,
    body: given.body ?? null,
    citation: given.citation ?? null,
  };
  const canonical = canonicalJson({ key: given.key, ...jsonOf(content) });
  if (Buffer.byteLength(canonical) > RULE_BOUNDS.contentBytes) {
    return { faults: [{ path: '', code: 'size', message: `Takes at most ${RULE_BOUNDS.contentBytes} bytes.` }] };
  }
  return { content, codes: read.codes, canonical };
}

const jsonOf = ({ effective_from, effective_to, codes, ...rest }: RuleContent): JsonObject => ({
  ...rest,
  codes: [...codes],
  effective_from: effective_from.toISOString(),
  effective_to: effective_to === null ? null : effective_to.toISOString(),
});

const below = (at: string, faults: readonly FieldFault[]): FieldFault[] =>
  faults.map(({ path, ...rest }) => ({ path: `${at}${path}`, ...rest }));

const noTime = (path: string): FieldFault => ({
  path,
  code: 'time',
  message: 'Must be a day (YYYY-MM-DD) or a time of RFC 3339 with its zone.',
});

/** A day is its first moment in UTC. */
function momentOf(text: string): Date | undefined {
  const ms = instantOf(text.length === 10 ? `${text}T00:00:00Z` : text);
  return ms === undefined ? undefined : new Date(ms);
}
