import {
  type GraphQLFieldConfigMap,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLScalarType,
  type GraphQLSchema,
  GraphQLUnionType,
  isObjectType,
} from 'graphql';
import type { RequestContext } from '../../auth/context.js';
import type { ResolveReference } from '../edges/references.js';
import { graphForm, type ServedParts, type TypeOf } from '../form/graph-form.js';
import { federationDefinitions } from './definitions.js';

/** Resolvers of references to types with a key, by type. */
export type ReferenceResolvers = Readonly<Record<string, { readonly __resolveReference: ResolveReference }>>;

interface Serving extends Pick<ServedParts, 'resolverOf'> {
  readonly references: ReferenceResolvers;
  /** Returns the type definitions in the form that Apollo gives, for the first query of `_service`. */
  readonly sdl: () => Promise<string>;
}

type Representation = Readonly<Record<string, unknown>> & { readonly __typename: string };

/**
 * Makes the schema that a subgraph serves: its form for the graph with federation's fields and definitions. It equals the
 * schema that `buildSubgraphSchema` makes of its type definitions, without printing, parsing and checking them.
 */
export function servedSchema(plain: GraphQLSchema, { resolverOf, references, sdl }: Serving): GraphQLSchema {
  const { directives, types, any, service } = federationDefinitions();
  const entities = Object.values(plain.getTypeMap()).filter(hasKey);
  let union: GraphQLUnionType | undefined;
  const entityUnion = (typeOf: TypeOf): GraphQLUnionType | undefined => {
    if (entities.length === 0) return undefined;
    union ??= unionOf(entities.map(({ name }) => name).sort(), typeOf);
    return union;
  };
  return graphForm(plain, {
    resolverOf,
    directives,
    types: (typeOf) => {
      const entity = entityUnion(typeOf);
      return entity === undefined ? types : [...types, entity];
    },
    queryFields: (typeOf) => ({
      ...entitiesField(entityUnion(typeOf), any, references),
      _service: { type: new GraphQLNonNull(service), resolve: async () => ({ sdl: await sdl() }) },
    }),
  });
}

const hasKey = ({ astNode }: GraphQLNamedType): boolean =>
  astNode?.directives?.some(({ name }) => name.value === 'key') === true;

const unionOf = (names: readonly string[], typeOf: TypeOf): GraphQLUnionType =>
  new GraphQLUnionType({
    name: '_Entity',
    types: () => names.map(typeOf).filter(isObjectType),
    resolveType: ({ __typename }: Representation) => __typename,
  });

type QueryFields = GraphQLFieldConfigMap<unknown, RequestContext>;

function entitiesField(
  union: GraphQLUnionType | undefined,
  any: GraphQLScalarType,
  references: ReferenceResolvers,
): QueryFields {
  if (union === undefined) return {};
  return {
    _entities: {
      type: new GraphQLNonNull(new GraphQLList(union)),
      args: { representations: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(any))) } },
      resolve: (_, { representations }, context, { schema }) =>
        // The type of the argument is any scalar; the planner sends objects with a type.
        (representations as readonly Representation[]).map((representation) => {
          const { __typename } = representation;
          if (!isObjectType(schema.getType(__typename))) throw new Error(`there is no entity ${__typename}`);
          return entityOf(representation, references[__typename]?.__resolveReference, context);
        }),
    },
  };
}

/** Resolves a representation, and notes its type for the union. */
async function entityOf(
  representation: Representation,
  resolve: ResolveReference | undefined,
  context: RequestContext,
): Promise<unknown> {
  const { __typename } = representation;
  const found = resolve === undefined ? representation : await resolve(representation, context);
  if (typeof found !== 'object' || found === null) return found;
  if ('__typename' in found && found.__typename !== __typename) return { ...found, __typename };
  Object.defineProperty(found, '__typename', { value: __typename });
  return found;
}
