import { createHash } from 'node:crypto';
import { compact, unique } from '../x12/compact.js';
import { codeOf, codingsOf, describeCoding, diagnosisCode, wordsOf } from './codes.js';
import {
  describeIdentifiers,
  describeParty,
  describePerson,
  identityOf,
  jurisdictionOf,
  memberOfPatient,
} from './identity.js';
import { booleanAt, type Fields, fieldsAt, listAt, numberAt, textAt } from './json.js';
import type { Mapped, MappingContext } from './mapping-context.js';
import { periodOf, type TimeSource } from './moments.js';

const orderOutcomes: Readonly<Record<string, string>> = {
  draft: 'pended',
  active: 'active',
  'on-hold': 'pended',
  completed: 'recorded',
  revoked: 'cancelled',
  'entered-in-error': 'cancelled',
};
const encounterOutcomes: Readonly<Record<string, string>> = {
  planned: 'scheduled',
  arrived: 'active',
  triaged: 'active',
  'in-progress': 'active',
  onleave: 'active',
  finished: 'recorded',
  cancelled: 'cancelled',
  'entered-in-error': 'cancelled',
};
const observationOutcomes: Readonly<Record<string, string>> = {
  registered: 'pended',
  preliminary: 'recorded',
  final: 'recorded',
  amended: 'recorded',
  corrected: 'recorded',
  cancelled: 'cancelled',
  'entered-in-error': 'cancelled',
};
const documentOutcomes: Readonly<Record<string, string>> = {
  current: 'recorded',
  superseded: 'recorded',
  'entered-in-error': 'cancelled',
};

/** The outcome that a status means; `unknown` with a warning for one that no table knows. */
function outcomeBy(table: Readonly<Record<string, string>>, resource: Fields, context: MappingContext): string {
  const status = textAt(resource, 'status');
  const outcome = Object.hasOwn(table, status) ? table[status] : undefined;
  if (outcome === undefined && status !== 'unknown')
    context.warn('STATUS_UNKNOWN', 'the status is not known', 'status');
  return outcome ?? 'unknown';
}

/** What every clinical resource shows of its patient. */
function commonOf(resource: Fields, context: MappingContext): { memberId: string; payload: Record<string, unknown> } {
  const { memberId, patient } = identityOf(resource, 'subject', context);
  return {
    memberId,
    payload: {
      status: textAt(resource, 'status'),
      identifiers: describeIdentifiers(resource),
      jurisdiction: jurisdictionOf(patient),
      patient: describePerson(patient),
      encounter: textAt(resource, 'encounter', 'reference'),
    },
  };
}

export function mapServiceRequest(resource: Fields, context: MappingContext): Mapped {
  const { memberId, payload } = commonOf(resource, context);
  const { references } = context;
  const code = fieldsAt(resource, 'code');
  const reasons = [
    ...listAt(resource, 'reasonCode').flatMap(codingsOf),
    ...listAt(resource, 'reasonReference').flatMap((one) =>
      codingsOf(fieldsAt(references.resolve(one).resource, 'code')),
    ),
  ];
  const details = listAt(resource, 'orderDetail')
    .map(wordsOf)
    .filter((text) => text !== '');
  Object.assign(payload, {
    intent: textAt(resource, 'intent'),
    priority: textAt(resource, 'priority'),
    procedure_codes: unique(codingsOf(code).map((one) => one.code)),
    procedures: codingsOf(code).map(describeCoding),
    service: wordsOf(code),
    diagnosis_codes: unique(reasons.map(diagnosisCode)),
    diagnoses: reasons.map(describeCoding),
    requester: describeParty(fieldsAt(resource, 'requester'), references),
    performers: listAt(resource, 'performer')
      .slice(0, 20)
      .map((one) => describeParty(one, references)),
    order: compact({
      placer_number: textAt(listAt(resource, 'identifier')[0], 'value'),
      group_number: textAt(resource, 'requisition', 'value'),
    }),
    quantity: context.amounts.plain(numberAt(resource, 'quantityQuantity', 'value')),
    service_period: occurrenceOf(resource),
    rationale: [...listAt(resource, 'note').map((note) => textAt(note, 'text')), ...details]
      .filter((text) => text !== '')
      .join('\n'),
  });
  const outcome = outcomeBy(orderOutcomes, resource, context);
  const type = outcome === 'cancelled' ? 'order_cancelled' : 'order_placed';
  const times = [{ name: 'authoredOn', text: textAt(resource, 'authoredOn') }];
  return { family: 'clinical', type, outcome, memberId, times, payload };
}

