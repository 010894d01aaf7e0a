import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { Answer, Http } from '../../support/http.js';

/** Appends events of a fresh tenant, and waits until the search index has all of them. */
export async function appendedAll(http: Http, events: readonly Record<string, unknown>[]): Promise<void> {
  for (let i = 0; i < events.length; i += MAX_BATCH) {
    const batch = events.slice(i, i + MAX_BATCH);
    expect((await http.post('/v1/events', batch)).json).toMatchObject({ accepted: batch.length });
  }
  const look = () => http.post('/v1/search', { query: 'anything', kinds: ['event'] });
  await eventually(look, ({ json }) => json.freshness.indexed >= events.length);
}

const MAX_BATCH = 450;

/** Runs a query that must not fail. */
export async function graph(http: Http, query: string, variables: object = {}): Promise<Answer['json']> {
  const { json } = await http.post('/graphql', { query, variables });
  expect(json.errors).toBeUndefined();
  return json.data;
}

const CONNECTION = `query Q($filter: EventFilterInput, $first: Int!, $after: String, $orderBy: EventOrder, $purpose: String) {
  eventConnection(filter: $filter, first: $first, after: $after, orderBy: $orderBy, purpose: $purpose) {
    nodes { source_record_id }
    edges { cursor node { source_record_id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
    totalCountIsExact
    withheld { count reason }
  }
}`;

/** Reads one page of the connection of events. */
export const connection = async (http: Http, variables: object): Promise<Answer['json']> =>
  (await graph(http, CONNECTION, { first: 50, ...variables })).eventConnection;

/** Source records of the events that a filter finds, sorted. */
export const filtered = async (http: Http, filter: object): Promise<string[]> => {
  const { nodes, totalCount, totalCountIsExact } = await connection(http, { filter });
  expect([totalCount, totalCountIsExact]).toEqual([nodes.length, true]);
  return nodes.map(({ source_record_id }: { source_record_id: string }) => source_record_id).sort();
};

export const NPI_A = '1234567893';
export const NPI_B = '1999999984';
