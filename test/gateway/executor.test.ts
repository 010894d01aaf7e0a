import { Writable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { AnalystEndpoint } from '../../gateway/analyst.js';
import { composeGraph } from '../../gateway/composition.js';
import { createExecutor, type GraphExecutor } from '../../gateway/executor.js';
import type { RequestContext } from '../../shared/auth/context.js';
import { effectiveScopes, type GrantedScope } from '../../shared/auth/scopes.js';
import { buildGraph } from '../../shared/graph/subgraph.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { localDataSources } from './local-data-sources.js';
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
  it('returns the data with JSON unchanged, including nulls inside it', async () => {
    const data = await executor.run('GetNote', { id: 'n1' }, as('events:read'));
    expect(data).toEqual({ note: { note_id: 'n1', author: null, payload: { kept: null } } });
    const items = [{ a: [1, { b: null }] }];
    expect(await executor.run('Echo', { items }, as('events:write'))).toEqual({ echo: items });
  });

  it('is subject to the resolver’s check of scopes', async () => {
    await expect(executor.run('GetNote', { id: 'n1' }, as('events:write'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
    });
  });

  it('returns every public member of a Problem, and logs the internal ones', async () => {
    await expect(executor.run('Fail', { how: 'problem' }, as())).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Said to the client.',
      details: { errors: [{ path: '/a', code: 'b', message: 'c' }], extra: { accepted: 0 }, retryAfterSeconds: 7 },
    });
    expect(log).toContain('kept inside');
  });

  it('masks all other errors in the answer and in the log', async () => {
    await expect(executor.run('Fail', { how: 'driver' }, as())).rejects.toMatchObject({
      code: 'INTERNAL',
      status: 500,
    });
    expect(log).toContain('a resolver failed unexpectedly');
    expect(log).toContain('tiny-subgraph');
    expect(log).not.toMatch(/SECRET|E11000/);
  });

  it('is subject to the limits of its arguments', async () => {
    await expect(executor.run('ListNotes', { limit: 501 }, as())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path: '/limit', code: 'range' }] },
    });
  });

  it('stops the start when it does not fit the graph', async () => {
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

describe('POST /graphql', () => {
  const ask = (query: string | undefined, context: RequestContext, more: object = {}) =>
    new AnalystEndpoint(executor).answer({ ...(query === undefined ? {} : { query }), ...more }, context);
  const analyst = as('graph:query', 'events:read');

  it('runs an ad-hoc query with graph:query, and rejects it without', async () => {
    const query = '{ note(note_id: "n1") { note_id secret_for_graph } }';
    expect(await ask(query, analyst)).toEqual({
      status: 200,
      // 10 for the root field, and 1 for each of its two members.
      cost: 12,
      body: { data: { note: { note_id: 'n1', secret_for_graph: 's' } } },
    });
    await expect(ask(query, as('events:read'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('runs a trusted operation by name for every caller of its route', async () => {
    const answer = await ask(undefined, as('events:read'), { operationName: 'GetNote', variables: { id: 'n2' } });
    expect(answer.body).toEqual({ data: { note: { note_id: 'n2', author: null, payload: { kept: null } } } });
  });

  it('answers introspection', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const answer = await ask(getIntrospectionQuery(), analyst);
    expect(answer.body.errors).toBeUndefined();
    expect(JSON.stringify(answer.body.data)).toContain('NotePage');
  });

  it('returns a field’s rejection as a GraphQL error with the service’s code', async () => {
    const answer = await ask('{ note(note_id: "n1") { note_id } }', as('graph:query'));
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { note: null }, errors: [{ path: ['note'], extensions: { code: 'FORBIDDEN', status: 403 } }] },
    });
  });

  it.each([
    ['no GraphQL', '{ note('],
    ['an unknown field', '{ nothing }'],
    ['two operations', 'query A { notes { next_cursor } } query B { notes { next_cursor } }'],
    ['aliases without end', `{ ${Array.from({ length: 31 }, (_, i) => `a${i}: notes { next_cursor }`).join(' ')} }`],
    ['depth without end', `{ notes { ${'items { '.repeat(20)} note_id ${'} '.repeat(20)} } }`],
    ['a fragment that contains itself', 'query { notes { ...A } } fragment A on NotePage { ...A }'],
    ['fragments that multiply', fragmentBomb()],
    ['a text without end', `{ notes { next_cursor } } #${'x'.repeat(40_000)}`],
  ])('rejects %s', async (_, query) => {
    const answer = await ask(query, analyst);
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', request_id: 'req_test' });
  });

  it('never repeats the value of an invalid variable', async () => {
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
