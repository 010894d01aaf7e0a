import {
  assertNamedType,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import { type ContractExtension, contractExtensionOf, SCHEMA_REF_PREFIX, type ValueLimits } from './contract-field.js';

// JSON Schema out of the un-federated schema. Only keywords that mean the same in draft-07 (Ajv) and 2020-12 (OpenAPI 3.1)
// are used, so one document serves both; `$ref` points at `#/components/schemas`.

export type JsonSchema = JsonObject;

/** A root field as REST sees it: its arguments are query or path parameters, its result the answer. */
export interface ContractOperation {
  readonly kind: 'query' | 'mutation';
  readonly description: string;
  readonly type: string;
  readonly result: JsonSchema;
  readonly arguments: Readonly<Record<string, ContractArgument>>;
  /** Everything that REST selects of the result; null for a scalar. */
  readonly selection: Selection | null;
}

/** The fields of an object type that REST answers hold, in their declared order. */
export interface Selection {
  readonly [field: string]: SelectedField;
}

interface SelectedField {
  /** Left out of the answer where it has no value. */
  readonly optional?: true;
  readonly fields?: Selection;
}

interface ContractArgument {
  /** As written in an operation's variable list: `Int`, `[JSON!]!`. */
  readonly type: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** What `rest-facade/contract.json` holds. */
export interface ContractDocument {
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  readonly operations: Readonly<Record<string, ContractOperation>>;
}

export class ContractError extends Error {}

type AnyField = GraphQLField<unknown, unknown> | GraphQLInputField;

/**
 * Derives the contract of everything that the schema names, each half when it is read first: a start reads neither.
 *
 * @throws ContractError from the read, for a field without ContractField
 */
export function contractDocumentOf(schema: GraphQLSchema): ContractDocument {
  let components: ContractDocument['components'] | undefined;
  let operations: ContractDocument['operations'] | undefined;
  return {
    get components() {
      components ??= { schemas: schemasOf(schema) };
      return components;
    },
    get operations() {
      operations ??= operationsOf(schema);
      return operations;
    },
  };
}

function schemasOf(schema: GraphQLSchema): ContractDocument['components']['schemas'] {
  const schemas: Record<string, JsonSchema> = {};
  const roots = rootsOf(schema);
  for (const type of Object.values(schema.getTypeMap()).sort(byName)) {
    if (type.name.startsWith('__') || roots.some((root) => root === type)) continue;
    if (contractExtensionOf(type)?.parts) continue;
    if (isObjectType(type) || isInputObjectType(type)) schemas[type.name] = structureSchema(type);
    else if (isEnumType(type)) schemas[type.name] = enumSchema(type);
    else if (!isScalarType(type)) throw new ContractError(`${type.name}: interfaces and unions have no contract form`);
  }
  return schemas;
}

function operationsOf(schema: GraphQLSchema): ContractDocument['operations'] {
  const operations: Record<string, ContractOperation> = {};
  for (const root of rootsOf(schema)) {
    for (const field of Object.values(root.getFields()).sort(byName)) {
      operations[field.name] = operationOf(field, root === schema.getQueryType() ? 'query' : 'mutation');
    }
  }
  return operations;
}

const rootsOf = (schema: GraphQLSchema): readonly GraphQLObjectType[] =>
  [schema.getQueryType(), schema.getMutationType()].filter((type) => type != null);

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

function operationOf(field: GraphQLField<unknown, unknown>, kind: ContractOperation['kind']): ContractOperation {
  const args = [...field.args].sort(byName).map((argument) => [argument.name, argumentOf(argument)] as const);
  const nullable = !isNonNullType(field.type);
  return {
    kind,
    description: field.description ?? '',
    type: String(field.type),
    result: orNull(valueSchema(field.type, {}), nullable),
    arguments: Object.fromEntries(args),
    selection: selectionOf(getNamedType(field.type), []),
  };
}

function selectionOf(type: GraphQLNamedType, open: readonly string[]): Selection | null {
  if (!isObjectType(type)) return null;
  if (open.includes(type.name)) {
    throw new ContractError(`${[...open, type.name].join(' > ')} has no end: make a field of it graphOnly`);
  }
  const selection: Record<string, SelectedField> = {};
  for (const field of Object.values(type.getFields())) {
    const extension = contractExtensionOf(field);
    if (extension?.graphOnly) continue;
    const fields = selectionOf(getNamedType(field.type), [...open, type.name]);
    selection[field.name] = { ...(extension?.optional ? { optional: true } : {}), ...(fields ? { fields } : {}) };
  }
  return selection;
}

function argumentOf(argument: GraphQLArgument): ContractArgument {
  const extension = contractExtensionOf(argument) ?? {};
  return {
    type: String(argument.type),
    required: isNonNullType(argument.type),
    schema: described(valueSchema(argument.type, extension), argument.description, extension),
  };
}

function structureSchema(type: GraphQLObjectType | GraphQLInputObjectType): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const field of Object.values<AnyField>(type.getFields())) {
    const extension = contractExtensionOf(field);
    if (!extension) throw new ContractError(`${type.name}.${field.name} is not declared with ContractField`);
    if (extension.graphOnly) continue;
    const value = orNull(valueSchema(field.type, extension), extension.nullable === true);
    properties[field.name] = described(value, field.description, extension);
    if (!extension.optional) required.push(field.name);
  }
  const open = contractExtensionOf(type)?.open === true;
  return {
    type: 'object',
    ...(type.description ? { description: type.description } : {}),
    properties,
    ...(required.length > 0 ? { required } : {}),
    // Answers may gain members inside v1; requests may not hold unknown ones.
    ...(isInputObjectType(type) && !open ? { additionalProperties: false } : {}),
  };
}