function occurrenceOf(resource: Fields): Record<string, string> | undefined {
  const day = textAt(resource, 'occurrenceDateTime');
  if (day !== '') return periodOf(day, day);
  return periodOf(textAt(resource, 'occurrencePeriod', 'start'), textAt(resource, 'occurrencePeriod', 'end'));
}

export function mapEncounter(resource: Fields, context: MappingContext): Mapped {
  const { memberId, payload } = commonOf(resource, context);
  const { references } = context;
  const place = references.resolve(fieldsAt(listAt(resource, 'location')[0], 'location')).resource;
  const start = textAt(resource, 'period', 'start');
  const types = listAt(resource, 'type');
  const reasons = listAt(resource, 'reasonCode').flatMap(codingsOf);
  const diagnoses = listAt(resource, 'diagnosis').flatMap((one) =>
    codingsOf(fieldsAt(references.resolve(fieldsAt(one, 'condition')).resource, 'code')),
  );
  Object.assign(payload, {
    encounter: undefined,
    jurisdiction: payload['jurisdiction'] === 'US' ? jurisdictionOf(place) : payload['jurisdiction'],
    class: textAt(resource, 'class', 'code'),
    service: types.map(wordsOf).find((text) => text !== ''),
    procedure_codes: unique(types.flatMap(codingsOf).map((one) => one.code)),
    procedures: types.flatMap(codingsOf).map(describeCoding),
    diagnosis_codes: unique([...reasons, ...diagnoses].map(diagnosisCode)),
    diagnoses: [...reasons, ...diagnoses].map(describeCoding),
    service_period: periodOf(start, textAt(resource, 'period', 'end')),
    admission: start,
    discharge: textAt(resource, 'period', 'end'),
    disposition: codeOf(fieldsAt(resource, 'hospitalization', 'dischargeDisposition')),
    providers: [
      ...listAt(resource, 'participant')
        .slice(0, 50)
        .map((one) => describeParty(fieldsAt(one, 'individual'), references, codeOf(listAt(one, 'type')[0]))),
      describeParty(fieldsAt(resource, 'serviceProvider'), references, 'facility'),
    ].filter((one) => Object.keys(one).length > 0),
  });
  const outcome = outcomeBy(encounterOutcomes, resource, context);
  const times = [{ name: 'period.start', text: start }];
  return { family: 'encounter', type: 'encounter_recorded', outcome, memberId, times, payload };
}

export function mapObservation(resource: Fields, context: MappingContext): Mapped {
  const { memberId, payload } = commonOf(resource, context);
  const code = fieldsAt(resource, 'code');
  const parts = listAt(resource, 'component');
  Object.assign(payload, {
    category: listAt(resource, 'category').map(codeOf)[0],
    procedure_codes: unique(codingsOf(code).map((one) => one.code)),
    service: wordsOf(code),
    results: (parts.length > 0 ? [resource, ...parts] : [resource])
      .slice(0, 200)
      .map((one) => describeResult(one, context)),
    performers: listAt(resource, 'performer')
      .slice(0, 20)
      .map((one) => describeParty(one, context.references)),
    rationale: listAt(resource, 'note')
      .map((note) => textAt(note, 'text'))
      .filter((text) => text !== '')
      .join('\n'),
  });
  const outcome = outcomeBy(observationOutcomes, resource, context);
  return {
    family: 'clinical',
    type: 'observation_recorded',
    outcome,
    memberId,
    times: observationTimes(resource),
    payload,
  };
}

/** effective[x], else issued. */
function observationTimes(resource: Fields): TimeSource[] {
  return [
    { name: 'effectiveDateTime', text: textAt(resource, 'effectiveDateTime') },
    {
      name: 'effectivePeriod.start',
      text: textAt(resource, 'effectivePeriod', 'start') || textAt(resource, 'effectivePeriod', 'end'),
    },
    { name: 'effectiveInstant', text: textAt(resource, 'effectiveInstant') },
    { name: 'issued', text: textAt(resource, 'issued') },
  ];
}

