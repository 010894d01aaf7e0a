// Statements that a criterion may ask for where no code or measure says it: a clinician or supplier makes them, an event
// carries them in payload.findings as { name: value }. Nobody infers them; what is not stated is unknown.

export interface Finding {
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
