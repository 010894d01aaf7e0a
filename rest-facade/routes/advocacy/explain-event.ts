import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import { graphRoute } from '../../graph-route.js';
import { preferredLanguage } from '../../preferred-language.js';
import { Answer, type Route } from '../../route.js';

const LANGUAGES = ['en', 'es'];

/** The language stands in the query or in Accept-Language; the graph is told which one it is. */
export function explainEvent(contract: ContractDocument): Route {
  const route = graphRoute({
    method: 'GET',
    path: '/v1/advocacy/explain/{event_id}',
    area: 'advocacy',
    scope: 'events:read',
    members: { custody: 'facade' },
    tenant: 'required',
    summary: 'Explain an event in plain words',
    description:
      'What each reason code means, how it comes to that, what to do and by when; who owes what; and the rights to appeal of ' +
      'the programme, the state and the day. At reading grade 8 or below, in English or Spanish (`language`, else ' +
      'Accept-Language). A code that is in no table is said to be unknown, and an event without codes gets an honest answer. ' +
      'It is not legal or medical advice.',
    operation: { name: 'ExplainEvent', field: 'explanation' },
    params: { event_id: 'event_id' },
    answer: 'The explanation.',
  })(contract);
  return {
    ...route,
    handle: async (call) => {
      const language = call.query['language'] ?? preferredLanguage(call.acceptLanguage, LANGUAGES) ?? LANGUAGES[0];
      const record = call.query['record'] === true && !call.isHead;
      const body = await call.run({ ...call.query, record, event_id: call.params['event_id'], language });
      return new Answer(200, body, { 'content-language': String(language), vary: 'accept-language' });
    },
  };
}
