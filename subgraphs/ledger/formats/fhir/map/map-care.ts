import { byCode } from '../../values/codes.js';
import { filled } from '../../values/payload.js';
import { booleanAt, type Fields, fieldsAt, listAt, numberAt, textAt } from '../json/objects.js';
import { describeAttachments } from './attachments.js';
import { type Kind, mapperOf } from './care-kind.js';
import { describeResult, linksOf, observationTimes, reasonsOf, timeAt } from './clinical-parts.js';
import { codeOf, codingsOf, describeDiagnosed, describeProcedures, textsIn, wordsOf } from './codes.js';
import type { ResourceMapper } from './context.js';
import { describeParties, describeParty } from './identity.js';
import { dayOf, periodIn, periodOf } from './moments.js';

// Clinical resources of US Core that rules use as evidence.

const RESULTS_LIMIT = 200;

const CONDITION: Kind = {
  name: 'condition',
  outcomes: byCode({
    active: 'active recurrence relapse',
    inactive: 'inactive remission resolved',
    recorded: 'recorded',
    pended: 'unconfirmed provisional differential',
    cancelled: 'refuted entered-in-error',
  }),
  // A condition that is not confirmed, or was ruled out, is not the member's.
  status: (resource) => {
    const verified = codeOf(fieldsAt(resource, 'verificationStatus'));
    const isConfirmed = verified === '' || verified === 'confirmed';
    if (!isConfirmed) return verified;
    const clinical = codeOf(fieldsAt(resource, 'clinicalStatus'));
    // R4 requires a clinical status on a problem list alone (con-3): the diagnosis of an encounter has none.
    return clinical === '' && !isListed(resource) ? 'recorded' : clinical;
  },
  times: (resource) => [
    timeAt(resource, 'onsetDateTime'),
    timeAt(resource, 'onsetPeriod', 'start'),
    timeAt(resource, 'recordedDate'),
  ],
  describe: (resource, { references }) => ({
    status: codeOf(fieldsAt(resource, 'clinicalStatus')),
    verification_status: codeOf(fieldsAt(resource, 'verificationStatus')),
    ...describeDiagnosed(codingsOf(fieldsAt(resource, 'code'))),
    service: wordsOf(fieldsAt(resource, 'code')),
    severity: wordsOf(fieldsAt(resource, 'severity')),
    body_sites: filled(listAt(resource, 'bodySite').map(wordsOf)),
    service_period: periodOf(
      textAt(resource, 'onsetDateTime') || textAt(resource, 'onsetPeriod', 'start'),
      textAt(resource, 'abatementDateTime') || textAt(resource, 'abatementPeriod', 'end'),
    ),
    recorded_on: dayOf(textAt(resource, 'recordedDate')),
    providers: describeParties([fieldsAt(resource, 'recorder'), fieldsAt(resource, 'asserter')], references),
  }),
};

const isListed = (condition: Fields): boolean =>
  listAt(condition, 'category')
    .flatMap(codingsOf)
    .some(({ code }) => code === 'problem-list-item');

const PROCEDURE: Kind = {
  name: 'procedure',
  outcomes: byCode({
    scheduled: 'preparation',
    active: 'in-progress',
    pended: 'on-hold',
    recorded: 'completed',
    cancelled: 'not-done stopped entered-in-error',
  }),
  times: (resource) => [
    timeAt(resource, 'performedDateTime'),
    timeAt(resource, 'performedPeriod', 'start'),
    timeAt(resource, 'performedPeriod', 'end'),
  ],
  describe: (resource, { references }) => ({
    ...describeProcedures(codingsOf(fieldsAt(resource, 'code'))),
    service: wordsOf(fieldsAt(resource, 'code')),
    ...describeDiagnosed(reasonsOf(resource, references)),
    status_reason: wordsOf(fieldsAt(resource, 'statusReason')),
    result: wordsOf(fieldsAt(resource, 'outcome')),
    body_sites: filled(listAt(resource, 'bodySite').map(wordsOf)),
    service_period: servicePeriodOf(resource, 'performed'),
    performers: describeParties(
      listAt(resource, 'performer').map((one) => fieldsAt(one, 'actor')),
      references,
    ),
    reports: linksOf(resource, 'report'),
  }),
};

