// Kinds of documents that settle unknown criteria, and the words that identify them on the record. A document on record proves
// only that it exists.

export const DOCUMENT_KINDS = {
  adherence_report: 'a report of use and benefit from the trial of therapy',
  blood_gas_or_oximetry: 'a blood gas or oximetry report that names who did the test, and when',
  cardiology_report: 'the cardiologist’s report with history, class of heart failure and indication',
  claims_history: 'the claims history of the service from this plan and any earlier one',
  clinical_notes: 'the treating practitioner’s notes on this condition',
  coverage: 'the record of the coverage that was in force on the day of service',
  facility_enrolment: 'proof of the facility’s enrolment',
  hiv_test: 'the result of an HIV test before the start',
  home_assessment: 'an assessment of the home',
  imaging_history: 'a list of earlier imaging studies for this condition',
  lvef_report: 'a report of the ejection fraction that names the method',
  member_demographics: 'the member’s enrolment record with date of birth and sex',
  mobility_evaluation: 'a mobility evaluation by the treating practitioner',
  operative_plan: 'the operative plan that names the operation',
  order: 'the order of the treating practitioner, with its reason',
  pathology_report: 'a pathology report, or notes that say why cancer is strongly suspected',
  shared_decision_note: 'the note of the shared-decision visit',
  sleep_study: 'a sleep study report with the index and the type of test',
  smoking_history: 'a note of pack-years, and of the year in which smoking stopped',
} as const;

export type DocumentKind = keyof typeof DOCUMENT_KINDS;

export const isDocumentKind = (text: string): text is DocumentKind => Object.hasOwn(DOCUMENT_KINDS, text);

/** Words in the title or type of a document that identify its kind; the first match wins. */
const WORDS_OF_KIND: readonly (readonly [kind: DocumentKind, phrases: readonly string[]])[] = [
  ['sleep_study', ['sleep study', 'polysomnography', 'polysomnogram', 'home sleep test']],
  ['adherence_report', ['adherence', 'compliance report']],
  ['blood_gas_or_oximetry', ['blood gas', 'oximetry']],
  ['mobility_evaluation', ['mobility evaluation', 'mobility examination', 'wheelchair evaluation']],
  ['home_assessment', ['home assessment', 'home evaluation']],
  ['pathology_report', ['pathology', 'biopsy']],
  ['hiv_test', ['hiv test', 'hiv screen', 'hiv 1']],
  ['lvef_report', ['echocardiogram', 'echocardiography', 'ejection fraction']],
  ['shared_decision_note', ['shared decision']],
  ['operative_plan', ['operative plan', 'operative note', 'operative report']],
  ['cardiology_report', ['cardiology']],
  ['order', ['order', 'prescription', 'certificate of medical necessity', 'referral']],
  ['clinical_notes', ['progress note', 'history and physical', 'consultation', 'clinical note', 'office visit']],
];

/** X12 report types (PWK01) that identify a kind. */
const BY_REPORT_TYPE: Readonly<Partial<Record<string, DocumentKind>>> = {
  CT: 'order',
  OB: 'operative_plan',
};

/** Returns the kind of a document by its name on the record, or null. */
export function documentKindOf(named: string): DocumentKind | null {
  const exact = BY_REPORT_TYPE[named.trim().toUpperCase()];
  if (exact) return exact;
  const words = ` ${named.toLowerCase().replace(/[^a-z0-9]+/g, ' ')} `;
  if (isDocumentKind(named)) return named;
  const found = WORDS_OF_KIND.find(([, phrases]) => phrases.some((phrase) => words.includes(` ${phrase} `)));
  return found?.[0] ?? null;
}
