import { byCode } from '../../values/codes.js';
import { compact } from '../../values/payload.js';
import { booleanAt, type Fields, fieldsAt, listAt, numberAt, textAt } from '../json/objects.js';
import { describeAttachment, describeAttachments, describeContained } from './attachments.js';
import { type Kind, mapperOf } from './care-kind.js';
import { linksOf, reasonsOf, timeAt, valueInWords } from './clinical-parts.js';
import {
  codeOf,
  codingsOf,
  describeCoding,
  describeDiagnosed,
  describeProcedures,
  extensionsOf,
  textsIn,
  wordsOf,
} from './codes.js';
import type { MappingContext, ResourceMapper } from './context.js';
import { describeParties, describeParty } from './identity.js';
import { dayOf, periodIn } from './moments.js';

// Plans, forms, tasks and requests for information around the care.

const PLAN_OUTCOMES = byCode({
  pended: 'draft on-hold',
  active: 'active',
  recorded: 'completed',
  cancelled: 'revoked entered-in-error',
});
const LIST_LIMIT = 50;
const ANSWERS_LIMIT = 200;

const CARE_PLAN: Kind = {
  name: 'care_plan',
  outcomes: PLAN_OUTCOMES,
  times: (resource) => [timeAt(resource, 'created'), timeAt(resource, 'period', 'start')],
  describe: (resource, { references }) => {
    const planned = listAt(resource, 'activity').map((one) => fieldsAt(one, 'detail'));
    return {
      intent: textAt(resource, 'intent'),
      category: listAt(resource, 'category').map(codeOf)[0],
      service: textAt(resource, 'title') || wordsOf(listAt(resource, 'category')[0]),
      ...describeProcedures(planned.flatMap(({ code }) => codingsOf(code)).slice(0, ANSWERS_LIMIT)),
      ...describeDiagnosed(reasonsOf(resource, references, 'addresses')),
      service_period: periodIn(fieldsAt(resource, 'period')),
      activities: planned
        .slice(0, LIST_LIMIT)
        .map((one) => compact({ status: textAt(one, 'status'), name: wordsOf(fieldsAt(one, 'code')) })),
      activity_references: textsIn(listAt(resource, 'activity').slice(0, LIST_LIMIT), 'reference', 'reference'),
      goals: linksOf(resource, 'goal'),
      rationale: textAt(resource, 'description'),
    };
  },
};

const QUESTIONNAIRE_RESPONSE: Kind = {
  name: 'questionnaire_response',
  outcomes: byCode({
    pended: 'in-progress',
    recorded: 'completed amended',
    inactive: 'stopped',
    cancelled: 'entered-in-error',
  }),
  times: (resource) => [timeAt(resource, 'authored')],
  describe: (resource, context) => ({
    questionnaire: textAt(resource, 'questionnaire'),
    // Da Vinci DTR: the order, appointment or coverage that the form is for, and why it was asked.
    about: textsIn(extensionsOf(resource, 'qr-context'), 'valueReference', 'reference'),
    intended_use: extensionsOf(resource, 'intendedUse').map(({ valueCodeableConcept }) =>
      codeOf(valueCodeableConcept),
    )[0],
    answers: answersOf(resource, context),
    author: describeParty(fieldsAt(resource, 'author'), context.references),
  }),
};

const TASK: Kind = {
  name: 'task',
  outcomes: byCode({
    pended: 'draft on-hold',
    submitted: 'requested received',
    accepted: 'accepted ready',
    active: 'in-progress',
    recorded: 'completed',
    rejected: 'rejected',
    error: 'failed',
    cancelled: 'cancelled entered-in-error',
  }),
  patient: 'for',
  // The status is of the last change.
  times: (resource) => [timeAt(resource, 'lastModified'), timeAt(resource, 'authoredOn')],
  describe: (resource, { references, documents }) => ({
    intent: textAt(resource, 'intent'),
    priority: textAt(resource, 'priority'),
    ...describeProcedures(codingsOf(fieldsAt(resource, 'code'))),
    service: wordsOf(fieldsAt(resource, 'code')) || textAt(resource, 'description'),
    contents: describeContained(resource, documents),
    business_status: wordsOf(fieldsAt(resource, 'businessStatus')),
    status_reason: wordsOf(fieldsAt(resource, 'statusReason')),
    reason: wordsOf(fieldsAt(resource, 'reasonCode')),
    reason_references: linksOf(resource, 'reasonReference'),
    requester: describeParty(fieldsAt(resource, 'requester'), references),
    owner: describeParty(fieldsAt(resource, 'owner'), references),
    due: dayOf(textAt(resource, 'restriction', 'period', 'end')),
  }),
};

