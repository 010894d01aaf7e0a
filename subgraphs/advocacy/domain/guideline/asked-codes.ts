import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { eventCodes, ruleCodeOf } from '../event-codes.js';
import { diagnosesOf, proceduresOf } from '../facts/coded-facts.js';

// An event's codes as rules name them: SYSTEM/CODE.

const HCPCS = /^[A-V][0-9]{4}$/;
const CPT = /^[0-9]{4}[0-9A-Z]$/;
const NDC = /^[0-9]{10,11}$/;
const ICD10PCS = /^[0-9A-HJ-NP-Z]{7}$/;

/** By the form of the code, which tells these systems apart; null for what is of none of them. */
export function procedureSystemOf(code: string): string | null {
  if (HCPCS.test(code)) return 'HCPCS';
  if (CPT.test(code)) return 'CPT';
  if (NDC.test(code)) return 'NDC';
  return ICD10PCS.test(code) ? 'ICD10PCS' : null;
}

const PROCEDURE_SYSTEMS = ['HCPCS', 'CPT', 'NDC', 'ICD10PCS', 'REVENUE'];

export interface AskedCodes {
  readonly procedures: readonly string[];
  readonly diagnoses: readonly string[];
  readonly reasons: readonly string[];
}

export function askedCodes(event: LedgerEventView): AskedCodes {
  const procedures = [...proceduresOf(event).keys()].flatMap((code) => {
    const system = procedureSystemOf(code);
    return system === null ? [] : [`${system}/${code}`];
  });
  const diagnoses = [...diagnosesOf(event).keys()].map((code) => `ICD10CM/${code}`);
  return { procedures, diagnoses, reasons: eventCodes(event).reasons.map(ruleCodeOf) };
}

/** A rule that names procedures is about those alone: a diagnosis in common does not make it speak of another service. */
export function speaksOf(ruleCodes: readonly string[], asked: AskedCodes): boolean {
  const ofProcedures = ruleCodes.filter((code) => PROCEDURE_SYSTEMS.includes(code.slice(0, code.indexOf('/'))));
  return ofProcedures.length === 0 || asked.procedures.some((code) => ofProcedures.some((name) => names(name, code)));
}

/** `SYSTEM/START*` names every code that begins so. */
const names = (ruleCode: string, code: string): boolean =>
  ruleCode.endsWith('*') ? code.startsWith(ruleCode.slice(0, -1)) : ruleCode === code;
