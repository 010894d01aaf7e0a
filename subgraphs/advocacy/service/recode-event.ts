import type { RequestContext } from '../../../shared/auth/context.js';
import type { Withheld } from '../../../shared/consent/withheld.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { eventCodes, type ProcedureCode } from '../domain/event-codes.js';
import type { ExplainData } from '../domain/explain/explain-data.js';
import { explain, unknownCodesOf } from '../domain/explain/explanation.js';
import { diagnosesOf } from '../domain/facts/coded-facts.js';
import { type Evidence, type Facts } from '../domain/facts/fact-value.js';
import { readFacts } from '../domain/facts/read-facts.js';
import { type MemberRecord, serviceDay } from '../domain/facts/record.js';
import { type Appeal, appealLetter } from '../domain/letter/appeal-letter.js';
import { editFindings } from '../domain/recode/code-edits.js';
import { diagnosisFindings } from '../domain/recode/diagnosis-rules.js';
import { guidelineDiagnoses } from '../domain/recode/guideline-diagnoses.js';
import { procedureFindings } from '../domain/recode/procedure-rules.js';
import { sideOf } from '../domain/recode/side.js';
import {
  type Findings,
  gathered,
  type NeededRecord,
  type RecodeCase,
  type Suggestion,
} from '../domain/recode/suggestion.js';
import { dottedIcd10 } from '../domain/rules/rule-codes.js';
import { answerSha256 } from './answer-hash.js';
import {
  byConsent,
  type CheckGuidelineDeps,
  GUIDELINE_KINDS,
  judgedGuidelines,
  LIMITS,
  rulesInForce,
  type StoodOn,
  stoodOn,
  type WithheldEvent,
  withheldOf,
} from './check-guideline.js';
import { type EventAsked, eventJudged, readingFor, recordAround } from './event-record.js';
import type { CodeTables } from './ports/code-tables.js';
import type { RuleRevision } from './ports/rule-book.js';
import { recodeTables } from './recode-tables.js';
import { type RecordedAnswer, recordAnswer } from './record-answer.js';

export interface RecodeDeps extends CheckGuidelineDeps {
  readonly codeTables: CodeTables;
  readonly explainData: ExplainData;
}

export interface RecodeAsked extends EventAsked {
  readonly procedureCodes?: readonly string[] | undefined;
  readonly diagnosisCodes?: readonly string[] | undefined;
  readonly notes?: string | undefined;
}

export interface RecodeAnswer {
  readonly event_id: string;
  readonly suggestions: readonly Suggestion[];
  readonly needed: readonly NeededRecord[];
  readonly appeal: Appeal;
  readonly stood_on: StoodOn & { readonly tables: readonly { readonly system: string; readonly edition: string }[] };
  readonly withheld: readonly WithheldEvent[];
  readonly withheld_by_consent?: Withheld;
  readonly limits: string;
  readonly answer_sha256: string;
  readonly recorded?: RecordedAnswer;
}

/**
 * Other codes that the record of an event supports, and a draft of an appeal. It suggests, and changes nothing. Raises
 * `advocacy.verdict` when the answer is new.
 * @throws NOT_FOUND DISPOSED FORBIDDEN INTEGRITY_FAILURE
 */