function describeResult(element: Fields, { amounts }: MappingContext): Record<string, unknown> {
  const [coded] = codingsOf(fieldsAt(element, 'code'));
  const range = listAt(element, 'referenceRange')[0];
  const limit = (name: string): string => amounts.plain(numberAt(range, name, 'value')) ?? '';
  const bounds = [limit('low'), limit('high')];
  return compact({
    code: coded?.code,
    name: wordsOf(fieldsAt(element, 'code')),
    value: valueInWords(element, amounts.plain(numberAt(element, 'valueQuantity', 'value'))),
    comparator: textAt(element, 'valueQuantity', 'comparator'),
    unit: textAt(element, 'valueQuantity', 'unit') || textAt(element, 'valueQuantity', 'code'),
    range: textAt(range, 'text') || (bounds.join('') === '' ? '' : bounds.join('-')),
    flags: listAt(element, 'interpretation')
      .map(codeOf)
      .filter((code) => code !== ''),
    absent: codeOf(fieldsAt(element, 'dataAbsentReason')),
  });
}

function valueInWords(element: Fields, quantity: string | undefined): string | undefined {
  if (quantity !== undefined) return quantity;
  const flag = booleanAt(element, 'valueBoolean');
  if (flag !== undefined) return String(flag);
  const whole = numberAt(element, 'valueInteger');
  if (whole !== undefined) return String(whole);
  return (
    textAt(element, 'valueString') ||
    wordsOf(element['valueCodeableConcept']) ||
    textAt(element, 'valueDateTime') ||
    textAt(element, 'valueTime')
  );
}

/** A document told of: the bytes of its attachments stay in the raw message; here stand size and hash. */
export function mapDocument(resource: Fields, context: MappingContext): Mapped {
  const { memberId, payload } = commonOf(resource, context);
  Object.assign(payload, {
    encounter: textAt(listAt(resource, 'context', 'encounter')[0], 'reference'),
    service: wordsOf(fieldsAt(resource, 'type')),
    service_period: periodOf(
      textAt(resource, 'context', 'period', 'start'),
      textAt(resource, 'context', 'period', 'end'),
    ),
    providers: listAt(resource, 'author')
      .slice(0, 20)
      .map((one) => describeParty(one, context.references, 'author')),
    document: compact({
      type: codeOf(fieldsAt(resource, 'type')),
      type_text: wordsOf(fieldsAt(resource, 'type')),
      category: listAt(resource, 'category').map(codeOf)[0],
      description: textAt(resource, 'description'),
      completion_status: textAt(resource, 'docStatus'),
      number: textAt(resource, 'masterIdentifier', 'value'),
      related: listAt(resource, 'relatesTo')
        .slice(0, 20)
        .map((one) => compact({ kind: textAt(one, 'code'), target: textAt(one, 'target', 'reference') })),
      contents: listAt(resource, 'content')
        .slice(0, 20)
        .map((one) => describeAttachment(fieldsAt(one, 'attachment'))),
    }),
  });
  const outcome = outcomeBy(documentOutcomes, resource, context);
  const times = [{ name: 'date', text: textAt(resource, 'date') }];
  return { family: 'document', type: 'document_referenced', outcome, memberId, times, payload };
}

function describeAttachment(attachment: Fields): Record<string, unknown> {
  const bytes = Buffer.from(textAt(attachment, 'data'), 'base64');
  return compact({
    media_type: textAt(attachment, 'contentType'),
    title: textAt(attachment, 'title'),
    url: textAt(attachment, 'url'),
    size_bytes: bytes.length > 0 ? bytes.length : undefined,
    sha256: bytes.length > 0 ? createHash('sha256').update(bytes).digest('hex') : undefined,
  });
}

export function mapPatient(resource: Fields, context: MappingContext): Mapped {
  const memberId = memberOfPatient(resource);
  const merged = listAt(resource, 'link').filter((one) => ['replaces', 'replaced-by'].includes(textAt(one, 'type')));
  const payload: Record<string, unknown> = {
    active: booleanAt(resource, 'active'),
    identifiers: describeIdentifiers(resource),
    jurisdiction: jurisdictionOf(resource),
    patient: describePerson(resource),
    deceased: textAt(resource, 'deceasedDateTime') || booleanAt(resource, 'deceasedBoolean'),
    links: merged
      .slice(0, 20)
      .map((one) => compact({ kind: textAt(one, 'type'), patient: textAt(one, 'other', 'reference') })),
    providers: listAt(resource, 'generalPractitioner')
      .slice(0, 20)
      .map((one) => describeParty(one, context.references, 'primary')),
  };
  return { family: 'member', type: 'member_updated', outcome: 'recorded', memberId, times: [], payload };
}
