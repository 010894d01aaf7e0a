import { compact, unique } from '../x12/compact.js';
import { type Fields, fieldsAt, listAt, textAt } from './json.js';

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

/** The first code of a CodeableConcept; '' when there is none. */
export function codeOf(concept: unknown): string {
  for (const coding of listAt(concept, 'coding')) {
    const code = textAt(coding, 'code');
    if (code !== '' && !isAbsence(coding)) return code;
  }
  return '';
}

/** A reason why there is no code is none. */
const isAbsence = (coding: Fields): boolean => textAt(coding, 'system').endsWith('/data-absent-reason');

export const hasCode = (concept: unknown, code: string): boolean => codingsOf(concept).some((one) => one.code === code);

/** What a CodeableConcept says in words: its text, else the first display. */
export function wordsOf(concept: unknown): string {
  const text = textAt(concept, 'text');
  if (text !== '') return text;
  for (const coding of listAt(concept, 'coding')) {
    const display = textAt(coding, 'display');
    if (display !== '') return display;
  }
  return '';
}

/** Names of systems as the other formats' payloads have them. */
const systemNames: readonly (readonly [RegExp, string])[] = [
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

const rememberedLimit = 256;
const remembered = new Map<string, string>();

/** The short name of a code system; the URI itself when it is none of the usual. A body names few systems, over and over. */
export function systemName(system: string): string {
  const known = remembered.get(system);
  if (known !== undefined) return known;
  const name = systemNames.find(([pattern]) => pattern.test(system))?.[1] ?? system;
  if (remembered.size >= rememberedLimit) remembered.clear();
  if (system.length <= rememberedLimit) remembered.set(system, name);
  return name;
}

export function describeCoding({ code, system, display }: Coded): Fields {
  return compact({ code, system: systemName(system), display });
}

/** ICD with its dot; the raw form stands beside it. Systems that are no ICD keep their code as it is. */
export function diagnosisCode({ code, system }: Coded): string {
  const name = systemName(system);
  const dotless = name.startsWith('ICD-10-CM') || name === 'ICD-9-CM';
  if (!dotless || code.includes('.') || !/^[A-Za-z0-9]{4,7}$/.test(code)) return code;
  const lead = name === 'ICD-9-CM' && /^[Ee]/.test(code) ? 4 : 3;
  return code.length > lead ? `${code.slice(0, lead)}.${code.slice(lead)}` : code;
}

/** The extension whose URL ends in a name, wherever its guide is published. */
const noExtensions: readonly Fields[] = [];
const noExtension: Fields = {};

export function extensionOf(element: Fields, name: string): Fields {
  return extensionsOf(element, name)[0] ?? noExtension;
}

export function extensionsOf(element: Fields, name: string): readonly Fields[] {
  // Most elements have none.
  if (element['extension'] === undefined && element['modifierExtension'] === undefined) return noExtensions;
  return [...listAt(element, 'extension'), ...listAt(element, 'modifierExtension')].filter((extension) => {
    const url = textAt(extension, 'url');
    return url === name || url.endsWith(`/${name}`);
  });
}

/** The identifiers' values, without repetitions. */
export function identifierValues(element: unknown, name = 'identifier'): string[] {
  return unique(
    listAt(element, name)
      .map((one) => textAt(one, 'value'))
      .filter((value) => value !== ''),
  );
}

/** `system|value`, or the value alone. */
export function describeIdentifier(identifier: Fields): Fields {
  return compact({
    value: textAt(identifier, 'value'),
    system: textAt(identifier, 'system'),
    type: codeOf(fieldsAt(identifier, 'type')),
  });
}
