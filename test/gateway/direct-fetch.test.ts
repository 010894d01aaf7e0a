import { describe, expect, it } from '@jest/globals';
import { buildSchema } from 'graphql';
import { composeGraph } from '../../gateway/composition.js';
import { directSubgraphOf } from '../../gateway/direct-fetch.js';
import { createExecutor } from '../../gateway/executor.js';
import { LocalDataSource } from '../../gateway/local-data-source.js';
import { prepareOperations } from '../../gateway/operations.js';
import type { SubgraphSource } from '../../gateway/subgraph-source.js';
import type { RequestContext } from '../../shared/auth/context.js';
import { effectiveScopes } from '../../shared/auth/scopes.js';
import { buildGraph } from '../../shared/graph/subgraph.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { definition } from './tiny-subgraph.js';

const SCHEMA = buildSchema(`
  type Query { note(id: String!, page: Int = 5): Note }
  type Note { id: String! author: Author }
  type Author { name: String! }
`);
const DOCUMENT = 'query GetNote($id: String!) { note(id: $id) { id author { name } } }';
const [OPERATION] = prepareOperations(SCHEMA, [{ name: 'GetNote', document: DOCUMENT }]).values();
if (!OPERATION) throw new Error('the operation was not prepared');

const planOf = (operation: string, more: object = {}) => ({
  kind: 'QueryPlan',
  node: { kind: 'Fetch', serviceName: 'ledger', operation, ...more },
});

describe('a plan of one fetch', () => {
  it('is fetched directly when both select the same fields, in any order', () => {
    const document = 'query GetNote__ledger__0($id:String!){note(id:$id){author{name}id}}';
    expect(directSubgraphOf(planOf(document), OPERATION)).toBe('ledger');
  });

  it.each([
    ['more', '($id:String!){note(id:$id){__typename id author{name}}}'],
    ['less', '($id:String!){note(id:$id){id}}'],
    ['it under another name', '($id:String!){note(id:$id){id author{n:name}}}'],
    ['with another argument', '($id:String!){note(id:$id,page:1){id author{name}}}'],
    ['with another default', '($id:String!="n1"){note(id:$id){id author{name}}}'],
    ['by a fragment', '($id:String!){note(id:$id){...on Note{id author{name}}}}'],
    ['on a condition', '($id:String!){note(id:$id){id author{name@include(if:true)}}}'],
  ])('is run as a plan when it asks for %s', (_what, document) => {
    expect(directSubgraphOf(planOf(`query${document}`), OPERATION)).toBeNull();
  });

  it.each([
    ['needs entities', { requires: [] }],
    ['renames what comes back', { outputRewrites: [] }],
    ['is not alone', { kind: 'Sequence' }],
  ])('is run as a plan when it %s', (_what, more) => {
    expect(directSubgraphOf(planOf(DOCUMENT, more), OPERATION)).toBeNull();
  });
});

it('bypasses the planner for a trusted operation on one subgraph, but not for an ad-hoc query', async () => {
  const { supergraphSdl } = await composeGraph([definition]);
  const { schema } = await buildGraph(definition);
  const logger = createLogger('silent');
  const local = new LocalDataSource(schema, logger);
  const called: string[] = [];
  const source: SubgraphSource = {
    process: (options) => {
      called.push('process');
      return local.process(options);
    },
    fetch: (...asked) => {
      called.push('fetch');
      return local.fetch(...asked);
    },
  };
  const document = 'query GetNote($id: String!) { note(note_id: $id) { note_id author payload } }';
  const executor = await createExecutor({
    supergraphSdl,
    operations: [{ name: 'GetNote', document }],
    dataSources: new Map([['ledger', source]]),
    logger,
  });
  const direct = await executor.run('GetNote', { id: 'n1' }, READER);
  expect(called).toEqual(['fetch']);
  const graph = await executor.planned();
  const operation = graph.trusted('GetNote');
  if (!operation) throw new Error('the operation is not known');
  const planned = await graph.execute(operation, { id: 'n1' }, READER);
  expect(called).toEqual(['fetch', 'process']);
  expect(JSON.stringify(direct)).toBe(JSON.stringify(planned.data));
});

const READER: RequestContext = {
  requestId: 'req_test',
  traceparent: null,
  workId: null,
  tenantId: 'acme' as TenantId,
  principal: {
    keyId: 'key_1',
    keyName: 'k',
    actorId: null,
    tenantId: 'acme' as TenantId,
    grantedScopes: ['events:read'],
    scopes: effectiveScopes(['events:read']),
  },
};
