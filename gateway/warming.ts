import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';

// Plans are made by running each trusted operation once at boot with stand-in variables: under the warming context no
// subgraph is asked, so that no resolver runs.

const WARMING: Readonly<Record<string, unknown>> = Object.freeze({ requestId: 'warming' });

export const warmingContext = (): Readonly<Record<string, unknown>> => WARMING;

export const isWarming = (context: unknown): boolean => context === WARMING;

/** The least variables that coerce: only required ones, each with the plainest value of its type. */
export function standInVariables(schema: GraphQLSchema, operation: OperationDefinitionNode): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const definition of operation.variableDefinitions ?? []) {
    if (definition.type.kind !== 'NonNullType' || definition.defaultValue) continue;
    const type = typeFromAST(schema, definition.type);
    variables[definition.variable.name.value] = standIn(type as GraphQLInputType);
  }
  return variables;
}

function standIn(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return standIn(type.ofType);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(required.map((field) => [field.name, standIn(field.type)]));
  }
  switch (type.name) {
    case 'Int':
    case 'SafeInteger':
    case 'Float':
      return 0;
    case 'Boolean':
      return false;
    default:
      return '';
  }
}
