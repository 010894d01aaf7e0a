import { type FieldNode, Kind, type OperationDefinitionNode, parse, print, type SelectionSetNode } from 'graphql';
import type { PreparedOperation } from './operations.js';

/** The part of a query plan that is read here. */
interface PlanNode {
  readonly kind?: unknown;
  readonly serviceName?: unknown;
  readonly operation?: unknown;
  readonly requires?: unknown;
  readonly inputRewrites?: unknown;
  readonly outputRewrites?: unknown;
  readonly contextRewrites?: unknown;
}

/** Every member is unknown, so that any object is one. */
const isPlanNode = (value: unknown): value is PlanNode => typeof value === 'object' && value !== null;

/**
 * Returns the subgraph that answers an operation alone: the plan is one fetch that asks for exactly what the operation
 * asks for. Running the plan would coerce the variables twice, build the operation again and copy the answer. Null for
 * any other plan.
 */
export function directSubgraphOf(plan: object | undefined, { document, operation }: PreparedOperation): string | null {
  const node: PlanNode = plan && 'node' in plan && isPlanNode(plan.node) ? plan.node : {};
  if (node.kind !== 'Fetch' || typeof node.serviceName !== 'string' || typeof node.operation !== 'string') return null;
  const isRewritten = [node.inputRewrites, node.outputRewrites, node.contextRewrites].some((it) => it !== undefined);
  if (isRewritten || node.requires !== undefined) return null;
  const fetched = parse(node.operation, { noLocation: true });
  const [only] = fetched.definitions;
  if (fetched.definitions.length !== 1 || document.definitions.length !== 1) return null;
  if (only?.kind !== Kind.OPERATION_DEFINITION) return null;
  const asked = canonical(operation);
  return asked !== null && asked === canonical(only) ? node.serviceName : null;
}

/** Operations with the same canonical text have the same answer; null for fragments and directives. */
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