const enumSchema = (type: GraphQLEnumType): JsonSchema => ({
  type: 'string',
  ...(type.description ? { description: type.description } : {}),
  enum: type.getValues().map((value) => value.name),
});

function valueSchema(type: GraphQLType, extension: ContractExtension): JsonSchema {
  const bare = getNullableType(type);
  const { items = {} } = extension;
  if (isListType(bare)) {
    const item = orNull(valueSchema(bare.ofType, { ...items }), !isNonNullType(bare.ofType));
    return { type: 'array', items: item, ...limitsOf(extension) };
  }
  return namedSchema(assertNamedType(bare), extension);
}

/** What the graph's scalars accept (GraphQL section 3.5.1, ECMA-262 Number.MAX_SAFE_INTEGER): the contract accepts no more. */
const INT_BOUNDS = { minimum: -2_147_483_648, maximum: 2_147_483_647 } as const;
const SAFE_BOUNDS = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const;

function namedSchema(type: GraphQLNamedType, extension: ContractExtension): JsonSchema {
  if (!isScalarType(type)) return { $ref: `${SCHEMA_REF_PREFIX}${type.name}` };
  switch (type.name) {
    case 'String':
    case 'ID':
      return { type: 'string', ...limitsOf(extension) };
    case 'Int':
      return { type: 'integer', ...INT_BOUNDS, ...limitsOf(extension) };
    case 'SafeInteger':
      return { type: 'integer', ...SAFE_BOUNDS, ...limitsOf(extension) };
    case 'Float':
      return { type: 'number', ...limitsOf(extension) };
    case 'Boolean':
      return { type: 'boolean' };
    case 'JSON':
      return typeof extension.shape === 'string'
        ? { $ref: `${SCHEMA_REF_PREFIX}${extension.shape}` }
        : (extension.shape ?? {});
    default:
      throw new ContractError(`the scalar ${type.name} has no contract form`);
  }
}

const LIMIT_KEYWORDS = [
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'enum',
  'minItems',
  'maxItems',
  'uniqueItems',
] as const satisfies readonly (keyof ValueLimits)[];

function limitsOf(limits: ValueLimits): JsonSchema {
  const found: Record<string, JsonValue> = {};
  for (const keyword of LIMIT_KEYWORDS) {
    const value = limits[keyword];
    if (value !== undefined) found[keyword] = typeof value === 'object' ? [...value] : value;
  }
  return found;
}

function orNull(schema: JsonSchema, nullable: boolean): JsonSchema {
  // A schema without a type (free JSON) takes null as it is.
  if (!nullable || Object.keys(schema).length === 0) return schema;
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const words = schema['enum'];
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(words) ? { enum: [...words, null] } : {}),
  };
}

const described = (schema: JsonSchema, text: string | null | undefined, extension: ContractExtension): JsonSchema => ({
  ...schema,
  ...(text ? { description: text } : {}),
  ...(extension.example === undefined ? {} : { examples: [extension.example] }),
});
