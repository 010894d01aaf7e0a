import type { RequestContext } from '../../../shared/auth/context.js';
import { dottedIcd10 } from '../codes/domain/index.js';
import type { CodeTables } from '../codes/index.js';
import type { ExplainData } from '../explain/domain/index.js';
import { explain, unknownCodesOf } from '../explain/domain/index.js';
import {
  diagnosesOf,
  type Evidence,
  eventCodes,
  type Facts,
  type MemberRecord,
  type ProcedureCode,
  readFacts,
  serviceDay,
} from '../facts/domain/index.js';
import { type EventRequest, readEvent, readingFor, recordAround } from '../facts/index.js';
import {
  basisOf,
  type CheckGuidelineDeps,
  evaluatedGuidelines,
  finishAnswer,
  GUIDELINE_KINDS,
  rulesInForce,
} from '../guideline/index.js';
import { appealLetter } from '../letters/domain/index.js';
import { diagnosisFindings } from './domain/diagnosis-rules.js';
import { procedureFindings } from './domain/procedure-rules.js';
import { editFindings, guidelineDiagnoses } from './domain/rule-findings.js';
import { sideOf } from './domain/side.js';
import { type Findings, mergeFindings, type RecodeCase } from './domain/suggestion.js';
import type { RecodeAnswer } from './schema.js';
import { recodeTables } from './tables.js';

export interface RecodeDeps extends CheckGuidelineDeps {
  readonly codeTables: CodeTables;
  readonly explainData: ExplainData;
}

interface RecodeRequest extends EventRequest {
  readonly procedureCodes?: readonly string[] | undefined;
  readonly diagnosisCodes?: readonly string[] | undefined;
  readonly notes?: string | undefined;
}

/**
 * Suggests other codes that the record of an event supports, and drafts an appeal. It changes nothing. A new answer raises
 * `advocacy.verdict`.
 *
 * @throws NOT_FOUND DISPOSED FORBIDDEN INTEGRITY_FAILURE
 */
export async function recodeEvent(
  deps: RecodeDeps,
  context: RequestContext,
  request: RecodeRequest,
): Promise<RecodeAnswer> {
  const reading = readingFor(context, request);
  const { tenantId } = reading;
  const event = await readEvent(deps, context, reading, request.eventId);
  const [record, rules] = await Promise.all([
    recordAround(deps, context, reading, event),
    rulesInForce(deps.ruleBook, tenantId, event, [...GUIDELINE_KINDS, 'CODE_EDIT']),
  ]);
  const facts = readFacts(record);
  const guidelines = evaluatedGuidelines(rules, event, facts);
  const found = await caseOf(deps, record, facts, request);
  const guidelineRules = rules.filter(({ rule_id }) => guidelines.some((one) => one.rule_id === rule_id));
  const edits = rules.filter(({ kind }) => kind === 'CODE_EDIT');
  const findings = mergeFindings([
    ...diagnosisFindings(found.case),
    ...procedureFindings(found.case, guidelines),
    editFindings(edits, facts),
    guidelineDiagnoses(found.case, guidelineRules),
  ]);
  const used = [...guidelines, ...edits.filter(({ rule_id }) => usesRule(findings, rule_id))];
  const entryHashes = new Map(
    [record.event, ...record.others].map(({ event_id, entry_hash }) => [event_id, entry_hash]),
  );
  const explanation = explain(deps.explainData, { event: record.event, rules: [], language: 'en' });
  const notes = request.notes?.trim() || null;
  const unknownCodes = unknownCodesOf(deps.explainData, record.event);
  const sources = { explanation, guidelines, findings, notes, entryHashes, unknownCodes };
  const appeal = appealLetter({ event: record.event, ...sources });
  const cited = new Set(appeal.attachments.flatMap(({ event_id }) => event_id ?? []));
  const stood_on = { ...basisOf(record, used, cited), tables: found.tables };
  const finishing = { kind: 'RECODE', verdict: 'RECODED', isRecorded: request.record } as const;
  return finishAnswer(deps, reading, record, finishing, { ...findings, appeal, stood_on });
}

const usesRule = ({ suggestions, needed }: Findings, ruleId: string): boolean =>
  [...suggestions, ...needed].some(({ rule_id }) => rule_id === ruleId);

async function caseOf(
  { codeTables }: RecodeDeps,
  record: MemberRecord,
  facts: Facts,
  request: RecodeRequest,
): Promise<{ readonly case: RecodeCase; readonly tables: { readonly system: string; readonly edition: string }[] }> {
  const { event } = record;
  const procedures = request.procedureCodes?.map(proposed) ?? eventCodes(event).procedures;
  const diagnoses = (request.diagnosisCodes ?? [...diagnosesOf(event).keys()]).map((code) =>
    dottedIcd10(code.trim().toUpperCase()),
  );
  const day = new Date(serviceDay(event)?.value ?? event.recorded_at);
  const tables = await recodeTables(codeTables, { diagnoses, procedures: procedures.map(({ code }) => code), day });
  const { icd10cm, hcpcs } = tables;
  return {
    case: { event, facts, procedures, diagnoses, onRecord: recordedDiagnoses(facts), side: sideOf(event), tables },
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

/** Reads a proposed code; a modifier follows a hyphen: `73721-RT`. */
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
