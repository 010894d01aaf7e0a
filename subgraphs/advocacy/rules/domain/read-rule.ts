import type { FieldFault } from '../../../../shared/errors/problem.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import { type NamedCode, writtenCode } from '../../codes/domain/index.js';
import type { RuleInput, RuleMembers } from '../schema.js';
import { RULE_BOUNDS } from './kinds.js';
import { lintCriteria, lintTexts, readCodes } from './lint-rule.js';

/** A rule as callers send it. */
export type GivenRule = Readonly<Omit<RuleInput, 'artifact' | 'artifact_media_type'>>;

/** The content of a revision. */
export interface RuleContent extends Readonly<Omit<RuleMembers, 'key' | 'effective_from' | 'effective_to'>> {
  readonly effective_from: Date;
  readonly effective_to: Date | null;
}

export interface ReadRule {
  readonly content: RuleContent;
  readonly codes: readonly NamedCode[];
  /** Key and content by RFC 8785: decides whether content is equal, and is the artifact if none is given. */
  readonly canonical: string;
}

const NONE: JsonValue = [];

/** Reads a rule that fits its schema and checks it further. Faults point into the request. */
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
    // Only criteria within the linter's bounds are searched.
    if (faults.length === 0) faults.push(...below('/criteria', lintTexts(criteria)));
  }
  // Only content within the linter's bounds is serialised.
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
  const canonical = canonicalRule(given.key, content);
  if (Buffer.byteLength(canonical) > RULE_BOUNDS.contentBytes) {
    return { faults: [{ path: '', code: 'size', message: `Must have at most ${RULE_BOUNDS.contentBytes} bytes.` }] };
  }
  return { content, codes: read.codes, canonical };
}

/** Key and content of a rule by RFC 8785. */
export const canonicalRule = (key: string, content: RuleContent): string => canonicalJson({ key, ...jsonOf(content) });

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
  message: 'Must be a day (YYYY-MM-DD) or an RFC 3339 time with a zone.',
});

/** A day is its first moment in UTC. */
function momentOf(text: string): Date | undefined {
  const ms = instantOf(text.length === 10 ? `${text}T00:00:00Z` : text);
  return ms === undefined ? undefined : new Date(ms);
}
