import type { ContractDocument } from '../shared/graph/json-schema.js';
import { operationOf } from './graph-route.js';
import { operationDocument } from './operation-document.js';
import { makeRoutes } from './routes/index.js';

/** The named GraphQL documents of all routes: what the gateway prepares at boot and trusts from then on. */
export function routeOperations(contract: ContractDocument): { readonly name: string; readonly document: string }[] {
  const operations = makeRoutes(contract).flatMap((route) => route.operation ?? []);
  return operations.map(({ name, field }) => ({
    name,
    document: operationDocument(name, field, operationOf(contract, field)),
  }));
}
