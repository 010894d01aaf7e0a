import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { appended, said } from '../analysis/analysis-kit.js';

let service: WholeService;
let http: Http;

beforeAll(async () => {
  service = await startWholeService();
  ({ http } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']));
  await appended(http, [
    said('e-1', { outcome: 'DENIED', payload: { note: '=HYPERLINK("x")' } }),
    said('e-2', { outcome: 'PAID', payload: {}, event_effective_timestamp: '2026-03-11T12:00:00.000Z' }),
  ]);
});

afterAll(async () => service.stop());

const CONNECTION = `query Q($first: Int!) {
  eventConnection(first: $first) { nodes { source_record_id outcome payload } pageInfo { hasNextPage endCursor } }
}`;
const ask = (accept: string, query: string, variables: object = {}) =>
  http.post('/graphql', { query, variables }, { accept });

describe('POST /graphql with Accept', () => {
  it('answers text/csv with the list of a connection, and names the next page in a header', async () => {
    const answer = await ask('text/csv', CONNECTION, { first: 1 });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="answer.csv"');
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(answer.text).toBe('source_record_id,outcome\r\ne-2,PAID\r\n');
    const query = CONNECTION.replace('$first: Int!', '$first: Int!, $after: String').replace(
      'first: $first',
      'first: $first, after: $after',
    );
    const next = await ask('text/csv', query, { first: 1, after: answer.headers.get('x-next-cursor') });
    expect(next.text).toBe('source_record_id,outcome,payload.note\r\ne-1,DENIED,"\'=HYPERLINK(""x"")"\r\n');
    expect(next.headers.get('x-next-cursor')).toBeNull();
  });

  it('answers application/x-ndjson with one object a line', async () => {
    const answer = await ask(
      'application/x-ndjson',
      '{ eventAggregate(by: [OUTCOME], limit: 5) { items { outcome count } } }',
    );
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.text).toBe('{"outcome":"denied","count":1}\n{"outcome":"paid","count":1}\n');
  });

  it('answers JSON with the errors if a field failed', async () => {
    const { json } = await ask('text/csv', '{ aiDecisions(limit: 1) { items { decision_id } } }');
    expect(json.errors[0].extensions.code).toBe('FORBIDDEN');
    const invalid = await ask('text/csv', '{ nothing }');
    expect([invalid.status, invalid.json.errors.length]).toEqual([400, 1]);
  });

  it('rejects a query with an answer that is no table', async () => {
    const { status, json } = await ask('text/csv', '{ eventAggregate(by: [], limit: 1) { events } }');
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ path: '/query', code: 'table' }]);
  });

  it('states the cost of a query in a header, and the cost of each field of a query that costs too much', async () => {
    const one = '{ eventConnection(first: 10) { nodes { event_id outcome } } }';
    // 200 for the field, 1 for the list, and 2 for each of ten events.
    expect((await ask('application/json', one)).headers.get('x-query-cost')).toBe('221');
    const dear = `{ ${Array.from({ length: 10 }, (_, i) => `a${i}: eventAggregate(by: [], limit: 1) { events }`).join(' ')} }`;
    const { json } = await ask('application/json', dear);
    expect(json.errors[0].message).toMatch(
      /^The query would cost 20010; the limit is 20000\. Cost by field: a0 2001, a1 2001,/,
    );
  });
});
