import {
  type ASTNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  isInputObjectType,
  isObjectType,
  Kind,
  type TypeNode,
} from 'graphql';
import type { JsonValue } from '../../json/strict-json.js';
import { type ContractExtension, contractExtensionOf } from '../contract-field.js';
import { GRAPH_SCALARS, type GraphScalarName } from '../scalars.js';
import { argumentExample } from './argument-examples.js';

// The graph says more than REST about the same fields: the scalar of a value, and an example in each description. Both
// follow from the contract's extensions, so that nothing is declared twice and REST documents stay as they are.

const SCALAR_OF_FORMAT: Readonly<Partial<Record<NonNullable<ContractExtension['format']>, GraphScalarName>>> = {
  'date-time': 'DateTime',
  date: 'Date',
};
const MAX_EXAMPLE = 200;

type Part = GraphQLField<unknown, unknown> | GraphQLInputField;
type DescribedNode = FieldDefinitionNode | InputValueDefinitionNode;

/** Returns the type definitions of a schema as the graph shows them. Argument types stay: saved queries declare them. */
export function graphForm(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const used = new Set<GraphScalarName>();
  const definitions = document.definitions.map((definition) => {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
      const type = schema.getType(definition.name.value);
      if (!isObjectType(type)) return definition;
      const known = type.getFields();
      const fields = (definition.fields ?? []).map((node) => fieldForm(node, known[node.name.value], used));
      return { ...definition, fields };
    }
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
      const type = schema.getType(definition.name.value);
      if (!isInputObjectType(type)) return definition;
      const known = type.getFields();
      return {
        ...definition,
        fields: (definition.fields ?? []).map((node) => described(node, known[node.name.value])),
      };
    }
    return definition;
  });
  return { ...document, definitions: [...definitions, ...[...used].sort().map(scalarDefinition)] };
}

function fieldForm(
  node: FieldDefinitionNode,
  field: GraphQLField<unknown, unknown> | undefined,
  used: Set<GraphScalarName>,
): FieldDefinitionNode {
  if (field === undefined) return node;
  const args = (node.arguments ?? []).map((one) => {
    const argument = field.args.find(({ name }) => name === one.name.value);
    const declared = argument && contractExtensionOf(argument);
    return withExample(one, argumentExample(field.name, one.name.value, declared));
  });
  const scalar = scalarOf(contractExtensionOf(field));
  if (scalar !== undefined) used.add(scalar);
  const type = scalar === undefined ? node.type : withScalar(node.type, scalar);
  return { ...described(node, field), arguments: args, type };
}

function scalarOf(extension: ContractExtension | undefined): GraphScalarName | undefined {
  const { format, items, scalar } = extension ?? {};
  const named = format ?? items?.format;
  return scalar ?? (named === undefined ? undefined : SCALAR_OF_FORMAT[named]);
}

/** The type with the scalar in place of String; another type stays. */
function withScalar(type: TypeNode, scalar: GraphScalarName): TypeNode {
  if (type.kind === Kind.NAMED_TYPE) {
    return type.name.value === 'String' ? { ...type, name: { ...type.name, value: scalar } } : type;
  }
  const inner = withScalar(type.type, scalar);
  if (type.kind === Kind.LIST_TYPE) return { ...type, type: inner };
  return inner.kind === Kind.NON_NULL_TYPE ? inner : { ...type, type: inner };
}

const described = <Node extends DescribedNode>(node: Node, part: Part | undefined): Node =>
  withExample(node, part && contractExtensionOf(part)?.example);

/** Adds an example to a description. */
function withExample<Node extends DescribedNode>(node: Node, example: JsonValue | undefined): Node {
  if (example == null || !node.description) return node;
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  if (text === '' || text.length > MAX_EXAMPLE) return node;
  const value = `${node.description.value} Example: \`${text}\`.`;
  return { ...node, description: { ...node.description, value } };
}

const scalarDefinition = (name: GraphScalarName) =>
  ({
    kind: Kind.SCALAR_TYPE_DEFINITION,
    name: { kind: Kind.NAME, value: name },
    description: { kind: Kind.STRING, value: GRAPH_SCALARS[name].description ?? '' },
    directives: [] as ConstDirectiveNode[],
  }) satisfies ASTNode;
