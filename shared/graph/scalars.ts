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

/**
 * A scalar of answers over a text of the contract (form/graph-form.ts). It leaves the graph as it is, so that REST shows the
 * same text. Arguments are texts, which the contract checks with the place of the fault.
 */
const textScalar = (name: string, description: string) =>
  new GraphQLScalarType<unknown, unknown>({ name, description, serialize: (value) => value });

export const GRAPH_SCALARS = {
  DateTime: textScalar('DateTime', 'An instant as RFC 3339 with a time zone. Example: `2026-03-02T14:11:09.123Z`.'),
  Date: textScalar('Date', 'A day as RFC 3339 full-date. Example: `2026-03-02`.'),
  Money: textScalar('Money', 'An amount as a decimal text, so that no cent is rounded. Example: `1250.00`.'),
  NPI: textScalar('NPI', 'A National Provider Identifier of ten digits. Example: `1234567893`.'),
} as const;

export type GraphScalarName = keyof typeof GRAPH_SCALARS;
