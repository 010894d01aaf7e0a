import {
  assertObjectType,
  assertScalarType,
  buildASTSchema,
  type GraphQLDirective,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLScalarType,
  parse,
} from 'graphql';

// Definitions that federation adds to the schema of every subgraph. The build of a subgraph by Apollo gives the same, which
// a test compares (test/gateway/served-schema.test.ts); it takes a hundred times as long.

/** Begins the type definitions of a subgraph. */
export const FEDERATION_LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@requires", "@inaccessible"])\n';

/** As FEDERATION_LINK brings them in. */
const DEFINITIONS = `
directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
directive @key(fields: federation__FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
directive @requires(fields: federation__FieldSet!) on FIELD_DEFINITION
directive @federation__provides(fields: federation__FieldSet!) on FIELD_DEFINITION
directive @external(reason: String) on OBJECT | FIELD_DEFINITION
directive @federation__tag(name: String!) repeatable on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION | SCHEMA
directive @federation__extends on OBJECT | INTERFACE
directive @shareable repeatable on OBJECT | FIELD_DEFINITION
directive @inaccessible on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION
directive @federation__override(from: String!, label: String) on FIELD_DEFINITION
directive @federation__composeDirective(name: String) repeatable on SCHEMA
directive @federation__interfaceObject on OBJECT
directive @federation__authenticated on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
directive @federation__requiresScopes(scopes: [[federation__Scope!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
directive @federation__policy(policies: [[federation__Policy!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
directive @federation__context(name: String!) repeatable on INTERFACE | OBJECT | UNION
directive @federation__fromContext(field: federation__ContextFieldValue) on ARGUMENT_DEFINITION
directive @federation__cost(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
directive @federation__listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION

enum link__Purpose {
  """
  \`SECURITY\` features provide metadata necessary to securely resolve fields.
  """
  SECURITY

  """
  \`EXECUTION\` features provide metadata necessary for operation execution.
  """
  EXECUTION
}
scalar link__Import
scalar federation__FieldSet
scalar federation__Scope
scalar federation__Policy
scalar federation__ContextFieldValue
scalar _Any

type _Service {
  sdl: String
}
`;

interface FederationDefinitions {
  readonly directives: readonly GraphQLDirective[];
  readonly types: readonly GraphQLNamedType[];
  readonly any: GraphQLScalarType;
  readonly service: GraphQLObjectType;
}

let made: FederationDefinitions | undefined;

/** Returns the directives, with those of GraphQL itself, and the types, in the order in which Apollo gives them. */
export function federationDefinitions(): FederationDefinitions {
  made ??= build();
  return made;
}

function build(): FederationDefinitions {
  const document = parse(DEFINITIONS, { noLocation: true });
  const schema = buildASTSchema(document, { assumeValid: true, assumeValidSDL: true });
  const types = document.definitions.flatMap((definition) => {
    const type = 'name' in definition && definition.name ? schema.getType(definition.name.value) : undefined;
    return type ? [type] : [];
  });
  return {
    directives: schema.getDirectives(),
    types,
    any: assertScalarType(schema.getType('_Any')),
    service: assertObjectType(schema.getType('_Service')),
  };
}
