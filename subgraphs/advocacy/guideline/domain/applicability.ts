import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import type { Truth } from '../../criteria/domain/index.js';
import { diagnosesOf, eventCodes, proceduresOf, ruleCodeOf } from '../../facts/domain/index.js';

// The codes of an event in the notation of rules: SYSTEM/CODE.

const HCPCS = /^[A-V][0-9]{4}$/;
const CPT = /^[0-9]{4}[0-9A-Z]$/;
const NDC = /^[0-9]{10,11}$/;
const ICD10PCS = /^[0-9A-HJ-NP-Z]{7}$/;

/** Returns the system by the form of the code, or null for another form. */
export function procedureSystemOf(code: string): string | null {
  if (HCPCS.test(code)) return 'HCPCS';
  if (CPT.test(code)) return 'CPT';
  if (NDC.test(code)) return 'NDC';
  return ICD10PCS.test(code) ? 'ICD10PCS' : null;
}

const PROCEDURE_SYSTEMS = ['HCPCS', 'CPT', 'NDC', 'ICD10PCS', 'REVENUE'];

interface RuleCodes {
  readonly procedures: readonly string[];
  readonly diagnoses: readonly string[];
  readonly reasons: readonly string[];
}

export function ruleCodesOf(event: LedgerEventView): RuleCodes {
  const procedures = [...proceduresOf(event).keys()].flatMap((code) => {
    const system = procedureSystemOf(code);
    return system === null ? [] : [`${system}/${code}`];
  });
  const diagnoses = [...diagnosesOf(event).keys()].map((code) => `ICD10CM/${code}`);
  return { procedures, diagnoses, reasons: eventCodes(event).reasons.map(ruleCodeOf) };
}

/** A rule that names procedures applies only to those; a shared diagnosis is not enough. */
export function appliesTo(ruleCodes: readonly string[], asked: RuleCodes): boolean {
  const ofProcedures = ruleCodes.filter((code) => PROCEDURE_SYSTEMS.includes(code.slice(0, code.indexOf('/'))));
  return ofProcedures.length === 0 || asked.procedures.some((code) => ofProcedures.some((name) => names(name, code)));
}

/** Whether a rule names one of the event's codes and applies to its procedures. */
export function concerns(ruleCodes: readonly string[], asked: RuleCodes): boolean {
  const codes = [...asked.procedures, ...asked.diagnoses, ...asked.reasons];
  return ruleCodes.some((name) => codes.some((code) => names(name, code))) && appliesTo(ruleCodes, asked);
}

/** `SYSTEM/START*` matches every code with that prefix. */
const names = (ruleCode: string, code: string): boolean =>
  ruleCode.endsWith('*') ? code.startsWith(ruleCode.slice(0, -1)) : ruleCode === code;

// A guideline applies to one programme only, so the programme of the cover is a criterion.

/** Programmes that must cover preventive services without cost share (42 U.S.C. 300gg-13); Medicaid in part. */
const PREVENTIVE: Readonly<Partial<Record<string, Truth>>> = {
  commercial: true,
  marketplace: true,
  erisa: true,
  medicaid: null,
};

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns whether the stated cover belongs to the guideline's programme: `Medicare` includes `MEDICARE_ADVANTAGE`. Null: unknown. */
export function isOfProgram(guideline: string, stated: string | null): Truth {
  const words = wordsOf(stated ?? '');
  const [first] = words;
  if (first === undefined || first === 'other' || first === 'unknown') return null;
  if (wordsOf(guideline)[0] !== 'preventive') return wordsOf(guideline).every((word, i) => words[i] === word);
  return Object.hasOwn(PREVENTIVE, first) ? (PREVENTIVE[first] ?? null) : false;
}
