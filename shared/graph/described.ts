import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { type DocumentNode, type GraphQLFieldResolver, type GraphQLSchema, isObjectType, parse } from 'graphql';
import {
  type BuildSchemaOptions,
  buildSchema,
  type ContainerType,
  createResolversMap,
  getMetadataStorage,
} from 'type-graphql';
import { contractDocumentOf } from './json-schema.js';
import { indexExtensions } from './type-metadata.js';
import { type Contract, contractOf } from './validator.js';

// What follows from a subgraph's classes alone is made once in a process, however many services start in it; a service
// adds whose resolvers run.

export interface Description {
  readonly resolvers: BuildSchemaOptions['resolvers'];
  /** Classes that no root field reaches but the graph or the contract holds: envelopes, shapes, entity stubs. */
  readonly contractTypes?: NonNullable<BuildSchemaOptions['orphanedTypes']>;
}

export interface Described {
  readonly plain: GraphQLSchema;
  /** With the federation directives, as composition reads it. */
  readonly sdl: string;
  readonly typeDefs: DocumentNode;
  readonly contract: Contract;
}

export type ResolversMap = ReturnType<typeof createResolversMap>;
type FieldResolver = GraphQLFieldResolver<unknown, unknown>;

const FEDERATION_LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@inaccessible"])\n';

/** Whose resolvers run: type-graphql asks for one as the first thing that a field does, before anything is awaited. */
let asked: ContainerType | undefined;
const ASKED: ContainerType = { get: (resolver, data) => asked?.get(resolver, data) };

const described = new WeakMap<Description, Promise<Described>>();

export function describeGraph(description: Description): Promise<Described> {
  const known = described.get(description);
  if (known) return known;
  const made = build(description);
  described.set(description, made);
  return made;
}

/** Checks stand in the field extensions and in the services, so type-graphql's own validation is off. */
async function build({ resolvers, contractTypes = [] }: Description): Promise<Described> {
  indexExtensions();
  const plain = await buildSchema({ resolvers, orphanedTypes: contractTypes, validate: false, container: ASKED });
  const sdl = FEDERATION_LINK + printSchemaWithDirectives(plain);
  return { plain, sdl, typeDefs: parse(sdl), contract: contractOf(contractDocumentOf(plain)) };
}

/** The resolvers of a description as one service runs them. */
export function resolversOf(plain: GraphQLSchema, container: ContainerType): ResolversMap {
  const resolvers = createResolversMap(plain);
  const roots = new Set([plain.getQueryType()?.name, plain.getMutationType()?.name]);
  const beside = fieldsOfResolvers();
  for (const [type, fields] of Object.entries(resolvers)) {
    if (!isObjectType(plain.getType(type))) continue;
    const map = fields as Record<string, FieldResolver>;
    for (const [name, resolve] of Object.entries(map)) {
      if (roots.has(type) || beside.has(name)) map[name] = asking(container, resolve);
    }
  }
  return resolvers;
}

/** Fields that a resolver's class answers, and not the object itself. */
const fieldsOfResolvers = (): ReadonlySet<string> =>
  new Set(
    getMetadataStorage()
      .fieldResolvers.filter(({ kind }) => kind === 'external')
      .map(({ schemaName }) => schemaName),
  );

const asking =
  (container: ContainerType, resolve: FieldResolver): FieldResolver =>
  (source, args, context, info) => {
    asked = container;
    return resolve(source, args, context, info);
  };
