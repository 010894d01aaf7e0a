import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { type BuildSchemaOptions, buildSchema, type ContainerType, getMetadataStorage } from 'type-graphql';
import type { RequestContext } from '../auth/context.js';
import { stopIfLeft } from '../errors/caller-left.js';
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
  readonly contract: Contract;
}

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
  return { plain, contract: contractOf(contractDocumentOf(plain)) };
}

export type ResolverOf = (type: GraphQLObjectType, field: GraphQLField<unknown, unknown>) => FieldResolver | undefined;

/** Finds the resolver of a field as one service runs it. */
export function resolversOf(plain: GraphQLSchema, container: ContainerType): ResolverOf {
  const roots = new Set([plain.getQueryType(), plain.getMutationType()]);
  const beside = fieldsOfResolvers();
  return (type, { name, resolve }) =>
    resolve !== undefined && (roots.has(type) || beside.has(name)) ? asking(container, resolve) : resolve;
}

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
