import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { type DocumentNode, type GraphQLSchema, isObjectType, parse } from 'graphql';
import {
  type BuildSchemaOptions,
  buildSchema,
  type ContainerType,
  createResolversMap,
  getMetadataStorage,
} from 'type-graphql';
import type { RequestContext } from '../auth/context.js';
import { stopIfLeft } from '../errors/caller-left.js';
import { graphForm } from './form/graph-form.js';
import { type IdFields, withInterfaces } from './form/interfaces.js';
import { inOneOrder } from './form/one-order.js';
import type { FieldResolver } from './guard-arguments.js';
import { contractDocumentOf } from './json-schema.js';
import { indexExtensions } from './type-metadata.js';
import { type Contract, contractOf } from './validator.js';

// The results that depend on a subgraph's classes alone are computed once in a process, for any number of services.
// A service adds its own resolvers.

export interface Description {
  readonly resolvers: BuildSchemaOptions['resolvers'];
  /** Classes that no root field reaches but the graph or the contract holds: envelopes, shapes, entity stubs. */
  readonly contractTypes?: NonNullable<BuildSchemaOptions['orphanedTypes']>;
}

interface Described {
  readonly plain: GraphQLSchema;
  /** With the federation directives, as composition reads it. */
  readonly typeDefs: DocumentNode;
  readonly idFields: IdFields;
  readonly contract: Contract;
}

export type ResolversMap = ReturnType<typeof createResolversMap>;

const FEDERATION_LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@requires", "@inaccessible"])\n';

/** The container of the resolvers that run. type-graphql asks for it first in each field, before anything is awaited. */
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

/**
 * Field extensions and services check values, so type-graphql's validation is off. Composition checks the schema, so
 * that a start does not.
 */
async function build({ resolvers, contractTypes = [] }: Description): Promise<Described> {
  indexExtensions();
  const plain = await buildSchema({
    resolvers,
    orphanedTypes: contractTypes,
    validate: false,
    skipCheck: true,
    container: ASKED,
  });
  const printed = parse(FEDERATION_LINK + printSchemaWithDirectives(plain));
  const { document, idFields } = withInterfaces(graphForm(printed, plain), plain);
  return { plain, typeDefs: inOneOrder(document), idFields, contract: contractOf(contractDocumentOf(plain)) };
}

/** The resolvers of a description as one service runs them. */
export function resolversOf(plain: GraphQLSchema, container: ContainerType): ResolversMap {
  const resolvers = createResolversMap(plain);
  const roots = new Set([plain.getQueryType()?.name, plain.getMutationType()?.name]);
  const beside = fieldsOfResolvers();
  for (const [type, fields] of Object.entries(resolvers)) {
    if (!isObjectType(plain.getType(type))) continue;
    const map = fieldResolversOf(fields);
    for (const [name, resolve] of Object.entries(map)) {
      if (roots.has(type) || beside.has(name)) map[name] = asking(container, resolve);
    }
  }
  return resolvers;
}

/** The resolvers of an object type's fields, to be replaced in place. */
export const fieldResolversOf = (type: ResolversMap[string]): Record<string, FieldResolver> =>
  // type-graphql's map mixes object types with enums and scalars.
  type as Record<string, FieldResolver>;

/** Fields that a resolver's class answers, and not the object itself. */
const fieldsOfResolvers = (): ReadonlySet<string> =>
  new Set(
    getMetadataStorage()
      .fieldResolvers.filter(({ kind }) => kind === 'external')
      .map(({ schemaName }) => schemaName),
  );

/** Before each field of a resolver's class: the answer of a client that left is not read on. */
const asking =
  (container: ContainerType, resolve: FieldResolver): FieldResolver =>
  (source, args, context, info) => {
    // The server of the subgraph makes the context; a field that only composes the schema has none.
    stopIfLeft((context as RequestContext | undefined)?.signal);
    asked = container;
    return resolve(source, args, context, info);
  };
