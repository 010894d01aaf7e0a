// Which list a code is of, where the event tells the code alone (mapping.md section 2: `procedure_codes` and
// `diagnosis_codes` hold codes, qualifiers stand in the lines). By shape, as the lists themselves keep apart; under the names
// that rules use, so that a rule and an event meet at the same node.

const PROCEDURES: readonly (readonly [system: string, shape: RegExp])[] = [
  // CPT: five digits, or four and a letter (categories II and III, proprietary analyses).
  ['CPT', /^\d{4}[0-9A-Z]$/],
  ['HCPCS', /^[A-V]\d{4}$/],
  ['NDC', /^\d{11}$|^\d{4,5}-\d{3,4}-\d{1,2}$/],
  ['LOINC', /^\d{1,7}-\d$/],
  ['ICD10PCS', /^[0-9A-HJ-NP-Z]{7}$/],
  ['REVENUE', /^\d{3,4}$/],
];
const DIAGNOSES: readonly (readonly [system: string, shape: RegExp])[] = [
  ['ICD10CM', /^[A-TV-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?$/],
  ['ICD10CM', /^U\d{2}(?:\.?\d{1,4})?$/],
  ['ICD9CM', /^(?:\d{3}|V\d{2}|E\d{3})(?:\.?\d{1,2})?$/],
  ['SNOMED', /^\d{6,18}$/],
];

export interface ListedCode {
  readonly system: string;
  readonly code: string;
}

const systemOf = (lists: typeof PROCEDURES, code: string): string =>
  lists.find(([, shape]) => shape.test(code))?.[0] ?? 'OTHER';

export function procedureCode(written: string): ListedCode {
  const code = written.toUpperCase();
  return { system: systemOf(PROCEDURES, code), code };
}

/** X12 carries ICD-10 codes without their point. */
export function diagnosisCode(written: string): ListedCode {
  const code = written.toUpperCase();
  const system = systemOf(DIAGNOSES, code);
  const isUndotted = system === 'ICD10CM' && code.length > 3 && !code.includes('.');
  return { system, code: isUndotted ? `${code.slice(0, 3)}.${code.slice(3)}` : code };
}

/** `50`, `CO50` and `CO-50` are one reason (mapping.md section 2 "payload.carc"). */
export const reasonNumber = (code: string): string => code.toUpperCase().replace(/^(?:CO|PR|OA|PI|CR)-?/, '');
