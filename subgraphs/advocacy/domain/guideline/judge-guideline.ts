import { isoTime } from '../../../../shared/clock/clock.js';
import type { JsonValue } from '../../../../shared/json/strict-json.js';
import type { Truth } from '../criteria/compare.js';
import { judge } from '../criteria/judge.js';
import { type Criterion, readCriteria } from '../criteria/read-criteria.js';
import { DOCUMENT_KINDS, type DocumentKind } from '../facts/document-kinds.js';
import { factNamed } from '../facts/fact-names.js';
import type { Evidence, Facts } from '../facts/fact-value.js';
import { isOfProgram } from './program.js';
import { type Verdict, verdictOf } from './verdict.js';

/** What of a rule a guideline check reads. */
export interface Guideline {
  readonly rule_id: string;
  readonly key: string;
  readonly revision: number;
  readonly title: string;
  readonly kind: string;
  readonly citation: string | null;
  readonly program: string | null;
  readonly jurisdiction: string | null;
  readonly effective_from: Date;
  readonly effective_to: Date | null;
  readonly criteria: JsonValue;
  readonly artifact_sha256: string;
}

/** What would settle a criterion that is unknown. */
export interface SettledBy {
  readonly kind: DocumentKind | null;
  readonly text: string;
  /** Documents of that kind that the record names already: somebody must read them. */
  readonly on_record: readonly Evidence[];
}

export interface JudgedCriterion {
  readonly id: string;
  readonly text: string;
  readonly met: Truth;
  readonly evidence: readonly Evidence[];
  readonly alternative?: string;
  readonly settled_by?: SettledBy;
}

export interface JudgedGuideline {
  readonly rule_id: string;
  readonly revision: number;
  readonly key: string;
  readonly title: string;
  readonly kind: string;
  readonly citation: string | null;
  readonly effective_from: string;
  readonly effective_to: string | null;
  readonly artifact_sha256: string;
  readonly verdict: Exclude<Verdict, 'NO_GUIDELINE'>;
  readonly criteria: readonly JudgedCriterion[];
  /** Criteria that ask nothing of this case. */
  readonly not_applicable: readonly { readonly id: string; readonly text: string }[];
  /** Said by the guideline, and not judged. */
  readonly notes: readonly string[];
}

/** Judges one guideline on the record; null where it is for another programme than the event's. */
export function judgeGuideline(rule: Guideline, facts: Facts): JudgedGuideline | null {
  const program = programCriterion(rule, facts);
  if (program?.met === false) return null;
  const criteria: JudgedCriterion[] = program === null ? [] : [program];
  const notApplicable: { id: string; text: string }[] = [];
  const notes: string[] = [];
  for (const criterion of readCriteria(rule.criteria, rule.title)) {
    const { id, text } = criterion;
    if (criterion.informative) {
      notes.push(text);
      continue;
    }
    const judged = judgeCriterion(criterion, facts);
    if (judged === null) notApplicable.push({ id, text });
    else criteria.push(judged);
  }
  return {
    rule_id: rule.rule_id,
    revision: rule.revision,
    key: rule.key,
    title: rule.title,
    kind: rule.kind,
    citation: rule.citation,
    effective_from: isoTime(rule.effective_from.getTime()),
    effective_to: rule.effective_to === null ? null : isoTime(rule.effective_to.getTime()),
    artifact_sha256: rule.artifact_sha256,
    // The programme alone is no criterion of the guideline's: one without criteria of its own can't be judged.
    verdict: criteria.length > (program === null ? 0 : 1) ? verdictOf(criteria) : 'INSUFFICIENT_INFORMATION',
    criteria,
    not_applicable: notApplicable,
    notes,
  };
}

function programCriterion({ program }: Guideline, facts: Facts): JudgedCriterion | null {
  if (program === null) return null;
  const stated = facts.get('event.program');
  const met = isOfProgram(program, stated.kind === 'text' ? stated.value : null);
  const evidence = stated.kind === 'text' ? stated.evidence : [];
  const text = `The cover is of the programme that this is for: ${program}.`;
  return { id: 'program', text, met, evidence, ...(met === null && { settled_by: settling('coverage', [], facts) }) };
}

/** Null for one that does not apply. What may apply and is not met is unknown: that it applies is not known. */
function judgeCriterion(
  { id, text, logic, when, alternative, settled_by }: Criterion,
  facts: Facts,
): JudgedCriterion | null {
  const applies = when === undefined ? null : judge(when, facts);
  if (applies?.met === false) return null;
  const judged = logic === undefined ? UNJUDGED : judge(logic, facts);
  const isUncertain = applies?.met === null && judged.met === false;
  const met = isUncertain ? null : judged.met;
  const unknown = [...(isUncertain ? (applies?.unknown ?? []) : []), ...judged.unknown];
  return {
    id,
    text,
    met,
    evidence: judged.evidence,
    ...(alternative !== undefined && { alternative }),
    ...(met === null && { settled_by: settling(settled_by ?? null, unknown, facts) }),
  };
}

const UNJUDGED = { met: null, evidence: [], unknown: [] } as const;

/** The document that the criterion names; else what the facts that it asks for are. */
function settling(kind: DocumentKind | null, unknown: readonly string[], facts: Facts): SettledBy {
  if (kind === null) {
    const asked = unknown.flatMap((name) => factNamed(name)?.description ?? []);
    return {
      kind,
      text: asked.length > 0 ? `A record that states: ${asked.join(' ')}` : 'The document that says so.',
      on_record: [],
    };
  }
  const kinds = facts.get('documents.kinds');
  const found = kinds.kind === 'codes' ? kinds.codes.get(kind) : undefined;
  return { kind, text: DOCUMENT_KINDS[kind], on_record: found ? [found] : [] };
}
