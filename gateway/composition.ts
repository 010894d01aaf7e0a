import { composeServices } from '@apollo/composition';
import { describeGraph } from '../shared/graph/described.js';
import { typeDefsOf } from '../shared/graph/federation/type-defs.js';
import { type ContractDocument, ContractError } from '../shared/graph/json-schema.js';
import type { SubgraphDefinition } from '../shared/graph/subgraph.js';

/** The output of `npm run compose`: the supergraph, and the REST contract of all subgraphs. */
interface Composition {
  readonly supergraphSdl: string;
  readonly contract: ContractDocument;
}

class CompositionError extends Error {}

/** Builds every subgraph's schema (no database, no instances) and composes them. @throws CompositionError */
export async function composeGraph(definitions: readonly SubgraphDefinition[]): Promise<Composition> {
  const built = [];
  for (const definition of definitions) built.push({ name: definition.name, ...(await describeGraph(definition)) });
  const services = built.map(({ name, plain }) => ({ name, url: `local://${name}`, typeDefs: typeDefsOf(plain) }));
  const composed = composeServices(services);
  if (composed.errors) {
    throw new CompositionError(composed.errors.map((error) => error.message).join('\n'));
  }
  return {
    supergraphSdl: composed.supergraphSdl,
    contract: mergeContracts(built.map(({ contract }) => contract.document)),
  };
}

/** A type that two subgraphs declare must be the same in both; a root field belongs to one. */
function mergeContracts(documents: readonly ContractDocument[]): ContractDocument {
  const schemas: Record<string, ContractDocument['components']['schemas'][string]> = {};
  const operations: Record<string, ContractDocument['operations'][string]> = {};
  for (const document of documents) {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (schemas[name] && JSON.stringify(schemas[name]) !== JSON.stringify(schema)) {
        throw new ContractError(`two subgraphs declare ${name} differently`);
      }
      schemas[name] = schema;
    }
    for (const [name, operation] of Object.entries(document.operations)) {
      if (operations[name]) throw new ContractError(`two subgraphs declare the root field ${name}`);
      operations[name] = operation;
    }
  }
  const merged = { components: { schemas: sorted(schemas) }, operations: sorted(operations) };
  refuseDanglingReferences(merged);
  return merged;
}

/** A shape names its type by text; the type must be among the subgraph's `contractTypes`. */
function refuseDanglingReferences(document: ContractDocument): void {
  for (const [, name = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
    if (!document.components.schemas[name]) throw new ContractError(`${name} is referred to, but is no contract type`);
  }
}

const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
