import { MEASURES } from './measures.js';

// The table of facts that a criterion may use. The linter rejects any other name, the reader reads only these, and
// docs/advocacy.md shows the table.

/** `number` is a range if the record gives only bounds; `codes` is a list for the operator `in`. */
type FactType = 'number' | 'text' | 'boolean' | 'codes';

/**
 * The meaning of absence. `stated`: if the event states any value of this kind, every other value is false. `covered`: absent
 * from the time that the record covers means none. `open`: absence is always unknown.
 */
type FactAbsence = 'stated' | 'covered' | 'open';

interface FactName {
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

/** Families of facts: the criterion adds the last part of the name. */
export const FACT_FAMILIES = {
  observations: 'Latest value of a measure at or before the day of the event; names in the table of measures.',
  findings: 'What a clinician or supplier stated of this member in payload.findings; names in the table of findings.',
  'history.months_since':
    'Calendar months from the last service with this code to the day of service (January to January is 12).',
  'history.count_12_months': 'Days with this service in the twelve calendar months before the day of service.',
} as const;

/** A procedure code at the end of a name; criteria compare codes with a dot by `in`. */
const CODE = /^[A-Z0-9]{3,11}$/;

export const isFixedName = (name: string): name is keyof typeof FACT_NAMES => Object.hasOwn(FACT_NAMES, name);

/** Returns the fact of this name, or null. */
export function factNamed(name: string): FactName | null {
  if (isFixedName(name)) return FACT_NAMES[name];
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

// Statements that a criterion may use where no code or measure exists. A clinician or supplier makes them; an event carries
// them in payload.findings as { name: value }. The service infers none: an unstated finding is unknown.

interface Finding {
  readonly type: 'boolean' | 'number';
  readonly description: string;
}

const yesNo = (description: string): Finding => ({ type: 'boolean', description });
const counted = (description: string): Finding => ({ type: 'number', description });

export const FINDINGS: ReadonlyMap<string, Finding> = new Map<string, Finding>([
  ['aspirin_bp_diet_addressed', yesNo('Aspirin advice, blood-pressure screening and diet counselling were given.')],
  ['at_risk_of_hiv', yesNo('The person is at increased risk of HIV.')],
  ['autologous_car_t_cells', yesNo('The product is autologous T cells with a chimeric antigen receptor.')],
  ['cancer_strongly_suspected', yesNo('Cancer is strongly suspected from other tests.')],
  [
    'car_t_labelled_or_compendium_use',
    yesNo('The use is labelled by the FDA, or supported in an approved compendium.'),
  ],
  ['contractor_allows_more', yesNo('The contractor allowed more than the usual number.')],
  ['cpap_ordered_and_taught', yesNo('Ordered by the treating physician; its use was taught.')],
  ['cpap_trial_improved', yesNo('The apnea improved with use in the trial of 12 weeks.')],
  ['cpap_within_trial', yesNo('The service is within the first 12 weeks of use.')],
  ['depression_care_supports', yesNo('Primary care has staff-assisted support for diagnosis, treatment, follow-up.')],
  ['distinct_service', yesNo('The service was distinct from the others of the day: another site, session or organ.')],
  ['earlier_pet_studies', counted('FDG PET studies for this cancer before this one.')],
  ['dependent_edema', yesNo('Dependent edema that suggests heart failure.')],
  ['facility_meets_car_t_terms', yesNo('The facility is enrolled as the determination asks.')],
  ['first_screening', yesNo('The person was not screened so before.')],
  ['glucose_monitor_trainable', yesNo('The person or a caregiver can be trained; the monitor is for home use.')],
  ['hcv_high_risk', yesNo('Past or present injection drug use, or a transfusion before 1992.')],
  ['hcv_ordered_by_primary_care', yesNo('The test was ordered by the primary-care practitioner.')],
  ['hiv_negative', yesNo('The person was HIV negative before the start.')],
  ['icd_indication', yesNo('One of the indications that the determination lists is met.')],
  ['icd_primary_exclusion', yesNo('Class IV, recent revascularisation or infarction, or candidate for it.')],
  ['icd_primary_prevention', yesNo('The device is a first one for primary prevention.')],
  ['icd_shared_decision', yesNo('A shared-decision visit with an evidence-based tool took place.')],
  ['intensive_multicomponent', yesNo('The intervention is intensive, with several components.')],
  ['lung_screening_order_and_visit', yesNo('No signs of lung cancer; an order; counselling and a shared decision.')],
  ['mae_home_allows_use', yesNo('The home allows use of the equipment.')],
  ['mae_lesser_device_fails', yesNo('A lesser device does not do.')],
  ['mae_limits_daily_activities', yesNo('A mobility limitation impairs everyday activities in the home.')],
  ['mae_other_limits_compensated', yesNo('Other limits do not prevent use, or can be made good.')],
  ['mae_safe_use', yesNo('The person or a caregiver is able and willing to use it safely.')],
  ['months_since_last_screening', counted('Calendar months since the person was last screened so.')],
  ['obesity_treatment_failed', yesNo('Earlier medical treatment for obesity failed.')],
  ['ongoing_injection_drug_use', yesNo('Injection drug use went on since the last negative test.')],
  ['osa_symptoms', yesNo('Signs and symptoms of obstructive sleep apnea are documented.')],
  ['oxygen_test_at_need', yesNo('Tested at the time of need.')],
  ['oxygen_test_by_practitioner', yesNo('Ordered and judged by the treating practitioner, not done by the supplier.')],
  ['pet_changes_initial_strategy', yesNo('Needed to decide on an invasive procedure, its site, or the extent.')],
  ['pet_for_breast_diagnosis_or_axilla', yesNo('For first diagnosis or axillary staging of breast cancer.')],
  ['pet_for_regional_melanoma_nodes', yesNo('For regional node staging of melanoma.')],
  ['primary_care_setting', yesNo('By a primary-care practitioner in a primary-care setting; the person able.')],
  ['pulmonary_hypertension', yesNo('Pulmonary hypertension or cor pulmonale.')],
  ['separate_visit', yesNo('The notes show a significant, separately identifiable visit on the day of the procedure.')],
  ['severe_visual_or_manual_impairment', yesNo('Severe impairment of sight or of the hands.')],
  ['sleep_test_accepted_type', yesNo('A test of type I to IV, or the three-channel device, done as the text allows.')],
  ['sleep_test_confirms_osa', yesNo('Clinical evaluation and an accepted sleep test show obstructive sleep apnea.')],
  ['weighs_35_kg', yesNo('The person weighs 35 kg or more.')],
  ['covered_bariatric_operation', yesNo('Bypass, adjustable banding, or biliopancreatic diversion with switch.')],
]);
