import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';

// The gateway makes a plan by running each trusted operation once at boot with placeholder variables. Under the warming
// context no subgraph is called, so no resolver runs.

const WARMING: Readonly<Record<string, unknown>> = Object.freeze({ requestId: 'warming' });

export const warmingContext = (): Readonly<Record<string, unknown>> => WARMING;

export const isWarming = (context: unknown): boolean => context === WARMING;

/** The smallest valid set of variables: only required ones, each with a simple value of its type. */
export function standInVariables(schema: GraphQLSchema, operation: OperationDefinitionNode): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const definition of operation.variableDefinitions ?? []) {
    if (definition.type.kind !== 'NonNullType' || definition.defaultValue) continue;
    const type = typeFromAST(schema, definition.type);
    if (isInputType(type)) variables[definition.variable.name.value] = standIn(type);
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
