import { Writable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { AnalystEndpoint } from '../../gateway/analyst.js';
import { composeGraph } from '../../gateway/composition.js';
import { createExecutor, type GraphExecutor } from '../../gateway/executor.js';
import { localDataSources } from '../../gateway/local-data-source.js';
import type { RequestContext } from '../../shared/auth/context.js';
import { effectiveScopes, type GrantedScope } from '../../shared/auth/scopes.js';
import { buildGraph } from '../../shared/graph/subgraph.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { definition } from './tiny-subgraph.js';

const OPERATIONS = [
  { name: 'GetNote', document: 'query GetNote($id: String!) { note(note_id: $id) { note_id author payload } }' },
  {
    name: 'ListNotes',
    document: 'query ListNotes($limit: Int) { notes(limit: $limit) { items { note_id } next_cursor } }',
  },
  { name: 'Echo', document: 'mutation Echo($items: [JSON!]!) { echo(items: $items) }' },
  { name: 'Fail', document: 'query Fail($how: String!) { fail(how: $how) }' },
];

const as = (...granted: GrantedScope[]): RequestContext => ({
  requestId: 'req_test',
  traceparent: null,
  workId: null,
  tenantId: 'acme' as TenantId,
  principal: {
    keyId: 'key_1',
    keyName: 'k',
    actorId: null,
    tenantId: 'acme' as TenantId,
    grantedScopes: granted,
    scopes: effectiveScopes(granted),
  },
});

let log = '';
const sink = new Writable({
  write: (chunk, _, done) => {
    log += String(chunk);
    done();
  },
});
const logger = pino({ level: 'info' }, sink);
let executor: GraphExecutor;

beforeAll(async () => {
  const { supergraphSdl } = await composeGraph([definition]);
  const { schema } = await buildGraph(definition);
  executor = await createExecutor({
    supergraphSdl,
    operations: OPERATIONS,
    dataSources: localDataSources([{ name: 'ledger', schema }], logger),
    logger,
  });
});
beforeEach(() => {
  log = '';
});

describe('a named operation', () => {
  test('gives the data, JSON untouched, nulls inside it kept', async () => {
    const data = await executor.run('GetNote', { id: 'n1' }, as('events:read'));
    expect(data).toEqual({ note: { note_id: 'n1', author: null, payload: { kept: null } } });
    const items = [{ a: [1, { b: null }] }];
    expect(await executor.run('Echo', { items }, as('events:write'))).toEqual({ echo: items });
  });

  test('meets the resolver’s own check of scopes', async () => {
    await expect(executor.run('GetNote', { id: 'n1' }, as('events:write'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
    });
  });

  test('carries a Problem through with everything public, and logs what is internal', async () => {
    await expect(executor.run('Fail', { how: 'problem' }, as())).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Said to the client.',
      details: { errors: [{ path: '/a', code: 'b', message: 'c' }], extra: { accepted: 0 }, retryAfterSeconds: 7 },
    });
    expect(log).toContain('kept inside');
  });

  test('masks everything else, in the answer and in the log', async () => {
    await expect(executor.run('Fail', { how: 'driver' }, as())).rejects.toMatchObject({
      code: 'INTERNAL',
      status: 500,
    });
    expect(log).toContain('a resolver failed unexpectedly');
    expect(log).toContain('tiny-subgraph');
    expect(log).not.toMatch(/SECRET|E11000/);
  });

  test('is held to the limits of its arguments', async () => {
    await expect(executor.run('ListNotes', { limit: 501 }, as())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path: '/limit', code: 'range' }] },
    });
  });

  test('that does not fit the graph stops the start', async () => {
    const { supergraphSdl } = await composeGraph([definition]);
    const { schema } = await buildGraph(definition);
    const broken = createExecutor({
      supergraphSdl,
      operations: [{ name: 'Bad', document: 'query Bad { nothing }' }],
      dataSources: localDataSources([{ name: 'ledger', schema }], logger),
      logger,
    });
    await expect(broken).rejects.toThrow('Bad does not fit the graph');
  });
});

describe('the analysts’ endpoint', () => {
  const ask = (query: string | undefined, context: RequestContext, more: object = {}) =>
    new AnalystEndpoint(executor).answer({ ...(query === undefined ? {} : { query }), ...more }, context);
  const analyst = as('graph:query', 'events:read');

  test('runs a query of one’s own for graph:query, and refuses it without', async () => {
    const query = '{ note(note_id: "n1") { note_id secret_for_graph } }';
    expect(await ask(query, analyst)).toEqual({
      status: 200,
      body: { data: { note: { note_id: 'n1', secret_for_graph: 's' } } },
    });
    await expect(ask(query, as('events:read'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('runs a trusted operation by name for whoever may run its route', async () => {
    const answer = await ask(undefined, as('events:read'), { operationName: 'GetNote', variables: { id: 'n2' } });
    expect(answer.body).toEqual({ data: { note: { note_id: 'n2', author: null, payload: { kept: null } } } });
  });

  test('answers introspection', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const answer = await ask(getIntrospectionQuery(), analyst);
    expect(answer.body.errors).toBeUndefined();
    expect(JSON.stringify(answer.body.data)).toContain('NotePage');
  });

  test('gives a field’s refusal as a GraphQL error with our code', async () => {
    const answer = await ask('{ note(note_id: "n1") { note_id } }', as('graph:query'));
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { note: null }, errors: [{ path: ['note'], extensions: { code: 'FORBIDDEN', status: 403 } }] },
    });
  });

  test.each([
    ['no GraphQL', '{ note('],
    ['an unknown field', '{ nothing }'],
    ['two operations', 'query A { notes { next_cursor } } query B { notes { next_cursor } }'],
    ['aliases without end', `{ ${Array.from({ length: 31 }, (_, i) => `a${i}: notes { next_cursor }`).join(' ')} }`],
    ['depth without end', `{ notes { ${'items { '.repeat(20)} note_id ${'} '.repeat(20)} } }`],
    ['a fragment that contains itself', 'query { notes { ...A } } fragment A on NotePage { ...A }'],
    ['fragments that multiply', fragmentBomb()],
    ['a text without end', `{ notes { next_cursor } } #${'x'.repeat(40_000)}`],
  ])('refuses %s', async (_, query) => {
    const answer = await ask(query, analyst);
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', request_id: 'req_test' });
  });

  test('never repeats the value of a wrong variable', async () => {
    const query = 'query Q($id: String!) { note(note_id: $id) { note_id } }';
    const answer = await ask(query, analyst, { variables: { id: { secret: 'M-SECRET-2' } } });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain('SECRET');
    expect(log).not.toContain('SECRET');
  });
});

function fragmentBomb(): string {
  const count = 30;
  const fragments = Array.from({ length: count }, (_, i) => `fragment F${i} on NotePage { ...F${i + 1} ...F${i + 1} }`);
  return `{ notes { ...F0 } } ${fragments.join(' ')} fragment F${count} on NotePage { next_cursor }`;
}
