import { buildSubgraphSchema } from '@apollo/subgraph';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { type DocumentNode, type GraphQLSchema, graphql, parse } from 'graphql';
import { graphForm } from '../form/graph-form.js';
import { FEDERATION_LINK } from './definitions.js';

// Loaded by composition, and by a process that is asked for the SDL of a subgraph; no start needs it.

/** Returns the type definitions of a subgraph with the federation directives, as composition reads them. */
export const typeDefsOf = (plain: GraphQLSchema): DocumentNode =>
  parse(FEDERATION_LINK + printSchemaWithDirectives(graphForm(plain)));

/** Returns the SDL that a subgraph shows as `_service`. @throws Error for type definitions that federation rejects */
export async function federatedSdl(plain: GraphQLSchema): Promise<string> {
  const schema = buildSubgraphSchema({ typeDefs: typeDefsOf(plain) });
  const { data, errors } = await graphql({ schema, source: '{ _service { sdl } }' });
  const service = data?.['_service'];
  if (typeof service === 'object' && service !== null && 'sdl' in service) return String(service.sdl);
  throw errors?.[0] ?? new Error('federation gave no SDL');
}
