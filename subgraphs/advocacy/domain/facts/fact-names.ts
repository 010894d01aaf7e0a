import { FINDINGS } from './findings.js';
import { MEASURES } from './measures.js';

// The one table of what a criterion may ask for. The linter of rules refuses any other name, the reader of facts fills
// these and no more, and docs/advocacy.md shows it.

/** `number` is a range where the record gives bounds only; `codes` is a list that is asked by `in`. */
export type FactType = 'number' | 'text' | 'boolean' | 'codes';

/**
 * What absence means. `stated`: once the event states any of this kind, what it does not state is not so. `covered`: none
 * within a span that the member's record covers is none. `open`: absence is unknown, always.
 */
export type FactAbsence = 'stated' | 'covered' | 'open';

export interface FactName {
  readonly type: FactType;
  readonly absence: FactAbsence;
  readonly unit?: string;
  readonly description: string;
}

const fact = (type: FactType, absence: FactAbsence, description: string, unit?: string): FactName => ({
  type,
  absence,
  description,
  ...(unit !== undefined && { unit }),
});

/** Facts with a fixed name. */
export const FACT_NAMES = {
  'event.family': fact('text', 'stated', 'Family of the event, in lower case.'),
  'event.type': fact('text', 'stated', 'Type of the event, in lower case.'),
  'event.outcome': fact('text', 'stated', 'Outcome of the event, in lower case.'),
  'event.program': fact('text', 'stated', 'Programme of cover, as the event states it.'),
  'event.jurisdiction': fact('text', 'stated', 'Jurisdiction, as the event states it (US-CA).'),
  'event.place_of_service': fact('text', 'open', 'CMS place-of-service code of the claim, two digits.'),
  'event.service_date': fact('text', 'stated', 'First day of the service, YYYY-MM-DD; else the day of the event.'),
  'event.rationale': fact('text', 'open', 'Free reason given, in lower case; `in` looks for words in it.'),
  'event.reasons': fact('codes', 'stated', 'Reason codes of the event, as SYSTEM/CODE (CARC/50).'),
  'member.age_years': fact('number', 'open', 'Age on the day of service, from the birth date on the record.', 'years'),
  'member.birth_year': fact('number', 'open', 'Year of birth.', 'year'),
  'member.sex': fact('text', 'open', 'F or M, as the record states it.'),
  'procedures.codes': fact('codes', 'stated', 'Procedure codes of the event.'),
  'procedures.modifiers': fact('codes', 'stated', 'Modifiers on the event’s lines.'),
  'diagnoses.codes': fact('codes', 'stated', 'ICD-10-CM codes of the event and of the member’s record, dotted.'),
  'diagnoses.stems': fact(
    'codes',
    'stated',
    'Every leading part of those codes: G47.33 gives G, G4, G47, G47.3 and G47.33.',
  ),
  'event.diagnosis_stems': fact('codes', 'stated', 'Every leading part of the diagnosis codes of the event alone.'),
  'history.procedures': fact('codes', 'open', 'Procedure codes of services before the day of service.'),
  'documents.kinds': fact('codes', 'open', 'Kinds of documents that the record names (sleep_study, order, …).'),
} as const satisfies Readonly<Record<string, FactName>>;

/** Facts whose last part is chosen by the criterion. */
export const FACT_FAMILIES = {
  observations: 'Latest value of a measure at or before the day of the event; names in the table of measures.',
  findings: 'What a clinician or supplier stated of this member in payload.findings; names in the table of findings.',
  'history.months_since':
    'Calendar months from the last service with this code to the day of service (January to January is 12).',
  'history.count_12_months': 'Days with this service in the twelve calendar months before the day of service.',
} as const;

/** A procedure code as it may end a name; codes with a dot are asked by `in`. */
const CODE = /^[A-Z0-9]{3,11}$/;

/** The fact of this name; null when there is none. */
export function factNamed(name: string): FactName | null {
  if (Object.hasOwn(FACT_NAMES, name)) return FACT_NAMES[name as keyof typeof FACT_NAMES];
  const cut = name.lastIndexOf('.');
  const last = name.slice(cut + 1);
  switch (name.slice(0, Math.max(cut, 0))) {
    case 'observations': {
      const measure = MEASURES.get(last);
      return measure ? fact('number', 'open', measure.description, measure.unit) : null;
    }
    case 'findings': {
      const finding = FINDINGS.get(last);
      return finding ? fact(finding.type, 'open', finding.description) : null;
    }
    case 'history.months_since':
      return CODE.test(last) ? fact('number', 'covered', FACT_FAMILIES['history.months_since'], 'months') : null;
    case 'history.count_12_months':
      return CODE.test(last) ? fact('number', 'covered', FACT_FAMILIES['history.count_12_months'], 'days') : null;
    default:
      return null;
  }
}
