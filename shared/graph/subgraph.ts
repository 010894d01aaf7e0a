import { buildSubgraphSchema } from '@apollo/subgraph';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { type GraphQLSchema, parse } from 'graphql';
import { type BuildSchemaOptions, buildSchema, createResolversMap } from 'type-graphql';

/** A subgraph as its door hands it to the gateway (design.md: `build(deps) → { schema, jobs, health }`). */
export interface Subgraph {
  readonly name: SubgraphName;
  readonly schema: GraphQLSchema;
  /** Ends background work and flushes what waits; called once, after the last request. */
  close(): Promise<void>;
  /** Resolves when the subgraph can serve; throws with an internal text when not. */
  health(): Promise<void>;
}

export const SUBGRAPH_NAMES = ['ledger', 'vault', 'bundles', 'advocacy', 'members-graph', 'admin'] as const;
export type SubgraphName = (typeof SUBGRAPH_NAMES)[number];

const FEDERATION_LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external"])\n';

type ReferenceResolvers = Readonly<Record<string, { __resolveReference: (...args: never[]) => unknown }>>;

/**
 * Builds a federated schema from type-graphql classes. Checks stand in the field extensions and in the services, so
 * type-graphql's own validation is off.
 */
export async function buildFederatedSchema(
  options: Pick<BuildSchemaOptions, 'resolvers' | 'orphanedTypes' | 'container' | 'scalarsMap'>,
  references: ReferenceResolvers = {},
): Promise<GraphQLSchema> {
  const plain = await buildSchema({ ...options, validate: false });
  const resolvers = createResolversMap(plain);
  for (const [type, resolver] of Object.entries(references)) Object.assign(resolvers[type] ?? {}, resolver);
  const sdl = FEDERATION_LINK + printSchemaWithDirectives(plain);
  return buildSubgraphSchema({ typeDefs: parse(sdl), resolvers: resolvers as never });
}
