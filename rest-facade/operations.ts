import type { ContractDocument, ContractOperation, Selection } from '../shared/graph/json-schema.js';
import { operationOf } from './graph-route.js';
import { makeRoutes } from './routes/index.js';

// The GraphQL document of a route follows from the contract: all arguments as variables, all REST fields selected. So a new
// field of a class is in the answer, and in the document that the gateway plans at boot.

export function operationDocument(name: string, field: string, operation: ContractOperation, beyond = ''): string {
  const args = Object.entries(operation.arguments);
  const variables = args.map(([argument, { type }]) => `$${argument}: ${type}`).join(', ');
  const values = args.map(([argument]) => `${argument}: $${argument}`).join(', ');
  const declared = variables === '' ? '' : `(${variables})`;
  const passed = values === '' ? '' : `(${values})`;
  const selected = operation.selection === null ? '' : ` ${selectionText(operation.selection, beyond)}`;
  return `${operation.kind} ${name}${declared} { ${field}${passed}${selected} }`;
}

const selectionText = (selection: Selection, beyond = ''): string =>
  `{ ${Object.entries(selection)
    .map(([name, { fields }]) => (fields ? `${name} ${selectionText(fields)}` : name))
    .join(' ')}${beyond === '' ? '' : ` ${beyond}`} }`;

/** The named GraphQL documents of all routes, each once. The gateway prepares them at boot and trusts them afterwards. */
export function routeOperations(contract: ContractDocument): { readonly name: string; readonly document: string }[] {
  const operations = makeRoutes(contract).flatMap(({ operation, furtherOperations = [] }) => [
    ...(operation === null ? [] : [operation]),
    ...furtherOperations,
  ]);
  const fields = new Map(operations.map((operation) => [operation.name, operation]));
  const ambiguous = operations.find(({ name, field }) => fields.get(name)?.field !== field);
  if (ambiguous) throw new Error(`two operations of different fields have the name ${ambiguous.name}`);
  return [...fields].map(([name, { field, beyond }]) => ({
    name,
    document: operationDocument(name, field, operationOf(contract, field), beyond),
  }));
}
