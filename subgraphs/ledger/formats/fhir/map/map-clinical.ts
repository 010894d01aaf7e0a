import { hash } from 'node:crypto';
import { byCode } from '../../values/codes.js';
import { compact, filled, unique } from '../../values/payload.js';
import { booleanAt, type Fields, fieldsAt, listAt, numberAt, textAt } from '../json/objects.js';
import { codeOf, codingsOf, describeDiagnosed, describeProcedures, textsIn, wordsOf } from './codes.js';
import type { Mapped, MappingContext } from './context.js';
import {
  describeIdentifiers,
  describeParties,
  describeParty,
  describePerson,
  identityOf,
  jurisdictionOf,
  memberOfPatient,
} from './identity.js';
import { periodIn, periodOf, type TimeSource } from './moments.js';

const ORDER_OUTCOMES = byCode({
  pended: 'draft on-hold',
  active: 'active',
  recorded: 'completed',
  cancelled: 'revoked entered-in-error',
});
const ENCOUNTER_OUTCOMES = byCode({
  scheduled: 'planned',
  active: 'arrived triaged in-progress onleave',
  recorded: 'finished',
  cancelled: 'cancelled entered-in-error',
});
const OBSERVATION_OUTCOMES = byCode({
  pended: 'registered',
  recorded: 'preliminary final amended corrected',
  cancelled: 'cancelled entered-in-error',
});
const DOCUMENT_OUTCOMES = byCode({ recorded: 'current superseded', cancelled: 'entered-in-error' });

/** The outcome of a status; `unknown` with a warning for an unlisted one. */
function outcomeBy(table: ReadonlyMap<string, string>, resource: Fields, context: MappingContext): string {
  const status = textAt(resource, 'status');
  const outcome = table.get(status);
  if (outcome === undefined && status !== 'unknown') context.warn('STATUS_UNKNOWN', 'the status is unknown', 'status');
  return outcome ?? 'unknown';
}

/** The members that every clinical resource has. */
function commonOf(resource: Fields, context: MappingContext): { memberId: string; payload: Record<string, unknown> } {
  const { memberId, memberBasis, patient } = identityOf(resource, 'subject', context);
  return {
    memberId,
    payload: {
      status: textAt(resource, 'status'),
      identifiers: describeIdentifiers(resource),
      jurisdiction: jurisdictionOf(patient),
      patient: describePerson(patient),
      encounter: textAt(resource, 'encounter', 'reference'),
      member_basis: memberBasis,
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
  const details = filled(listAt(resource, 'orderDetail').map(wordsOf));
  Object.assign(payload, {
    intent: textAt(resource, 'intent'),
    priority: textAt(resource, 'priority'),
    ...describeProcedures(codingsOf(code)),
    service: wordsOf(code),
    ...describeDiagnosed(reasons),
    requester: describeParty(fieldsAt(resource, 'requester'), references),
    performers: describeParties(listAt(resource, 'performer'), references),
    order: compact({
      placer_number: textAt(listAt(resource, 'identifier')[0], 'value'),
      group_number: textAt(resource, 'requisition', 'value'),
    }),
    quantity: context.amounts.plain(numberAt(resource, 'quantityQuantity', 'value')),
    service_period: occurrenceOf(resource),
    rationale: [...textsIn(listAt(resource, 'note'), 'text'), ...details].join('\n'),
  });
  const outcome = outcomeBy(ORDER_OUTCOMES, resource, context);
  const type = outcome === 'cancelled' ? 'order_cancelled' : 'order_placed';
  const times = [{ name: 'authoredOn', text: textAt(resource, 'authoredOn') }];
  return { family: 'clinical', type, outcome, memberId, times, payload };
}

function occurrenceOf(resource: Fields): Record<string, string> | undefined {
  const day = textAt(resource, 'occurrenceDateTime');
  if (day !== '') return periodOf(day, day);
  return periodIn(fieldsAt(resource, 'occurrencePeriod'));
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
    ...describeProcedures(types.flatMap(codingsOf)),
    ...describeDiagnosed([...reasons, ...diagnoses]),
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
  const outcome = outcomeBy(ENCOUNTER_OUTCOMES, resource, context);
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
    performers: describeParties(listAt(resource, 'performer'), context.references),
    rationale: textsIn(listAt(resource, 'note'), 'text').join('\n'),
  });
  const outcome = outcomeBy(OBSERVATION_OUTCOMES, resource, context);
  const times = observationTimes(resource);
  return { family: 'clinical', type: 'observation_recorded', outcome, memberId, times, payload };
}

/** effective[x], else issued. */
function observationTimes(resource: Fields): TimeSource[] {
  const period = textAt(resource, 'effectivePeriod', 'start') || textAt(resource, 'effectivePeriod', 'end');
  const plain = (name: string): TimeSource => ({ name, text: textAt(resource, name) });
  const during = { name: 'effectivePeriod.start', text: period };
  return [plain('effectiveDateTime'), during, plain('effectiveInstant'), plain('issued')];
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
    flags: filled(listAt(element, 'interpretation').map(codeOf)),
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

/** Maps a document reference. Attachment bytes stay in the raw message; the payload has their size and hash. */
export function mapDocument(resource: Fields, context: MappingContext): Mapped {
  const { memberId, payload } = commonOf(resource, context);
  Object.assign(payload, {
    encounter: textAt(listAt(resource, 'context', 'encounter')[0], 'reference'),
    service: wordsOf(fieldsAt(resource, 'type')),
    service_period: periodIn(fieldsAt(resource, 'context', 'period')),
    providers: describeParties(listAt(resource, 'author'), context.references, 'author'),
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
  const outcome = outcomeBy(DOCUMENT_OUTCOMES, resource, context);
  const times = [{ name: 'date', text: textAt(resource, 'date') }];
  return { family: 'document', type: 'document_referenced', outcome, memberId, times, payload };
}

function describeAttachment(attachment: Fields): Record<string, unknown> {
  const bytes = Buffer.from(textAt(attachment, 'data'), 'base64');
  return compact({
    media_type: textAt(attachment, 'contentType'),
    title: textAt(attachment, 'title'),
    url: textAt(attachment, 'url'),
    ...(bytes.length > 0 && { size_bytes: bytes.length, sha256: hash('sha256', bytes, 'hex') }),
  });
}

export function mapPatient(resource: Fields, context: MappingContext): Mapped {
  const { memberId, memberBasis } = memberOfPatient(resource, context);
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
    providers: describeParties(listAt(resource, 'generalPractitioner'), context.references, 'primary'),
    member_basis: memberBasis,
  };
  return { family: 'member', type: 'member_updated', outcome: 'recorded', memberId, times: [], payload };
}
