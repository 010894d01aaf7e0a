import type { Evidence, ProcedureCode } from '../../facts/domain/index.js';
import { evidence } from '../../facts/domain/index.js';
import type { GuidelineResult } from '../../guideline/domain/index.js';
import { procedureSystemOf } from '../../guideline/domain/index.js';
import type { RecodeSuggestion } from '../schema.js';
import { type Findings, NOTHING, needing, type RecodeCase, suggesting } from './suggestion.js';

// Procedures: invalid codes, and modifiers that a denial requires. A modifier states a fact: it is suggested if the record
// states the fact, else the missing record is reported as a need.

/** CARC 4: the modifier is missing or does not fit; 97: included in another service; 236: the pair is edited (NCCI). */
const asksModifier = (asked: RecodeCase): boolean => hasReason(asked, 'CARC/4');
const isBundled = (asked: RecodeCase): boolean => hasReason(asked, 'CARC/97') || hasReason(asked, 'CARC/236');

function hasReason({ facts }: RecodeCase, code: string): boolean {
  const reasons = facts.get('event.reasons');
  return reasons.kind === 'codes' && reasons.codes.has(code);
}

const SIDES = ['LT', 'RT', '50'];
const DISTINCT = ['59', 'XE', 'XP', 'XS', 'XU'];
/** Numbers of office, emergency and consultation visits (E/M). */
const VISIT = /^99(?:20[2-5]|21[1-5]|24[2-5]|28[1-5])$/;

export function procedureFindings(asked: RecodeCase, guidelines: readonly GuidelineResult[]): readonly Findings[] {
  return [
    outOfForce(asked),
    ...(asksModifier(asked) ? [missingSide(asked)] : []),
    ...(isBundled(asked) ? [separateVisit(asked), distinctService(asked)] : []),
    downcoded(asked),
    termsMet(asked, guidelines),
  ];
}

function outOfForce({ procedures, tables: { hcpcs } }: RecodeCase): Findings {
  if (hcpcs === null) return NOTHING;
  const gone = procedures.filter(({ code }) => procedureSystemOf(code) === 'HCPCS' && !hcpcs.entry(code)?.is_valid);
  const needs = 'The order and the notes of the service, to find the code that was in force for it.';
  return needingFor(gone, 'hcpcs.not-valid', ({ code }) => [
    `${code} is not in force on the day of service (HCPCS ${hcpcs.edition}).`,
    needs,
  ]);
}

const withModifier = (code: string, modifier: string): string => `${code}-${modifier}`;

const lacks = ({ modifiers }: ProcedureCode, any: readonly string[]): boolean =>
  !modifiers.some((modifier) => any.includes(modifier.toUpperCase()));

function missingSide({ procedures, side }: RecodeCase): Findings {
  const open = procedures.filter((one) => lacks(one, SIDES) && !VISIT.test(one.code));
  if (side === null || side.said === '') {
    const needs = 'A note that says which side it was, if the service was on one side.';
    return needingFor(open, 'modifier.side', () => ['The payer asks for a modifier (CARC 4).', needs]);
  }
  const modifier = { right: 'RT', left: 'LT', bilateral: '50' }[side.word];
  return suggesting(
    open.map(({ code }) => ({
      from: code,
      to: withModifier(code, modifier),
      reason: `The payer asks for a modifier (CARC 4); the record says ${side.word}.`,
      rule_id: 'modifier.side',
      confidence: open.length === 1 ? 0.7 : 0.4,
      supported_by: side.evidence,
    })),
  );
}

const needingFor = (
  procedures: readonly ProcedureCode[],
  rule_id: string,
  say: (procedure: ProcedureCode) => readonly [problem: string, needs: string],
): Findings =>
  needing(
    procedures.map((procedure) => {
      const [problem, needs] = say(procedure);
      return { code: procedure.code, problem, needs, rule_id, candidates: [] };
    }),
  );