export async function recodeEvent(
  deps: RecodeDeps,
  context: RequestContext,
  asked: RecodeAsked,
): Promise<RecodeAnswer> {
  const reading = readingFor(context, asked);
  const { tenantId } = reading;
  const event = await eventJudged(deps, context, reading, asked.eventId);
  const [record, rules] = await Promise.all([
    recordAround(deps, context, reading, event),
    rulesInForce(deps.ruleBook, tenantId, event, [...GUIDELINE_KINDS, 'CODE_EDIT']),
  ]);
  const facts = readFacts(record);
  const guidelines = judgedGuidelines(rules, event, facts);
  const looked = await caseOf(deps, record, facts, asked);
  const guidelineRules = rules.filter(({ rule_id }) => guidelines.some((one) => one.rule_id === rule_id));
  const findings = gathered([
    ...diagnosisFindings(looked.asked),
    ...procedureFindings(looked.asked, guidelines),
    editFindings(rules.filter(({ kind }) => kind === 'CODE_EDIT').map(readable), facts),
    guidelineDiagnoses(looked.asked, guidelineRules.map(readable)),
  ]);
  const used = [
    ...guidelines,
    ...rules.filter(({ rule_id, kind }) => kind === 'CODE_EDIT' && names(findings, rule_id)),
  ];
  const entryHashes = new Map(
    [record.event, ...record.others].map(({ event_id, entry_hash }) => [event_id, entry_hash]),
  );
  const explanation = explain(deps.explainData, { event: record.event, rules: [], language: 'en' });
  const notes = asked.notes?.trim() || null;
  const unknownCodes = unknownCodesOf(deps.explainData, record.event);
  const appeal = appealLetter({
    event: record.event,
    explanation,
    guidelines,
    findings,
    notes,
    entryHashes,
    unknownCodes,
  });
  const cited = new Set(appeal.attachments.flatMap(({ event_id }) => event_id ?? []));
  const answer = {
    event_id: record.event.event_id,
    ...findings,
    appeal,
    stood_on: { ...stoodOn(record, used, cited), tables: looked.tables },
    withheld: withheldOf(record),
    ...byConsent(record),
    limits: LIMITS,
  };
  return keep(deps, tenantId, { ...answer, answer_sha256: answerSha256(answer) }, asked.record);
}

async function keep(
  deps: RecodeDeps,
  tenantId: TenantId,
  answer: RecodeAnswer,
  record: boolean,
): Promise<RecodeAnswer> {
  const given = {
    tenantId,
    eventId: answer.event_id,
    kind: 'RECODE',
    answerSha256: answer.answer_sha256,
    rules: answer.stood_on.rules,
    verdict: 'RECODED',
  } as const;
  await deps.keeper.keep(given);
  return record ? { ...answer, recorded: await recordAnswer(deps, given, answer.stood_on.events) } : answer;
}

const names = ({ suggestions, needed }: Findings, ruleId: string): boolean =>
  [...suggestions, ...needed].some(({ rule_id }) => rule_id === ruleId);

const readable = (rule: RuleRevision) => ({ ...rule, criteria: rule.criteria as unknown as JsonValue });

async function caseOf(
  { codeTables }: RecodeDeps,
  record: MemberRecord,
  facts: Facts,
  asked: RecodeAsked,
): Promise<{ readonly asked: RecodeCase; readonly tables: { readonly system: string; readonly edition: string }[] }> {
  const { event } = record;
  const procedures = asked.procedureCodes?.map(proposed) ?? eventCodes(event).procedures;
  const diagnoses = (asked.diagnosisCodes ?? [...diagnosesOf(event).keys()]).map((code) =>
    dottedIcd10(code.trim().toUpperCase()),
  );
  const day = new Date(serviceDay(event)?.value ?? event.recorded_at);
  const tables = await recodeTables(codeTables, { diagnoses, procedures: procedures.map(({ code }) => code), day });
  const { icd10cm, hcpcs } = tables;
  return {
    asked: { event, facts, procedures, diagnoses, onRecord: recordedDiagnoses(facts), side: sideOf(event), tables },
    tables: [
      ...(icd10cm ? [{ system: 'ICD10CM', edition: icd10cm.edition }] : []),
      ...(hcpcs ? [{ system: 'HCPCS', edition: hcpcs.edition }] : []),
    ],
  };
}

function recordedDiagnoses(facts: Facts): ReadonlyMap<string, Evidence> {
  const known = facts.get('diagnoses.codes');
  return known.kind === 'codes' ? known.codes : new Map();
}

/** `73721-RT`, as suggestions write a modifier. */
function proposed(written: string): ProcedureCode {
  const [code = '', ...modifiers] = written.trim().toUpperCase().split('-');
  return {
    code,
    modifiers,
    line: null,
    system: null,
    charge_cents: null,
    submitted_code: null,
    diagnosis_pointers: [],
    pointer: '',
  };
}
