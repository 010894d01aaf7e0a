import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/**
 * Any JSON value, passed through as it is: never copied, never coerced. Envelopes cross the graph as this scalar, so that
 * a batch is checked once, against its contract, and not field by field in gateway and subgraph.
 */
export const JsonScalar = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'Any JSON value (RFC 8259).',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => literalValue(node, variables ?? {}),
});

function literalValue(node: ValueNode, variables: Readonly<Record<string, unknown>>): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map((item) => literalValue(item, variables));
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((field) => [field.name.value, literalValue(field.value, variables)]));
    case Kind.VARIABLE:
      return variables[node.name.value];
    case Kind.ENUM:
      throw new GraphQLError('JSON holds no enum values.');
  }
}

const safeInteger = (value: unknown): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError('SafeInteger must be a whole number within ±(2^53 − 1).');
};

/** Sequences and sizes outgrow GraphQL's 32-bit Int. */
export const SafeInteger = new GraphQLScalarType<number, number>({
  name: 'SafeInteger',
  description: 'A whole number within ±(2^53 − 1).',
  serialize: safeInteger,
  parseValue: safeInteger,
  parseLiteral: (node) => safeInteger(node.kind === Kind.INT ? Number(node.value) : undefined),
});
