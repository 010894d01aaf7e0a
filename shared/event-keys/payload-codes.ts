import { isJsonObject, type JsonObject, type JsonValue } from '../json/strict-json.js';

// The codes, providers and claims that a payload names. `procedure_codes` and `diagnosis_codes` hold codes without
// qualifiers (docs/formats.md), so the shape of a code decides its system. The graph and the filters of events share
// these rules.

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

/** Values of one kind read from one payload; guards against oversized payloads. */
const MAX_OF_A_KIND = 500;

const systemOf = (lists: typeof PROCEDURES, code: string): string =>
  lists.find(([, shape]) => shape.test(code))?.[0] ?? 'OTHER';

/** The code of a procedure with the system of its shape. */
export function procedureCode(written: string): ListedCode {
  const code = written.toUpperCase();
  return { system: systemOf(PROCEDURES, code), code };
}

/** The code of a diagnosis with the system of its shape. */
export function diagnosisCode(written: string): ListedCode {
  const code = written.toUpperCase();
  const system = systemOf(DIAGNOSES, code);
  return { system, code: system === 'ICD10CM' ? dottedDiagnosis(code) : code };
}

/** Adds the point to an ICD-10-CM code, which X12 omits. */
export const dottedDiagnosis = (code: string): string =>
  code.length > 3 && !code.includes('.') ? `${code.slice(0, 3)}.${code.slice(3)}` : code;

/** Removes the group code: `50`, `CO50` and `CO-50` are one reason (docs/formats.md). */
export const reasonNumber = (code: string): string => code.toUpperCase().replace(/^(?:CO|PR|OA|PI|CR)-?/, '');

export const proceduresOf = (payload: JsonObject): readonly ListedCode[] =>
  textsOf(payload['procedure_codes']).map(procedureCode);

export const diagnosesOf = (payload: JsonObject): readonly ListedCode[] =>
  textsOf(payload['diagnosis_codes']).map(diagnosisCode);

/** Reasons of a decision: adjustment reasons, remarks, and reject codes of pharmacy claims. */
export const reasonsOf = (payload: JsonObject): readonly ListedCode[] => [
  ...textsOf(payload['carc']).map((code) => ({ system: 'CARC', code: reasonNumber(code) })),
  ...textsOf(payload['rarc']).map((code) => ({ system: 'RARC', code })),
  ...textsOf(payload['reject_codes']).map((code) => ({ system: 'NCPDP', code })),
];

const NPI = /^\d{10}$/;

/** NPIs under `providers[].npi`, `provider.npi`, `npi` and `*_npi`. */
export function npisOf(payload: JsonObject): string[] {
  const { providers, provider } = payload;
  const listed = [...(Array.isArray(providers) ? providers.slice(0, MAX_OF_A_KIND) : []), provider ?? null];
  const named = [
    ...listed.map((item) => (isJsonObject(item) ? item['npi'] : undefined)),
    ...Object.entries(payload).flatMap(([name, value]) => (name === 'npi' || name.endsWith('_npi') ? [value] : [])),
  ];
  return named.flatMap((value) => textOf(value) ?? []).filter((npi) => NPI.test(npi));
}

export const claimIdsOf = (payload: JsonObject): readonly string[] => textsOf(payload['claim_id']);

export const payloadOf = ({ payload }: JsonObject): JsonObject => (isJsonObject(payload) ? payload : {});

export function textOf(value: JsonValue | undefined): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** Reads a text, a list of texts, or a list of objects with a `code`. Payloads are free-form; other shapes yield nothing. */
export function textsOf(value: JsonValue | undefined): string[] {
  const items = (Array.isArray(value) ? value : [value]).slice(0, MAX_OF_A_KIND);
  return items.flatMap((item) => textOf(isJsonObject(item) ? item['code'] : item) ?? []);
}