const COMMUNICATION_REQUEST: Kind = {
  name: 'communication_request',
  outcomes: PLAN_OUTCOMES,
  times: (resource) => [
    timeAt(resource, 'authoredOn'),
    timeAt(resource, 'occurrenceDateTime'),
    timeAt(resource, 'occurrencePeriod', 'start'),
  ],
  describe: (resource, { references }) => ({
    priority: textAt(resource, 'priority'),
    do_not_perform: booleanAt(resource, 'doNotPerform'),
    category: listAt(resource, 'category').map(codeOf)[0],
    service: wordsOf(listAt(resource, 'category')[0]),
    ...describeDiagnosed(reasonsOf(resource, references)),
    about: linksOf(resource, 'about'),
    requester: describeParty(fieldsAt(resource, 'requester'), references),
    sender: describeParty(fieldsAt(resource, 'sender'), references),
    recipients: describeParties(listAt(resource, 'recipient'), references),
    rationale: textsIn(listAt(resource, 'payload'), 'contentString').join('\n'),
  }),
};

const COMMUNICATION: Kind = {
  name: 'communication',
  outcomes: byCode({
    pended: 'preparation on-hold',
    active: 'in-progress',
    recorded: 'completed',
    cancelled: 'not-done stopped entered-in-error',
  }),
  times: (resource) => [timeAt(resource, 'sent'), timeAt(resource, 'received')],
  describe: (resource, { references, documents }) => {
    const parts = listAt(resource, 'payload').slice(0, LIST_LIMIT);
    return {
      priority: textAt(resource, 'priority'),
      category: listAt(resource, 'category').map(codeOf)[0],
      service: wordsOf(fieldsAt(resource, 'topic')) || wordsOf(listAt(resource, 'category')[0]),
      ...describeDiagnosed(reasonsOf(resource, references)),
      about: linksOf(resource, 'about'),
      in_response_to: linksOf(resource, 'inResponseTo'),
      sender: describeParty(fieldsAt(resource, 'sender'), references),
      recipients: describeParties(listAt(resource, 'recipient'), references),
      contents: describeAttachments(
        parts.map((part) => fieldsAt(part, 'contentAttachment')),
        documents,
      ),
      content_references: textsIn(parts, 'contentReference', 'reference'),
      rationale: textsIn(parts, 'contentString').join('\n'),
    };
  },
};

/** The answers of a form in their order, those of nested questions as well. */
function answersOf(resource: Fields, { amounts, documents }: MappingContext): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  const open = [...listAt(resource, 'item')].reverse();
  for (let item = open.pop(); item !== undefined && found.length < ANSWERS_LIMIT; item = open.pop()) {
    const answers = listAt(item, 'answer');
    for (const answer of answers.slice(0, LIST_LIMIT)) {
      const quantity = amounts.plain(numberAt(answer, 'valueQuantity', 'value') ?? numberAt(answer, 'valueDecimal'));
      const coding = fieldsAt(answer, 'valueCoding');
      const codes = codingsOf({ coding: [coding] });
      found.push(
        compact({
          link_id: textAt(item, 'linkId'),
          question: textAt(item, 'text'),
          value: textAt(coding, 'display') || valueInWords(answer, quantity) || textAt(answer, 'valueDate'),
          unit: textAt(answer, 'valueQuantity', 'unit') || textAt(answer, 'valueQuantity', 'code'),
          codes: codes.map(describeCoding),
          reference: textAt(answer, 'valueReference', 'reference'),
          attachment: describeAttachment(fieldsAt(answer, 'valueAttachment'), documents),
        }),
      );
    }
    const nested = [...answers.flatMap((answer) => listAt(answer, 'item')), ...listAt(item, 'item')];
    open.push(...nested.reverse());
  }
  return found;
}

export const WORKFLOW_MAPPERS: readonly (readonly [string, ResourceMapper])[] = [
  ['CarePlan', mapperOf(CARE_PLAN)],
  ['QuestionnaireResponse', mapperOf(QUESTIONNAIRE_RESPONSE)],
  ['Task', mapperOf(TASK)],
  ['CommunicationRequest', mapperOf(COMMUNICATION_REQUEST)],
  ['Communication', mapperOf(COMMUNICATION)],
];
