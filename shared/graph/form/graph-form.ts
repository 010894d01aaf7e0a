import {
  type GraphQLArgumentConfig,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLInputObjectType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
  type GraphQLType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import type { JsonValue } from '../../json/strict-json.js';
import { type ContractExtension, contractExtensionOf } from '../contract-field.js';
import type { FieldResolver } from '../guard-arguments.js';
import { GRAPH_SCALARS, type GraphScalarName } from '../scalars.js';
import { argumentExample } from './argument-examples.js';
import { Interfaces } from './interfaces.js';
import { fieldsInOrder, typesInOrder } from './one-order.js';

// The graph says more than REST about the same fields: the scalar of a value, and an example in each description. Both
// follow from the contract's extensions, so that nothing is declared twice and REST documents stay as they are.

const SCALAR_OF_FORMAT: Readonly<Partial<Record<NonNullable<ContractExtension['format']>, GraphScalarName>>> = {
  'date-time': 'DateTime',
  date: 'Date',
};
const MAX_EXAMPLE = 200;

type Field = GraphQLField<unknown, unknown>;
type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/** What a service adds to the form of a schema. */
export interface ServedParts {
  readonly resolverOf: (type: GraphQLObjectType, field: Field) => FieldResolver | undefined;
  /** Further fields of the query type. @param typeOf finds a type of the new schema */
  readonly queryFields: (typeOf: TypeOf) => Readonly<Record<string, FieldConfig>>;
  readonly types: (typeOf: TypeOf) => readonly GraphQLNamedType[];
  readonly directives: readonly GraphQLDirective[];
}

export type TypeOf = (name: string) => GraphQLNamedType | undefined;

/**
 * Returns a schema as the graph shows it, with one order of types and fields. Argument types stay: saved queries declare
 * them. Composition checks the schema, so that a start does not.
 */
export function graphForm(plain: GraphQLSchema, served?: ServedParts): GraphQLSchema {
  const form = new Form(plain, served);
  const query = form.objectOf(plain.getQueryType());
  const types = form.types();
  return new GraphQLSchema({
    query,
    mutation: form.objectOf(plain.getMutationType()),
    types: [...types, ...(served?.types(form.typeOf) ?? [])],
    ...(served === undefined ? {} : { directives: served.directives }),
    assumeValid: true,
  });
}

/** The types of one schema in graph form. */
class Form {
  readonly #plain: GraphQLSchema;
  readonly #served: ServedParts | undefined;
  readonly #types = new Map<string, GraphQLNamedType>();
  readonly #interfaces: Interfaces;

  constructor(plain: GraphQLSchema, served: ServedParts | undefined) {
    this.#plain = plain;
    this.#served = served;
    this.#interfaces = new Interfaces(plain, shownType, this.typeOf);
    const types = Object.values(plain.getTypeMap());
    const own = types.filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type));
    for (const type of typesInOrder([...own, ...this.#interfaces.types()]))
      this.#types.set(type.name, this.#typeForm(type));
    const fields = own.filter(isObjectType).flatMap((type) => Object.values(type.getFields()));
    for (const name of [...new Set(fields.flatMap(scalarsOf))].sort()) this.#types.set(name, GRAPH_SCALARS[name]);
  }

  types(): readonly GraphQLNamedType[] {
    return [...this.#types.values()];
  }

  readonly typeOf: TypeOf = (name) => this.#types.get(name);

  objectOf(type: GraphQLObjectType | null | undefined): GraphQLObjectType | undefined {
    const found = type && this.#types.get(type.name);
    return isObjectType(found) ? found : undefined;
  }

  #typeForm(type: GraphQLNamedType): GraphQLNamedType {
    if (isObjectType(type)) {
      const { name, description, astNode, isTypeOf } = type;
      return new GraphQLObjectType({
        name,
        description,
        astNode,
        isTypeOf,
        interfaces: () => this.#interfaces.of(type),
        fields: () => this.#fieldsOf(type),
      });
    }
    if (!isInputObjectType(type)) return type;
    const fields = () =>
      Object.fromEntries(
        Object.values(type.getFields()).map((field) => [
          field.name,
          {
            ...partOf(field, contractExtensionOf(field)?.example),
            type: this.#typeIn(field.type),
            defaultValue: field.defaultValue,
          },
        ]),
      );
    const { name, description, astNode } = type;
    return new GraphQLInputObjectType({ name, description, astNode, fields });
  }

  #fieldsOf(type: GraphQLObjectType): Record<string, FieldConfig> {
    const plain = Object.values(type.getFields()).map((field) => [field.name, this.#fieldOf(type, field)] as const);
    const own = [...Object.entries(this.#interfaces.idOf(type)), ...plain].map(([name, config]) => ({ name, config }));
    const fields = Object.fromEntries(fieldsInOrder(own).map(({ name, config }) => [name, config]));
    if (type !== this.#plain.getQueryType() || this.#served === undefined) return fields;
    return { ...fields, ...this.#served.queryFields(this.typeOf) };
  }

  #fieldOf(type: GraphQLObjectType, field: Field): FieldConfig {
    const resolve = this.#served?.resolverOf(type, field);
    return {
      ...partOf(field, contractExtensionOf(field)?.example),
      type: this.#typeIn(shownType(field)),
      args: this.#argumentsOf(field),
      ...(resolve === undefined ? {} : { resolve }),
    };
  }

  #argumentsOf(field: Field): Record<string, GraphQLArgumentConfig> {
    const args: Record<string, GraphQLArgumentConfig> = {};
    for (const argument of field.args) {
      const example = argumentExample(field.name, argument.name, contractExtensionOf(argument));
      args[argument.name] = {
        ...partOf(argument, example),
        type: this.#typeIn(argument.type),
        defaultValue: argument.defaultValue,
      };
    }
    return args;
  }

  /** The same type over the types of this form. */
  #typeIn<Type extends GraphQLType>(type: Type): Type;
  #typeIn(type: GraphQLType): GraphQLType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.#typeIn(type.ofType));
    if (isListType(type)) return new GraphQLList(this.#typeIn(type.ofType));
    return this.#types.get(type.name) ?? type;
  }
}

/** The parts of a field or an argument that do not depend on types. Its node holds its directives. */
const partOf = <Node>(
  { description, deprecationReason, astNode }: Described<Node>,
  example: JsonValue | undefined,
): Described<Node> => ({ description: withExample(description, example), deprecationReason, astNode });

interface Described<Node> {
  readonly description: Maybe<string>;
  readonly deprecationReason: Maybe<string>;
  readonly astNode: Maybe<Node>;
}
type Maybe<Value> = Value | null | undefined;

/** Adds an example to a description. */
function withExample(description: Maybe<string>, example: JsonValue | undefined): Maybe<string> {
  if (example == null || !description) return description;
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  return text === '' || text.length > MAX_EXAMPLE ? description : `${description} Example: \`${text}\`.`;
}

/** The scalar of a field, if it has one. */
function scalarsOf(field: Field): readonly GraphScalarName[] {
  const { format, items, scalar } = contractExtensionOf(field) ?? {};
  const named = format ?? items?.format;
  const found = scalar ?? (named === undefined ? undefined : SCALAR_OF_FORMAT[named]);
  return found === undefined ? [] : [found];
}

/** The type of a field in the graph, over the types of the plain schema. */
function shownType(field: Field): GraphQLOutputType {
  const [scalar] = scalarsOf(field);
  return withScalar(field.type, scalar);
}

/** The type with the scalar in place of String; another type stays. */
function withScalar(type: GraphQLOutputType, scalar: GraphScalarName | undefined): GraphQLOutputType {
  if (scalar === undefined) return type;
  if (isNonNullType(type)) return new GraphQLNonNull(withScalar(type.ofType, scalar));
  if (isListType(type)) return new GraphQLList(withScalar(type.ofType, scalar));
  return type === GraphQLString ? GRAPH_SCALARS[scalar] : type;
}
