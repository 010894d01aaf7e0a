import { isJsonObject } from '../json/strict-json.js';

// The part of a record that consent examines, for every kind of record (api.md section 6). 42 CFR Part 2 protects what a
// federally assisted program says of a person's substance use. A label or the source identifies such a record.

/** The label of 42 CFR Part 2, as records and consents name it. */
export const PART_2 = '42CFR2';

/** A record as the rules of consent see it. */
export interface SensitiveView {
  /** Members of the record; empty for a record without a member. */
  readonly member_ids: readonly string[];
  /** What consents may name it by: its family or kind, in lower case; null where that is not known any more. */
  readonly category: string | null;
  readonly source_system: string | null;
  /** Labels that it carries. */
  readonly labels: readonly string[];
  readonly diagnosis_codes: readonly string[];
  /** True for a document: no coded field says what it contains. */
  readonly opaque: boolean;
}

interface EventMembers {
  readonly member_id?: string | null;
  readonly event_family: string;
  readonly source_system: string;
  readonly payload?: unknown;
}

/** View of an event, from its envelope or from its disclosed part. */
export function viewOfEvent({ member_id, event_family, source_system, payload }: EventMembers): SensitiveView {
  const content = isJsonObject(payload) ? payload : {};
  return {
    member_ids: member_id == null ? [] : [member_id],
    category: event_family.toLowerCase(),
    source_system,
    labels: textsOf(content['sensitivity']),
    diagnosis_codes: textsOf(content['diagnosis_codes']),
    opaque: false,
  };
}

interface DocumentMembers {
  readonly member_ids: readonly string[];
  readonly source_system: string | null;
  readonly tags: readonly string[];
}

/** A document: its tags are its labels. */
export const viewOfDocument = ({ member_ids, source_system, tags }: DocumentMembers): SensitiveView => ({
  member_ids,
  category: 'document',
  source_system,
  labels: tags,
  diagnosis_codes: [],
  opaque: true,
});

/** View of a disposed event: only its possible members and its source are left. */
export const viewOfDisposed = (member_ids: readonly string[], source_system: string): SensitiveView => ({
  member_ids,
  category: null,
  source_system,
  labels: [],
  diagnosis_codes: [],
  opaque: true,
});

/** One text or a list of them; a sender's own form of either is no reason to miss the label. */
const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((text): text is string => typeof text === 'string');

/** Substance use disorders in ICD-10-CM and ICD-9-CM, dotted or not. */
const SUBSTANCE_USE = /^(?:F1[0-9]|(?:291|292|30[345])(?:\.?\d{1,2})?$)/i;
/** Codes of ICD-10-CM, which the pattern above classifies. */
const ICD10 = /^[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?$/i;
/** Identifiers of SNOMED CT. */
const SNOMED = /^\d{6,18}$/;

/**
 * Disorders of substance use in SNOMED CT that decide even with codes of ICD-10-CM. Without one of those, any SNOMED code
 * counts as unclassified, because the service has no SNOMED hierarchy: drug abuse, substance abuse, drug dependence,
 * psychoactive substance dependence, alcoholism, abuse of alcohol, opioids, cocaine and cannabis, and dependence on
 * opioids, cocaine, cannabis and nicotine.
 */
const SNOMED_SUBSTANCE_USE: ReadonlySet<string> = new Set(
  (
    '26416006 66214007 191816009 2403008 7200002 15167005 5602001 78267003 37344009 75544000 31956009 85005007 ' +
    '56294008'
  ).split(' '),
);

/** True for diagnoses of substance use, and for diagnoses that are coded in SNOMED CT alone. */
function mayBeSubstanceUse(codes: readonly string[]): boolean {
  if (codes.some((code) => SUBSTANCE_USE.test(code) || SNOMED_SUBSTANCE_USE.has(code))) return true;
  return codes.some((code) => SNOMED.test(code)) && !codes.some((code) => ICD10.test(code));
}

/** `42CFR2`, `42 CFR Part 2`, HL7's `42CFRPart2`: the same words. */
const isPart2Label = (label: string): boolean => {
  const plain = label.toUpperCase().replaceAll(/[^0-9A-Z]/g, '');
  return plain === PART_2 || plain === '42CFRPART2';
};

/**
 * True for 42 CFR Part 2 data. A label decides for any source. For a source system flagged as a Part 2 program, a
 * diagnosis of substance use decides too (F10–F19, 291, 292, 303–305, SNOMED CT), and so does content that cannot be
 * classified, such as diagnoses in SNOMED CT alone.
 */
export function isPart2(
  { labels, diagnosis_codes, source_system, opaque }: SensitiveView,
  flagged: ReadonlySet<string>,
): boolean {
  if (labels.some(isPart2Label)) return true;
  if (source_system === null || !flagged.has(source_system)) return false;
  return opaque || mayBeSubstanceUse(diagnosis_codes);
}

/**
 * View of an entry of the ledger, from its whole record.
 *
 * @param memberIds members to whom a disposed event may have belonged
 */
export const viewOfRecord = (
  { record, source_system }: { readonly record: string | null; readonly source_system: string },
  memberIds: readonly string[],
): SensitiveView =>
  record === null ? viewOfDisposed(memberIds, source_system) : viewOfEvent(JSON.parse(record) as EventMembers);
