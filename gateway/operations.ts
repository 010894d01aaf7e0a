import { type DocumentNode, type GraphQLSchema, Kind, type OperationDefinitionNode, parse, validate } from 'graphql';
import { sha256Hex } from '../shared/crypto/hash.js';

/** An operation ready to run: parsed and validated, with the hash that keys its plan. */
export interface PreparedOperation {
  readonly name: string;
  readonly source: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly hash: string;
}

/** A route's operation: one named GraphQL document (design.md decision 1). */
export interface NamedOperation {
  readonly name: string;
  readonly document: string;
}

/** Keys the plan; taken of the text, so that it is known before the graph is. */
export const hashOf = ({ document }: NamedOperation): string => sha256Hex(document);

export class OperationError extends Error {}

/** @throws OperationError when the document does not fit the graph, or is not one operation of that name. */
function prepareOperation(schema: GraphQLSchema, { name, document: source }: NamedOperation): PreparedOperation {
  const document = parse(source, { noLocation: true });
  const faults = validate(schema, document);
  if (faults.length > 0) {
    throw new OperationError(`${name} does not fit the graph: ${faults.map((fault) => fault.message).join('; ')}`);
  }
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (!operation || operations.length > 1 || operation.name?.value !== name) {
    throw new OperationError(`${name} must be one operation of that name`);
  }
  return { name, source, document, operation, hash: hashOf({ name, document: source }) };
}

export function prepareOperations(
  schema: GraphQLSchema,
  operations: readonly NamedOperation[],
): ReadonlyMap<string, PreparedOperation> {
  const prepared = new Map<string, PreparedOperation>();
  for (const operation of operations) {
    const known = prepared.get(operation.name);
    if (known && known.source !== operation.document) throw new OperationError(`${operation.name} is declared twice`);
    prepared.set(operation.name, prepareOperation(schema, operation));
  }
  return prepared;
}
