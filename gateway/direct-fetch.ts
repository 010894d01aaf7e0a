import { type FieldNode, Kind, type OperationDefinitionNode, parse, print, type SelectionSetNode } from 'graphql';
import type { PreparedOperation } from './operations.js';

/** The one fetch that a plan consists of: it asks its subgraph for exactly what the operation asks for. */
export interface DirectFetch {
  readonly subgraph: string;
  readonly document: string;
}

/** The part of a query plan that is looked at here. */
interface PlanNode {
  readonly kind?: unknown;
  readonly serviceName?: unknown;
  readonly operation?: unknown;
  readonly requires?: unknown;
  readonly inputRewrites?: unknown;
  readonly outputRewrites?: unknown;
  readonly contextRewrites?: unknown;
}

/**
 * Most routes ask one subgraph. Then its answer is the operation's answer, and running the plan would coerce the variables
 * a second time, build the operation anew and copy the answer. Null for any plan of which that cannot be told for certain.
 */
export function directFetchOf(
  plan: object | undefined,
  { document, operation }: PreparedOperation,
): DirectFetch | null {
  const node = (plan as { readonly node?: PlanNode } | undefined)?.node;
  if (node?.kind !== 'Fetch' || typeof node.serviceName !== 'string' || typeof node.operation !== 'string') return null;
  const isRewritten = [node.inputRewrites, node.outputRewrites, node.contextRewrites].some((it) => it !== undefined);
  if (isRewritten || node.requires !== undefined) return null;
  const fetched = parse(node.operation, { noLocation: true });
  const [only] = fetched.definitions;
  if (fetched.definitions.length !== 1 || document.definitions.length !== 1) return null;
  if (only?.kind !== Kind.OPERATION_DEFINITION) return null;
  const asked = canonical(operation);
  return asked !== null && asked === canonical(only) ? { subgraph: node.serviceName, document: node.operation } : null;
}

/** Two operations with one canonical text have one answer; null where fragments or directives make that hard to tell. */
function canonical({ operation, variableDefinitions = [], directives = [], selectionSet }: OperationDefinitionNode) {
  const selections = canonicalSelections(selectionSet);
  if (selections === null || directives.length > 0) return null;
  return `${operation}(${variableDefinitions.map(print).sort().join()})${selections}`;
}

function canonicalSelections(set: SelectionSetNode): string | null {
  const fields: string[] = [];
  for (const selection of set.selections) {
    const field = selection.kind === Kind.FIELD ? canonicalField(selection) : null;
    if (field === null) return null;
    fields.push(field);
  }
  return `{${fields.sort().join()}}`;
}

function canonicalField({ alias, name, arguments: given = [], directives = [], selectionSet }: FieldNode) {
  const below = selectionSet ? canonicalSelections(selectionSet) : '';
  if (below === null || directives.length > 0) return null;
  return `${alias?.value ?? name.value}:${name.value}(${given.map(print).sort().join()})${below}`;
}
