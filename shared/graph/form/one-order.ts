import { type DefinitionNode, type DocumentNode, Kind } from 'graphql';

/**
 * Puts the types of a schema, and the fields of each object type, into the order of their names. type-graphql gives them in
 * the order in which it loaded their classes, which depends on the program. Arguments, inputs and enums each have one
 * class, and keep its order.
 */
export function inOneOrder(document: DocumentNode): DocumentNode {
  const definitions = document.definitions.map(ordered);
  return { ...document, definitions: definitions.toSorted((a, b) => compareTexts(nameOf(a), nameOf(b))) };
}

/** Extensions of the schema itself have no name and come first. */
const nameOf = (definition: DefinitionNode): string =>
  'name' in definition && definition.name !== undefined ? `${definition.kind} ${definition.name.value}` : '';

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function ordered(definition: DefinitionNode): DefinitionNode {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return definition;
  const fields = definition.fields?.toSorted((a, b) => compareTexts(a.name.value, b.name.value)) ?? [];
  return { ...definition, fields };
}
