import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { isExactLiteral } from '../shared/json/exact-number.js';

/** Bounds of an ad-hoc query, counted with its fragments expanded. */
export const AD_HOC_LIMITS = {
  characters: 32_768,
  tokens: 4_000,
  // The standard introspection query is 15 deep.
  depth: 16,
  aliases: 30,
  selections: 1_000,
  rootFields: 10,
} as const;

interface Tally {
  aliases: number;
  selections: number;
}

/** @throws GraphQLError naming the limit that the operation exceeds. Also refuses fragment cycles. */
export function enforceLimits(document: DocumentNode, operation: OperationDefinitionNode): void {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const tally: Tally = { aliases: 0, selections: 0 };
  const open = new Set<string>();

  const walk = (set: SelectionSetNode, depth: number): void => {
    refuseOver('depth', depth);
    for (const selection of set.selections) {
      refuseOver('selections', ++tally.selections);
      if (selection.kind === Kind.FIELD) {
        if (selection.alias) refuseOver('aliases', ++tally.aliases);
        if (selection.selectionSet) walk(selection.selectionSet, depth + 1);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, depth);
      } else {
        const name = selection.name.value;
        const fragment = fragments.get(name);
        if (open.has(name)) throw new GraphQLError('A fragment contains itself.');
        if (!fragment) continue;
        open.add(name);
        walk(fragment.selectionSet, depth);
        open.delete(name);
      }
    }
  };
  refuseOver('rootFields', operation.selectionSet.selections.length);
  walk(operation.selectionSet, 1);
}

/**
 * Rejects a number that a double cannot represent exactly, as in a JSON body. The planner prints literals again, so no later
 * stage could detect it. @throws GraphQLError
 */
export function refuseInexactNumbers(document: DocumentNode): void {
  const judge = ({ value }: { readonly value: string }): void => {
    if (!isExactLiteral(value)) throw new GraphQLError('A number cannot be kept exactly; send it as a string.');
  };
  visit(document, { IntValue: judge, FloatValue: judge });
}

function refuseOver(limit: keyof typeof AD_HOC_LIMITS, count: number): void {
  if (count <= AD_HOC_LIMITS[limit]) return;
  throw new GraphQLError(`The query exceeds the limit of ${AD_HOC_LIMITS[limit]} ${limit}.`);
}
