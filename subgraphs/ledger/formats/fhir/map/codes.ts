import { compact, filled, unique } from '../../values/payload.js';
import { type Fields, listAt, textAt } from '../json/objects.js';

export interface Coded {
  readonly code: string;
  readonly system: string;
  readonly display: string;
}

/** The codings of a CodeableConcept that have a code. */
export function codingsOf(concept: unknown): Coded[] {
  const found: Coded[] = [];
  for (const coding of listAt(concept, 'coding')) {
    const code = textAt(coding, 'code');
    if (code === '' || isAbsence(coding)) continue;
    found.push({ code, system: textAt(coding, 'system'), display: textAt(coding, 'display') });
  }
  return found;
}

/** The first code of a CodeableConcept; '' if there is none. */
export function codeOf(concept: unknown): string {
  for (const coding of listAt(concept, 'coding')) {
    const code = textAt(coding, 'code');
    if (code !== '' && !isAbsence(coding)) return code;
  }
  return '';
}

/** A data-absent-reason is no code. */
const isAbsence = (coding: Fields): boolean => textAt(coding, 'system').endsWith('/data-absent-reason');

export const hasCode = (concept: unknown, code: string): boolean => codingsOf(concept).some((one) => one.code === code);

/** The words of a CodeableConcept: its text, else the first display. */
export function wordsOf(concept: unknown): string {
  const text = textAt(concept, 'text');
  if (text !== '') return text;
  for (const coding of listAt(concept, 'coding')) {
    const display = textAt(coding, 'display');
    if (display !== '') return display;
  }
  return '';
}

/** System names as in the payloads of the other formats. */
const SYSTEM_NAMES: readonly (readonly [RegExp, string])[] = [
  [/ama-assn\.org\/go\/cpt/i, 'CPT'],
  [/HCPCS/i, 'HCPCS'],
  [/\/sid\/ndc\b/i, 'NDC'],
  [/snomed/i, 'SNOMED'],
  [/ada\.org|\bCDT\b/i, 'CDT'],
  [/loinc/i, 'LOINC'],
  [/RevenueCodes|revenue/i, 'revenue'],
  [/icd-?10-?pcs/i, 'ICD-10-PCS'],
  [/icd-?10/i, 'ICD-10-CM'],
  [/icd-?9/i, 'ICD-9-CM'],
  [/\/sid\/cvx/i, 'CVX'],
  [/rxnorm/i, 'RxNorm'],
  [/x12\.org\/005010\/1365/i, 'X12-1365'],
];

const REMEMBERED_LIMIT = 256;
const REMEMBERED = new Map<string, string>();

/** The short name of a code system, else its URI. Cached, because a body repeats few systems. */
export function systemName(system: string): string {
  const known = REMEMBERED.get(system);
  if (known !== undefined) return known;
  const name = SYSTEM_NAMES.find(([pattern]) => pattern.test(system))?.[1] ?? system;
  if (REMEMBERED.size >= REMEMBERED_LIMIT) REMEMBERED.clear();
  if (system.length <= REMEMBERED_LIMIT) REMEMBERED.set(system, name);
  return name;
}

/** The codes of procedures, unique, and each with its system. */
export const describeProcedures = (coded: readonly Coded[]): Fields => ({
  procedure_codes: unique(coded.map(({ code }) => code)),
  procedures: coded.map(describeCoding),
});

/** The codes of diagnoses, dotted and unique, and each as sent. */
export const describeDiagnosed = (coded: readonly Coded[]): Fields => ({
  diagnosis_codes: unique(coded.map(diagnosisCode)),
  diagnoses: coded.map(describeCoding),
});

/** The texts of one element of several objects, without empty ones. */
export const textsIn = (list: readonly Fields[], a: string, b?: string): string[] =>
  filled(list.map((one) => textAt(one, a, b)));

export function describeCoding({ code, system, display }: Coded): Fields {
  return compact({ code, system: systemName(system), display });
}

/** An ICD code with its dot. Codes of other systems stay unchanged. */
export function diagnosisCode({ code, system }: Coded): string {
  const name = systemName(system);
  const dotless = name.startsWith('ICD-10-CM') || name === 'ICD-9-CM';
  if (!dotless || code.includes('.') || !/^[A-Za-z0-9]{4,7}$/.test(code)) return code;
  const lead = name === 'ICD-9-CM' && /^[Ee]/.test(code) ? 4 : 3;
  return code.length > lead ? `${code.slice(0, lead)}.${code.slice(lead)}` : code;
}

const NO_EXTENSIONS: readonly Fields[] = [];
const NO_EXTENSION: Fields = {};

export function extensionOf(element: Fields, name: string): Fields {
  return extensionsOf(element, name)[0] ?? NO_EXTENSION;
}

/** Returns the extensions with a URL that ends in a name, wherever the guide is published. */
export function extensionsOf(element: Fields, name: string): readonly Fields[] {
  // Fast path: most elements have none.
  if (element['extension'] === undefined && element['modifierExtension'] === undefined) return NO_EXTENSIONS;
  return [...listAt(element, 'extension'), ...listAt(element, 'modifierExtension')].filter((extension) => {
    const url = textAt(extension, 'url');
    return url === name || url.endsWith(`/${name}`);
  });
}

/** The identifiers' values, without repetitions. */
export function identifierValues(element: unknown, name = 'identifier'): string[] {
  return unique(textsIn(listAt(element, name), 'value'));
}

/** The value, system and type of an identifier. */
export function describeIdentifier(identifier: Fields): Fields {
  return compact({
    value: textAt(identifier, 'value'),
    system: textAt(identifier, 'system'),
    type: codeOf(identifier['type']),
  });
}
