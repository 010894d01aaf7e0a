import type { ContractDocument } from '../shared/graph/json-schema.js';
import { operationOf } from './graph-route.js';
import { operationDocument } from './operation-document.js';
import { makeRoutes } from './routes/index.js';

/** The named GraphQL documents of all routes, each once: what the gateway prepares at boot and trusts from then on. */
export function routeOperations(contract: ContractDocument): { readonly name: string; readonly document: string }[] {
  const operations = makeRoutes(contract).flatMap(({ operation, beside = [] }) => [
    ...(operation === null ? [] : [operation]),
    ...beside,
  ]);
  const fields = new Map(operations.map((operation) => [operation.name, operation]));
  const torn = operations.find(({ name, field }) => fields.get(name)?.field !== field);
  if (torn) throw new Error(`two operations of different fields are called ${torn.name}`);
  return [...fields].map(([name, { field, beyond }]) => ({
    name,
    document: operationDocument(name, field, operationOf(contract, field), beyond),
  }));
}
