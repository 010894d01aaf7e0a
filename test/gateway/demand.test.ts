import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, Kind, parse } from 'graphql';
import { AnalystEndpoint } from '../../gateway/analyst.js';
import { composeGraph } from '../../gateway/composition.js';
import { enforceDemand } from '../../gateway/demand.js';
import { createExecutor, type GraphExecutor } from '../../gateway/executor.js';
import type { GrantedScope } from '../../shared/auth/scopes.js';
import { buildGraph } from '../../shared/graph/subgraph.js';
import { recordingLogger } from '../support/fakes.js';
import { localDataSources } from './local-data-sources.js';
import { contextWith } from './remote-kit.js';
import { definition } from './tiny-subgraph.js';

const { logger } = recordingLogger();
let executor: GraphExecutor;
let analysts: AnalystEndpoint;

beforeAll(async () => {
  const { supergraphSdl } = await composeGraph([definition]);
  const { schema } = await buildGraph(definition);
  executor = await createExecutor({
    supergraphSdl,
    operations: [
      { name: 'ListNotes', document: 'query ListNotes($limit: Int) { notes(limit: $limit) { items { note_id } } }' },
    ],
    dataSources: localDataSources([{ name: 'ledger', schema }], logger),
    logger,
  });
  analysts = new AnalystEndpoint(executor);
});

const ANALYST: readonly GrantedScope[] = ['graph:query', 'events:read'];

async function ask(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const { status, body } = await analysts.answer({ query, variables }, contextWith(...ANALYST));
  return { status, data: body.data, said: body.errors?.[0]?.message ?? '' };
}

describe('an ad-hoc query', () => {
  it('must limit its pages, to 200 at most', async () => {
    expect(await ask('{ notes(limit: 200) { items { note_id } } }')).toMatchObject({ status: 200, said: '' });
    const variable = 'query Q($n: Int) { notes(limit: $n) { items { note_id } } }';
    expect(await ask(variable, { n: 3 })).toMatchObject({ status: 200, data: { notes: { items: { length: 3 } } } });
    expect(await ask(variable)).toMatchObject({ status: 400, said: 'notes needs a limit (at most 200).' });
    expect(await ask('{ notes { items { note_id } } }')).toMatchObject({ status: 400 });
    const over = { status: 400, said: 'notes takes a limit of at most 200 here.' };
    expect(await ask('{ notes(limit: 201) { items { note_id } } }')).toMatchObject(over);
    expect(await ask(variable, { n: 201 })).toMatchObject(over);
    const byDefault = 'query Q($n: Int = 201) { notes(limit: $n) { items { note_id } } }';
    expect(await ask(byDefault)).toMatchObject(over);
  });

  it('multiplies the cost below a list by the length of the list, also through fragments', async () => {
    const page = (alias: string, limit: number) => `${alias}: notes(limit: ${limit}) { items { ...F } }`;
    const fragment = 'fragment F on Note { note_id author payload faults { path code message } }';
    expect((await ask(`{ ${page('a', 2)} } ${fragment}`)).status).toBe(200);
    const dear = await ask(`{ ${['a', 'b', 'c'].map((alias) => page(alias, 200)).join(' ')} } ${fragment}`);
    expect(dear.status).toBe(400);
    expect(dear.said).toMatch(/^The query would cost \d+; the limit is 20000\./);
  });

  it('costs what its verifications read, however small the answer', () => {
    const names = ['verifyLedger', 'verifyLedgerPart', 'verifyCustody'];
    const schema = buildSchema(
      `type V { valid: Boolean } type Query { ${names.map((name) => `${name}: V`).join(' ')} }`,
    );
    for (const name of names) {
      const asked = (times: number): void => {
        const fields = Array.from({ length: times }, (_, n) => `a${n}: ${name} { valid }`);
        const document = parse(`{ ${fields.join(' ')} }`);
        const [operation] = document.definitions;
        if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
        enforceDemand(schema, { document, operation } as Parameters<typeof enforceDemand>[1], {});
      };
      expect(() => asked(3)).not.toThrow();
      expect(() => asked(5)).toThrow('The query would cost');
    }
  });

  it('cannot hide its depth in a fragment with the name of an introspection field', async () => {
    const levels = 20;
    for (const name of ['__schema', '__type', '__typename', '__introspection']) {
      const bomb = `query { ...${name} } fragment ${name} on Query { ${'a: notes(limit: 1) { items { '.repeat(levels)} note_id ${'} } '.repeat(levels)} }`;
      expect(await ask(bomb)).toMatchObject({ status: 400, said: expect.stringMatching(/depth|aliases|selections/) });
    }
    const manyRoots = `query { ...__schema } fragment __schema on Query { ${Array.from({ length: 31 }, (_, i) => `a${i}: note(note_id: "n") { note_id }`).join(' ')} }`;
    expect(await ask(manyRoots)).toMatchObject({ status: 400, said: expect.stringContaining('aliases') });
  });

  it('cannot nest introspection recursively', async () => {
    const folded = '{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }';
    expect(await ask(folded)).toMatchObject({ status: 400 });
    expect((await ask(getIntrospectionQuery())).status).toBe(200);
  });
});

describe('the scope graph:query', () => {
  it.each([
    ['introspection', getIntrospectionQuery()],
    ['a misspelt field', '{ noets { next_cursor } }'],
    ['a broken text', '{ notes('],
  ])('is required for %s, and the rejection reveals nothing of the schema', async (_, query) => {
    const refused = await analysts
      .answer({ query }, contextWith('events:read', 'events:write'))
      .catch((error) => error);
    expect(refused).toMatchObject({ code: 'FORBIDDEN' });
    expect(JSON.stringify(refused)).not.toMatch(/notes|Did you mean/);
  });

  it('is not required for a trusted operation, which keeps the limits of its route', async () => {
    const answer = await analysts.answer({ operationName: 'ListNotes' }, contextWith('events:read'));
    expect(answer.status).toBe(200);
  });

  it('adds a suggestion to the error about a misspelt field', async () => {
    expect((await ask('{ noets { next_cursor } }')).said).toContain('Did you mean "notes"');
  });
});
