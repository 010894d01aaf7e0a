import { compact, unique } from '../values/payload.js';
import type { ElementNode } from '../values/xml/element-tree.js';
import { attribute, childrenOf } from './elements.js';

/** Code systems by OID: the name that the payloads of all formats use, and the URI that FHIR uses. */
const SYSTEMS: Readonly<Record<string, readonly [name: string, uri: string] | undefined>> = {
  '2.16.840.1.113883.6.96': ['SNOMED', 'http://snomed.info/sct'],
  '2.16.840.1.113883.6.1': ['LOINC', 'http://loinc.org'],
  '2.16.840.1.113883.6.90': ['ICD-10-CM', 'http://hl7.org/fhir/sid/icd-10-cm'],
  '2.16.840.1.113883.6.4': ['ICD-10-PCS', 'http://www.cms.gov/Medicare/Coding/ICD10'],
  '2.16.840.1.113883.6.103': ['ICD-9-CM', 'http://hl7.org/fhir/sid/icd-9-cm'],
  '2.16.840.1.113883.6.104': ['ICD-9-CM', 'http://hl7.org/fhir/sid/icd-9-cm'],
  '2.16.840.1.113883.6.12': ['CPT', 'http://www.ama-assn.org/go/cpt'],
  '2.16.840.1.113883.6.285': ['HCPCS', 'https://www.cms.gov/Medicare/Coding/HCPCSReleaseCodeSets'],
  '2.16.840.1.113883.6.88': ['RxNorm', 'http://www.nlm.nih.gov/research/umls/rxnorm'],
  '2.16.840.1.113883.6.69': ['NDC', 'http://hl7.org/fhir/sid/ndc'],
  '2.16.840.1.113883.12.292': ['CVX', 'http://hl7.org/fhir/sid/cvx'],
  '2.16.840.1.113883.6.13': ['CDT', 'http://www.ada.org/cdt'],
};

/** One code of an element. */
interface Coded {
  readonly code: string;
  readonly system: string;
  readonly described: Record<string, unknown>;
}

/** The code of an element (CD, CE) and its translations; those with a nullFlavor have none. */
export function codesOf(node: ElementNode | undefined): Coded[] {
  if (node === undefined) return [];
  return [node, ...childrenOf(node, 'translation')].flatMap((one) => {
    const code = attribute(one, 'code');
    if (code === '') return [];
    const oid = attribute(one, 'codeSystem');
    const [system, uri] = SYSTEMS[oid] ?? [oid === '' ? '' : `urn:oid:${oid}`, ''];
    const display = attribute(one, 'displayName');
    return [{ code, system, described: compact({ code, system, system_uri: uri, display }) }];
  });
}

/** The words of a code: its display, else its original text. */
export function wordsOf(node: ElementNode | undefined): string {
  const stated = [node, ...childrenOf(node, 'translation')].map((one) => attribute(one, 'displayName'));
  return stated.find((text) => text !== '') ?? childrenOf(node, 'originalText')[0]?.text ?? '';
}

/** Services and drugs: unique codes, and each with its system. */
export const describeProcedures = (coded: readonly Coded[]): Record<string, unknown> => ({
  procedure_codes: unique(coded.map(({ code }) => code)),
  procedures: coded.map(({ described }) => described),
});

/** Conditions: unique codes, and each with its system. */
export const describeDiagnoses = (coded: readonly Coded[]): Record<string, unknown> => ({
  diagnosis_codes: unique(coded.map(({ code }) => code)),
  diagnoses: coded.map(({ described }) => described),
});
