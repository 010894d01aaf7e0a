import { buildSubgraphSchema } from '@apollo/subgraph';
import { describe, expect, it } from '@jest/globals';
import { graphql, introspectionFromSchema, printSchema, validateSchema } from 'graphql';
import { SUBGRAPH_DEFINITIONS } from '../../gateway/subgraphs.js';
import { describeGraph } from '../../shared/graph/described.js';
import { typeDefsOf } from '../../shared/graph/federation/type-defs.js';
import { buildGraph } from '../../shared/graph/subgraph.js';
import { definition as tiny } from './tiny-subgraph.js';

const DEFINITIONS = [...SUBGRAPH_DEFINITIONS, { ...tiny, name: 'tiny' } as const];

describe.each(DEFINITIONS.map((definition) => [definition.name, definition] as const))('the schema of %s', (_, one) => {
  const definition = { ...one, name: 'ledger' } as const;
  const ours = async () => (await buildGraph(definition)).schema;
  const theirs = async () => buildSubgraphSchema({ typeDefs: typeDefsOf((await describeGraph(definition)).plain) });

  it('is the schema that Apollo builds from its type definitions', async () => {
    const [served, built] = [await ours(), await theirs()];
    expect(printSchema(served)).toBe(printSchema(built));
    expect(introspectionFromSchema(served)).toEqual(introspectionFromSchema(built));
  });

  it('is valid, because the start does not check it', async () => {
    const served = await ours();
    // The result of a check is part of a schema; this one was never made.
    expect(validateSchema(Object.assign(served, { __validationErrors: undefined }))).toEqual([]);
  });

  it('shows the SDL that Apollo shows', async () => {
    const source = '{ _service { sdl } }';
    const [served, built] = [
      await graphql({ schema: await ours(), source }),
      await graphql({ schema: await theirs(), source }),
    ];
    expect(served.errors).toBeUndefined();
    expect(served.data).toEqual(built.data);
  });
});

describe('_entities', () => {
  it('names the type of a reference that has no resolver, and of one that has', async () => {
    const references = {
      Note: { __resolveReference: ({ note_id }: { note_id?: unknown }) => ({ note_id, author: 'a' }) },
    };
    const source = `query ($of: [_Any!]!) { _entities(representations: $of) { __typename ... on Note { note_id author } } }`;
    const variableValues = { of: [{ __typename: 'Note', note_id: 'n1' }] };
    const read = async (given: Parameters<typeof buildGraph>[2]) =>
      (await graphql({ schema: (await buildGraph(tiny, undefined, given)).schema, source, variableValues })).data;
    expect(await read({})).toEqual({ _entities: [{ __typename: 'Note', note_id: 'n1', author: null }] });
    expect(await read(references)).toEqual({ _entities: [{ __typename: 'Note', note_id: 'n1', author: 'a' }] });
  });

  it('fails for a type that the subgraph does not have', async () => {
    const source = '{ _entities(representations: [{ __typename: "Nothing" }]) { __typename } }';
    const { errors } = await graphql({ schema: (await buildGraph(tiny)).schema, source });
    expect(errors?.[0]?.message).toBe('there is no entity Nothing');
  });
});
