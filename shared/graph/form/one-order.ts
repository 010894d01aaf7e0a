import { type GraphQLNamedType, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';

// type-graphql gives the types of a schema, and the fields of each object type, in the order in which it loaded their
// classes, which depends on the program. The graph shows them in the order of their kinds and names. Arguments, inputs and
// enums each have one class, and keep its order.

interface Named {
  readonly name: string;
}

/** Sorts types: enums, inputs, interfaces, objects, scalars, each by name. */
export const typesInOrder = <Type extends GraphQLNamedType>(types: readonly Type[]): readonly Type[] =>
  types.toSorted((a, b) => kindOf(a) - kindOf(b) || compareNames(a, b));

/** Sorts the fields of an object type by name. */
export const fieldsInOrder = <Field extends Named>(fields: readonly Field[]): readonly Field[] =>
  fields.toSorted(compareNames);

const compareNames = (a: Named, b: Named): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const kindOf = (type: GraphQLNamedType): number =>
  isEnumType(type) ? 0 : isInputObjectType(type) ? 1 : isInterfaceType(type) ? 2 : isObjectType(type) ? 3 : 4;