/** Modifier 25: a visit on the day of a procedure. */
function separateVisit({ procedures, facts }: RecodeCase): Findings {
  const visits = procedures.filter((one) => VISIT.test(one.code) && lacks(one, ['25']));
  if (visits.length === 0 || procedures.length === visits.length) return NOTHING;
  const stated = facts.get('findings.separate_visit');
  const problem =
    'A visit is paid beside a procedure of the same day when it was significant and separately identifiable.';
  if (stated.kind !== 'boolean' || !stated.value) {
    const needs = 'Notes that show a significant, separately identifiable visit.';
    return needingFor(visits, 'modifier.25', () => [problem, needs]);
  }
  return suggesting(visits.map(({ code }) => modified(code, '25', problem, 'modifier.25', stated.evidence)));
}

const modified = (
  code: string,
  modifier: string,
  problem: string,
  ruleId: string,
  supportedBy: readonly Evidence[],
): RecodeSuggestion => ({
  from: code,
  to: withModifier(code, modifier),
  reason: `${problem} The record states it.`,
  rule_id: ruleId,
  confidence: 0.6,
  supported_by: supportedBy,
});

/** Modifier 59 or X{EPSU}: distinct services that the payer's edit treats as a pair. */
function distinctService({ event, procedures, facts }: RecodeCase): Findings {
  const others = procedures.filter(({ code }) => !VISIT.test(code));
  const last = others.at(-1);
  if (others.length < 2 || last === undefined || others.some((one) => !lacks(one, DISTINCT))) return NOTHING;
  const problem = 'The payer took the services for one (CARC 97 or 236).';
  const suggestion = (modifier: string, why: string, found: readonly Evidence[]): Findings =>
    suggesting([modified(last.code, modifier, `${problem} ${why}`, 'modifier.distinct', found)]);
  const sides = others.flatMap((one) =>
    one.modifiers.filter((modifier) => SIDES.includes(modifier.toUpperCase())).map((modifier) => ({ one, modifier })),
  );
  if (new Set(sides.map(({ modifier }) => modifier.toUpperCase())).size > 1) {
    const found = sides.map(({ one, modifier }) =>
      evidence(event, one.pointer.replace(/procedure_code$/, 'modifiers'), modifier),
    );
    return suggestion('XS', 'They were on different sides.', found);
  }
  const stated = facts.get('findings.distinct_service');
  if (stated.kind === 'boolean' && stated.value) return suggestion('59', 'They were distinct.', stated.evidence);
  const needs = 'Notes that show another site, session, practitioner or organ for each service.';
  return needingFor([last], 'modifier.distinct', () => [problem, needs]);
}

/** The payer decided on another code than was billed; the records must support the billed code. */
function downcoded({ procedures }: RecodeCase): Findings {
  const changed = procedures.filter(({ code, submitted_code }) => submitted_code !== null && submitted_code !== code);
  return needingFor(changed, 'payer.changed-code', ({ code, submitted_code }) => [
    `The payer decided on ${code} where ${submitted_code} was billed.`,
    `The records of the service as billed (${submitted_code}), and the payer’s reason for the change.`,
  ]);
}

/** Equipment for which KX states that the record meets the policy’s terms: sleep apnea, oxygen, power mobility. */
const STATES_TERMS = /^(?:E0601|E0424|E043[1349]|E044[1-4]|E139[0-2]|K0738|K08|A70[34])/;

function termsMet({ procedures }: RecodeCase, guidelines: readonly GuidelineResult[]): Findings {
  const open = procedures.filter(
    (one) => STATES_TERMS.test(one.code) && one.line !== null && lacks(one, ['KX', 'GA', 'GZ']),
  );
  const met = guidelines.find(({ verdict }) => verdict === 'SUPPORTS');
  if (open.length === 0 || guidelines.length === 0) return NOTHING;
  const problem = 'Suppliers state by modifier KX that the record meets the terms of the policy.';
  if (met === undefined) {
    const needs = 'Records that meet each criterion of the guideline; see the guideline check.';
    return needingFor(open, 'modifier.kx', () => [problem, needs]);
  }
  const found = met.criteria.flatMap((one) => one.evidence).slice(0, 10);
  const reason = `${problem} Every criterion of ${met.title} (${met.key}) is met on the record.`;
  return suggesting(open.map(({ code }) => ({ ...modified(code, 'KX', problem, met.rule_id, found), reason })));
}
