import { byCode } from '../../values/codes.js';
import { compact, filled } from '../../values/payload.js';
import { booleanAt, type Fields, fieldsAt, listAt, numberAt, textAt } from '../json/objects.js';
import { describeAttachments } from './attachments.js';
import { commonOf, describeResult, observationTimes, outcomeBy, reasonsOf } from './clinical-parts.js';
import { codeOf, codingsOf, describeDiagnosed, describeProcedures, textsIn, wordsOf } from './codes.js';
import type { Mapped, MappingContext } from './context.js';
import {
  describeIdentifiers,
  describeParties,
  describeParty,
  describePerson,
  jurisdictionOf,
  memberOfPatient,
} from './identity.js';
import { periodIn, periodOf } from './moments.js';

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

export function mapServiceRequest(resource: Fields, context: MappingContext): Mapped {
  const { memberId, payload } = commonOf(resource, context);
  const { references } = context;
  const code = fieldsAt(resource, 'code');
  const reasons = reasonsOf(resource, references);
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
    ...describeProcedures(codingsOf(code)),
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

/** Maps a document reference. The bytes of its attachments go to the vault; the payload has their size and hash. */
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
      contents: describeAttachments(
        listAt(resource, 'content').map((one) => fieldsAt(one, 'attachment')),
        context.documents,
      ),
    }),
  });
  const outcome = outcomeBy(DOCUMENT_OUTCOMES, resource, context);
  const times = [{ name: 'date', text: textAt(resource, 'date') }];
  return { family: 'document', type: 'document_referenced', outcome, memberId, times, payload };
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
