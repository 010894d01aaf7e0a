import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { Answer, Http } from '../../support/http.js';

/** A synthetic event of an analysis; `id` is its source record. */
export const said = (id: string, over: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  event_family: 'claim',
  event_type: 'claim_adjudicated',
  member_id: 'M-1',
  source_system: 'claims',
  source_record_id: id,
  event_effective_timestamp: '2026-03-10T12:00:00.000Z',
  ...over,
});

/** Appends events, and waits until the search index has followed. Returns the ids by source record. */
export async function appended(
  http: Http,
  events: readonly Record<string, unknown>[],
): Promise<Readonly<Record<string, string>>> {
  const answer = await http.post('/v1/events', events);
  expect(answer.json).toMatchObject({ accepted: events.length });
  const look = () => http.post('/v1/search', { query: 'anything', kinds: ['event'] });
  await eventually(look, ({ json }) => json.freshness.behind === 0 && json.freshness.indexed > 0);
  return Object.fromEntries(
    answer.json.results.map(({ event_id }: { event_id: string }, i: number) => [
      events[i]?.['source_record_id'],
      event_id,
    ]),
  );
}

/** Asks a saved question, as `GET /v1/questions` lists it. */
export async function asked(http: Http, name: string, variables: object = {}): Promise<Answer['json']> {
  const { json } = await http.get('/v1/questions');
  const question = json.items.find((item: { name: string }) => item.name === name);
  const answer = await http.post('/graphql', { query: question.query, variables });
  expect(answer.json.errors).toBeUndefined();
  return answer.json.data;
}

/** Source records of events. */
export const records = (events: readonly { source_record_id: string }[]): string[] =>
  events.map(({ source_record_id }) => source_record_id);