const MEDICATION_REQUEST: Kind = {
  name: 'medication_request',
  outcomes: byCode({
    pended: 'draft on-hold',
    active: 'active',
    recorded: 'completed',
    inactive: 'stopped',
    cancelled: 'cancelled entered-in-error',
  }),
  times: (resource) => [timeAt(resource, 'authoredOn')],
  describe: (resource, { references, amounts }) => {
    const stated = fieldsAt(resource, 'medicationCodeableConcept');
    const target = references.resolve(fieldsAt(resource, 'medicationReference')).resource;
    const drug = Object.keys(stated).length > 0 ? stated : fieldsAt(target, 'code');
    const dispense = fieldsAt(resource, 'dispenseRequest');
    return {
      intent: textAt(resource, 'intent'),
      priority: textAt(resource, 'priority'),
      do_not_perform: booleanAt(resource, 'doNotPerform'),
      ...describeProcedures(codingsOf(drug)),
      service: wordsOf(drug) || textAt(resource, 'medicationReference', 'display'),
      ...describeDiagnosed(reasonsOf(resource, references)),
      status_reason: wordsOf(fieldsAt(resource, 'statusReason')),
      requester: describeParty(fieldsAt(resource, 'requester'), references),
      dosage: textsIn(listAt(resource, 'dosageInstruction'), 'text'),
      quantity: amounts.plain(numberAt(dispense, 'quantity', 'value')),
      quantity_unit: textAt(dispense, 'quantity', 'unit') || textAt(dispense, 'quantity', 'code'),
      days_supply: amounts.plain(numberAt(dispense, 'expectedSupplyDuration', 'value')),
      refills: amounts.plain(numberAt(dispense, 'numberOfRepeatsAllowed')),
      prior_prescription: textAt(resource, 'priorPrescription', 'reference'),
    };
  },
};

const DIAGNOSTIC_REPORT: Kind = {
  name: 'diagnostic_report',
  outcomes: byCode({
    pended: 'registered',
    recorded: 'partial preliminary modified final amended corrected appended',
    cancelled: 'cancelled entered-in-error',
  }),
  times: observationTimes,
  describe: (resource, context) => {
    const { references, documents } = context;
    // Contained observations are no events; those of a body are events of their own.
    const contained = listAt(resource, 'result').flatMap((one) => {
      const { resource: target, joinedBy } = references.resolve(one);
      return target !== null && joinedBy === 'contained' ? [target, ...listAt(target, 'component')] : [];
    });
    return {
      category: listAt(resource, 'category').map(codeOf)[0],
      ...describeProcedures(codingsOf(fieldsAt(resource, 'code'))),
      service: wordsOf(fieldsAt(resource, 'code')),
      ...describeDiagnosed(listAt(resource, 'conclusionCode').flatMap(codingsOf)),
      results: contained.slice(0, RESULTS_LIMIT).map((one) => describeResult(one, context)),
      result_references: linksOf(resource, 'result'),
      service_period: servicePeriodOf(resource, 'effective'),
      performers: describeParties(listAt(resource, 'performer'), references),
      contents: describeAttachments(listAt(resource, 'presentedForm'), documents),
      rationale: textAt(resource, 'conclusion'),
    };
  },
};

/** The days of performed[x] or effective[x]. */
function servicePeriodOf(resource: Fields, name: string): { from: string; to: string } | undefined {
  const day = textAt(resource, `${name}DateTime`);
  return day === '' ? periodIn(fieldsAt(resource, `${name}Period`)) : periodOf(day, day);
}

export const CARE_MAPPERS: readonly (readonly [string, ResourceMapper])[] = [
  ['Condition', mapperOf(CONDITION)],
  ['Procedure', mapperOf(PROCEDURE)],
  ['MedicationRequest', mapperOf(MEDICATION_REQUEST)],
  ['DiagnosticReport', mapperOf(DIAGNOSTIC_REPORT)],
];
