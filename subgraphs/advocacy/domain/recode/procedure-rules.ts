import type { ProcedureCode } from '../event-codes.js';
import type { Evidence } from '../facts/fact-value.js';
import { evidence } from '../facts/record.js';
import { procedureSystemOf } from '../guideline/asked-codes.js';
import type { JudgedGuideline } from '../guideline/judge-guideline.js';
import type { Findings, NeededRecord, RecodeCase, Suggestion } from './suggestion.js';

// Procedures: codes out of force, and modifiers that a denial asks for. A modifier is a statement of fact; it is suggested
// where the record makes the statement, and else what would make it is told.

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

export function procedureFindings(asked: RecodeCase, guidelines: readonly JudgedGuideline[]): readonly Findings[] {
  return [
    outOfForce(asked),
    ...(asksModifier(asked) ? [missingSide(asked)] : []),
    ...(isBundled(asked) ? [separateVisit(asked), distinctService(asked)] : []),
    downcoded(asked),
    termsMet(asked, guidelines),
  ];
}

const only = (suggestions: readonly Suggestion[], needed: readonly NeededRecord[]): Findings => ({
  suggestions,
  needed,
});

function outOfForce({ procedures, tables: { hcpcs } }: RecodeCase): Findings {
  if (hcpcs === null) return only([], []);
  const gone = procedures.filter(({ code }) => procedureSystemOf(code) === 'HCPCS' && !hcpcs.entry(code)?.is_valid);
  const needed = gone.map(({ code }) => ({
    code,
    problem: `${code} is not in force on the day of service (HCPCS ${hcpcs.edition}).`,
    needs: 'The order and the notes of the service, to find the code that was in force for it.',
    rule_id: 'hcpcs.not-valid',
    candidates: [],
  }));
  return only([], needed);
}

const withModifier = (code: string, modifier: string): string => `${code}-${modifier}`;

const lacks = ({ modifiers }: ProcedureCode, any: readonly string[]): boolean =>
  !modifiers.some((modifier) => any.includes(modifier.toUpperCase()));

function missingSide({ procedures, side }: RecodeCase): Findings {
  const open = procedures.filter((one) => lacks(one, SIDES) && !VISIT.test(one.code));
  if (side === null || side.said === '') {
    const needed = open.map(({ code }) =>
      need(
        code,
        'modifier.side',
        'The payer asks for a modifier (CARC 4).',
        'A note that says which side it was, if the service was on one side.',
      ),
    );
    return only([], needed);
  }
  const modifier = { right: 'RT', left: 'LT', bilateral: '50' }[side.word];
  const suggestions = open.map(({ code }) => ({
    from: code,
    to: withModifier(code, modifier),
    reason: `The payer asks for a modifier (CARC 4); the record says ${side.word}.`,
    rule_id: 'modifier.side',
    confidence: open.length === 1 ? 0.7 : 0.4,
    supported_by: side.evidence,
  }));
  return only(suggestions, []);
}

const need = (code: string, ruleId: string, problem: string, needs: string): NeededRecord => ({
  code,
  problem,
  needs,
  rule_id: ruleId,
  candidates: [],
});

/** Modifier 25: a visit beside a procedure. */
function separateVisit({ procedures, facts }: RecodeCase): Findings {
  const visits = procedures.filter((one) => VISIT.test(one.code) && lacks(one, ['25']));
  if (visits.length === 0 || procedures.length === visits.length) return only([], []);
  const stated = facts.get('findings.separate_visit');
  const problem =
    'A visit is paid beside a procedure of the same day when it was significant and separately identifiable.';
  if (stated.kind !== 'boolean' || !stated.value) {
    const needs = 'Notes that show a significant, separately identifiable visit.';
    return only(
      [],
      visits.map(({ code }) => need(code, 'modifier.25', problem, needs)),
    );
  }
  return only(
    visits.map(({ code }) => modified(code, '25', problem, 'modifier.25', stated.evidence)),
    [],
  );
}

const modified = (
  code: string,
  modifier: string,
  problem: string,
  ruleId: string,
  supportedBy: readonly Evidence[],
): Suggestion => ({
  from: code,
  to: withModifier(code, modifier),
  reason: `${problem} The record states it.`,
  rule_id: ruleId,
  confidence: 0.6,
  supported_by: supportedBy,
});

/** Modifier 59 or X{EPSU}: services that are edited as a pair, and were distinct. */
function distinctService({ event, procedures, facts }: RecodeCase): Findings {
  const others = procedures.filter(({ code }) => !VISIT.test(code));
  const last = others.at(-1);
  if (others.length < 2 || last === undefined || others.some((one) => !lacks(one, DISTINCT))) return only([], []);
  const problem = 'The payer took the services for one (CARC 97 or 236).';
  const sides = others.flatMap((one) =>
    one.modifiers.filter((modifier) => SIDES.includes(modifier.toUpperCase())).map((modifier) => ({ one, modifier })),
  );
  if (new Set(sides.map(({ modifier }) => modifier.toUpperCase())).size > 1) {
    const found = sides.map(({ one, modifier }) =>
      evidence(event, one.pointer.replace(/procedure_code$/, 'modifiers'), modifier),
    );
    return only(
      [modified(last.code, 'XS', `${problem} They were on different sides.`, 'modifier.distinct', found)],
      [],
    );
  }
  const stated = facts.get('findings.distinct_service');
  if (stated.kind === 'boolean' && stated.value) {
    return only(
      [modified(last.code, '59', `${problem} They were distinct.`, 'modifier.distinct', stated.evidence)],
      [],
    );
  }
  return only(
    [],
    [
      need(
        last.code,
        'modifier.distinct',
        problem,
        'Notes that show another site, session, practitioner or organ for each service.',
      ),
    ],
  );
}

/** The payer decided on another code than was billed: what was billed is for the records to show. */
function downcoded({ procedures }: RecodeCase): Findings {
  const needed = procedures.flatMap(({ code, submitted_code }) =>
    submitted_code === null || submitted_code === code
      ? []
      : [
          need(
            code,
            'payer.changed-code',
            `The payer decided on ${code} where ${submitted_code} was billed.`,
            `The records of the service as billed (${submitted_code}), and the payer’s reason for the change.`,
          ),
        ],
  );
  return only([], needed);
}

/** Equipment whose suppliers state by KX that the record meets the policy’s terms: sleep apnea, oxygen, power mobility. */
const STATES_TERMS = /^(?:E0601|E0424|E043[1349]|E044[1-4]|E139[0-2]|K0738|K08|A70[34])/;

function termsMet({ procedures }: RecodeCase, guidelines: readonly JudgedGuideline[]): Findings {
  const open = procedures.filter(
    (one) => STATES_TERMS.test(one.code) && one.line !== null && lacks(one, ['KX', 'GA', 'GZ']),
  );
  const met = guidelines.find(({ verdict }) => verdict === 'SUPPORTS');
  if (open.length === 0 || guidelines.length === 0) return only([], []);
  const problem = 'Suppliers state by modifier KX that the record meets the terms of the policy.';
  if (met === undefined) {
    return only(
      [],
      open.map(({ code }) =>
        need(
          code,
          'modifier.kx',
          problem,
          'Records that meet each criterion of the guideline; see the guideline check.',
        ),
      ),
    );
  }
  const found = met.criteria.flatMap((one) => one.evidence).slice(0, 10);
  const suggestions = open.map(({ code }) => ({
    ...modified(code, 'KX', problem, met.rule_id, found),
    reason: `${problem} Every criterion of ${met.title} (${met.key}) is met on the record.`,
  }));
  return only(suggestions, []);
}
