import { isoTime } from '../../../../shared/clock/clock.js';
import type { JsonValue } from '../../../../shared/json/strict-json.js';
import { type Criterion, evaluate, readCriteria } from '../../criteria/domain/index.js';
import type { Facts } from '../../facts/domain/index.js';
import { DOCUMENT_KINDS, type DocumentKind, factNamed } from '../../facts/domain/index.js';
import type { GuidelineCriterion, GuidelineResult } from '../schema.js';
import { isOfProgram } from './applicability.js';
import { verdictOf } from './verdict.js';

type ShownNames = 'rule_id' | 'revision' | 'key' | 'title' | 'kind' | 'citation' | 'artifact_sha256';

/** The fields of a rule that a guideline check reads. */
interface Guideline extends Readonly<Pick<GuidelineResult, ShownNames>> {
  readonly program: string | null;
  readonly jurisdiction: string | null;
  readonly effective_from: Date;
  readonly effective_to: Date | null;
  readonly criteria: JsonValue;
}

/** Evaluates one guideline on the record. Returns null if it is for another programme than the event's. */
export function evaluateGuideline(rule: Guideline, facts: Facts): GuidelineResult | null {
  const program = programCriterion(rule, facts);
  if (program?.met === false) return null;
  const criteria: GuidelineCriterion[] = program === null ? [] : [program];
  const notApplicable: { id: string; text: string }[] = [];
  const notes: string[] = [];
  for (const criterion of readCriteria(rule.criteria, rule.title)) {
    const { id, text } = criterion;
    if (criterion.informative) {
      notes.push(text);
      continue;
    }
    const result = evaluateCriterion(criterion, facts);
    if (result === null) notApplicable.push({ id, text });
    else criteria.push(result);
  }
  const { rule_id, revision, key, title, kind, citation, artifact_sha256 } = rule;
  return {
    ...{ rule_id, revision, key, title, kind, citation, artifact_sha256 },
    effective_from: isoTime(rule.effective_from.getTime()),
    effective_to: rule.effective_to === null ? null : isoTime(rule.effective_to.getTime()),
    // The programme is not a criterion of the guideline: without other criteria there is no verdict.
    verdict: criteria.length > (program === null ? 0 : 1) ? verdictOf(criteria) : 'INSUFFICIENT_INFORMATION',
    criteria,
    not_applicable: notApplicable,
    notes,
  };
}

function programCriterion({ program }: Guideline, facts: Facts): GuidelineCriterion | null {
  if (program === null) return null;
  const stated = facts.get('event.program');
  const met = isOfProgram(program, stated.kind === 'text' ? stated.value : null);
  const evidence = stated.kind === 'text' ? stated.evidence : [];
  const text = `The cover is of the programme that this is for: ${program}.`;
  return { id: 'program', text, met, evidence, ...(met === null && { settled_by: settledBy('coverage', [], facts) }) };
}

/** Returns null if the criterion does not apply. If it may apply and is not met, the result is unknown. */
function evaluateCriterion(
  { id, text, logic, when, alternative, settled_by }: Criterion,
  facts: Facts,
): GuidelineCriterion | null {
  const applies = when === undefined ? null : evaluate(when, facts);
  if (applies?.met === false) return null;
  const result = logic === undefined ? UNDECIDED : evaluate(logic, facts);
  const isUncertain = applies?.met === null && result.met === false;
  const met = isUncertain ? null : result.met;
  const unknown = [...(isUncertain ? (applies?.unknown ?? []) : []), ...result.unknown];
  return {
    id,
    text,
    met,
    evidence: result.evidence,
    ...(alternative !== undefined && { alternative }),
    ...(met === null && { settled_by: settledBy(settled_by ?? null, unknown, facts) }),
  };
}

const UNDECIDED = { met: null, evidence: [], unknown: [] } as const;

/** Returns the document that the criterion names, else a description of the unknown facts. */
function settledBy(
  kind: DocumentKind | null,
  unknown: readonly string[],
  facts: Facts,
): NonNullable<GuidelineCriterion['settled_by']> {
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
