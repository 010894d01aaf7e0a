import { compact, filled, unique } from '../../values/payload.js';
import { type Fields, fieldsAt, isFields, listAt, textAt } from '../json/objects.js';
import { codeOf, codingsOf, describeProcedures, extensionsOf, wordsOf } from '../map/codes.js';

/** What the messages of CDS Hooks (Da Vinci CRD) say besides the patient. */

const LIMIT = 200;

export type HookKind = 'request' | 'response' | 'feedback';

/** The kind of a message of CDS Hooks: a hook with its instance, cards, or what users did with cards. */
export const hookKindOf = (message: Fields): HookKind | null => {
  if (Object.hasOwn(message, 'resourceType')) return null;
  if (textAt(message, 'hook') !== '' && textAt(message, 'hookInstance') !== '') return 'request';
  if (Array.isArray(message['cards'])) return 'response';
  return listAt(message, 'feedback').some((one) => textAt(one, 'card') !== '') ? 'feedback' : null;
};

/** The resources of prefetch and of the orders or appointments in the context, Bundles opened. */
export function resourcesOf(request: Fields): Fields[] {
  const values = [...Object.values(fieldsAt(request, 'prefetch')), ...Object.values(fieldsAt(request, 'context'))];
  return values
    .filter(isFields)
    .flatMap((value) =>
      textAt(value, 'resourceType') === 'Bundle'
        ? listAt(value, 'entry').map((entry) => fieldsAt(entry, 'resource'))
        : [value],
    )
    .filter((resource) => textAt(resource, 'resourceType') !== '')
    .slice(0, LIMIT);
}

/** The orders or appointments that the request asks about, with their codes. */
export function describeOrders(request: Fields): Record<string, unknown> {
  const context = fieldsAt(request, 'context');
  const asked = ['draftOrders', 'appointments', 'order', 'task'].flatMap((name) => {
    const value = fieldsAt(context, name);
    if (textAt(value, 'resourceType') !== 'Bundle') return textAt(value, 'resourceType') === '' ? [] : [value];
    return listAt(value, 'entry').map((entry) => fieldsAt(entry, 'resource'));
  });
  const concepts = asked.slice(0, LIMIT).flatMap((order) => {
    const drug = fieldsAt(order, 'medicationCodeableConcept');
    return [fieldsAt(order, 'code'), fieldsAt(order, 'codeCodeableConcept'), drug, ...listAt(order, 'serviceType')];
  });
  return {
    ...describeProcedures(concepts.flatMap(codingsOf)),
    service: concepts.map(wordsOf).find((words) => words !== '') ?? '',
    orders: asked
      .slice(0, LIMIT)
      .map((order) =>
        compact({ type: textAt(order, 'resourceType'), id: textAt(order, 'id'), status: textAt(order, 'status') }),
      ),
    selections: Array.isArray(context['selections'])
      ? context['selections'].filter((one): one is string => typeof one === 'string').slice(0, LIMIT)
      : [],
  };
}

/** The cards of a response, and what its actions say of coverage. */
export function describeAnswer(response: Fields): Record<string, unknown> {
  const actions = [
    ...listAt(response, 'systemActions'),
    ...listAt(response, 'cards').flatMap((card) =>
      listAt(card, 'suggestions').flatMap((suggestion) => listAt(suggestion, 'actions')),
    ),
  ].slice(0, LIMIT);
  const resources = actions.map((action) => fieldsAt(action, 'resource'));
  return {
    card_ids: cardIds(listAt(response, 'cards'), 'uuid'),
    cards: listAt(response, 'cards')
      .slice(0, LIMIT)
      .map((card) =>
        compact({
          id: textAt(card, 'uuid'),
          summary: textAt(card, 'summary'),
          indicator: textAt(card, 'indicator'),
          source: textAt(card, 'source', 'label'),
          topic: textAt(card, 'source', 'topic', 'code'),
          links: filled(listAt(card, 'links').map((link) => textAt(link, 'url'))),
        }),
      ),
    ...describeProcedures(resources.flatMap((resource) => codingsOf(fieldsAt(resource, 'code')))),
    coverage_information: resources.flatMap((resource) =>
      extensionsOf(resource, 'ext-coverage-information').map(describeCoverage),
    ),
  };
}

/** The cards that a response gives or that feedback is about; they link the two. */
const cardIds = (items: readonly Fields[], name: string): string[] =>
  unique(filled(items.map((one) => textAt(one, name)))).slice(0, LIMIT);

/** What users did with cards: what they accepted, or why they overrode them. */
export function describeFeedback(message: Fields): Record<string, unknown> {
  const items = listAt(message, 'feedback').slice(0, LIMIT);
  return {
    card_ids: cardIds(items, 'card'),
    feedback: items.map((one) => {
      const reason = fieldsAt(one, 'overrideReason');
      return compact({
        card: textAt(one, 'card'),
        outcome: textAt(one, 'outcome'),
        accepted_suggestions: filled(listAt(one, 'acceptedSuggestions').map((suggestion) => textAt(suggestion, 'id'))),
        override_code: textAt(reason, 'reason', 'code'),
        override_reason: textAt(reason, 'reason', 'display'),
        at: textAt(one, 'outcomeTimestamp'),
      });
    }),
    rationale: filled(items.map((one) => textAt(one, 'overrideReason', 'userComment'))).join('\n'),
  };
}

/** The time of the latest feedback in a message; '' if it states none. */
export const feedbackTime = (message: Fields): string =>
  filled(listAt(message, 'feedback').map((one) => textAt(one, 'outcomeTimestamp')))
    .sort()
    .at(-1) ?? '';

/** The first order that an action changes, which names the patient. */
export const changedOrder = (response: Fields): Fields =>
  listAt(response, 'systemActions')
    .map((action) => fieldsAt(action, 'resource'))
    .find((resource) => textAt(resource, 'subject', 'reference') !== '') ?? {};

/** Parts of the extension coverage-information: whether it is covered, and whether it needs an authorization. */
function describeCoverage(extension: Fields): Record<string, unknown> {
  const parts = listAt(extension, 'extension');
  const codes = (name: string): string[] =>
    unique(
      filled(
        parts
          .filter((part) => textAt(part, 'url') === name)
          .map(
            (part) => textAt(part, 'valueCode') || textAt(part, 'valueString') || codeOf(part['valueCodeableConcept']),
          ),
      ),
    );
  return compact({
    covered: codes('covered')[0],
    pa_needed: codes('pa-needed')[0],
    doc_needed: codes('doc-needed'),
    info_needed: codes('info-needed'),
    reasons: codes('reason'),
    assertion_id: codes('coverage-assertion-id')[0],
    authorization_number: codes('satisfied-pa-id')[0],
  });
}
