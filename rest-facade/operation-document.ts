import type { ContractOperation, Selection } from '../shared/graph/json-schema.js';

// A route's GraphQL document is written from the contract: all arguments as variables, all REST fields selected. So a
// field that is added to a class is in the answer, and in the document that the gateway plans at boot.

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
