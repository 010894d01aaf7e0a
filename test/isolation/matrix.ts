import { readFileSync } from 'node:fs';
import { type DocumentNode, Kind, type ObjectTypeDefinitionNode, parse } from 'graphql';
import { repositoryFile } from '../../app/repository.js';
import type { Route } from '../../rest-facade/route.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { SCHEMA_REF_PREFIX } from '../../shared/graph/contract-field.js';
import type { ContractDocument } from '../../shared/graph/json-schema.js';

// The committed route table and the committed supergraph define the matrix.

export const contract = JSON.parse(
  readFileSync(repositoryFile('rest-facade/contract.json'), 'utf8'),
) as ContractDocument;

export const routes: readonly Route[] = makeRoutes(contract);
export const nameOf = (route: Route): string => `${route.method} ${route.path}`;
export const paramsOf = (route: Route): string[] => [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

export const fill = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** Does the route answer a page of items? */
export function isList(route: Route): boolean {
  const { $ref: reference } = route.response.schema;
  if (route.method !== 'GET' || typeof reference !== 'string') return false;
  const schema = contract.components.schemas[reference.slice(SCHEMA_REF_PREFIX.length)];
  return schema !== undefined && 'items' in (schema['properties'] as object);
}

const LOOKS_LIKE_A_REFERENCE = /(^id|_ids?|_of|_to)$/;

/** Members of a route's JSON body that look like references, at any depth. */
export function referenceMembers(route: Route): string[] {
  if (route.body?.kind !== 'json') return [];
  const found = new Set<string>();
  const seen = new Set<string>();
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if (Array.isArray(schema)) {
      schema.forEach(walk);
      return;
    }
    const { $ref: reference, properties } = schema as { $ref?: string; properties?: object };
    if (reference !== undefined && !seen.has(reference)) {
      seen.add(reference);
      walk(contract.components.schemas[reference.slice(SCHEMA_REF_PREFIX.length)]);
    }
    for (const name of Object.keys(properties ?? {})) if (LOOKS_LIKE_A_REFERENCE.test(name)) found.add(name);
    for (const part of Object.values(schema)) walk(part);
  };
  walk(route.body.documentation ?? route.body.schema);
  return [...found];
}

export interface RootField {
  readonly kind: 'query' | 'mutation';
  readonly name: string;
  /** In no API schema: for the service's own parts. */
  readonly inaccessible: boolean;
}

const supergraph: DocumentNode = parse(readFileSync(repositoryFile('gateway/supergraph.graphql'), 'utf8'));

const objectTypes = supergraph.definitions.filter(
  (definition): definition is ObjectTypeDefinitionNode => definition.kind === Kind.OBJECT_TYPE_DEFINITION,
);

export const rootFields: readonly RootField[] = objectTypes.flatMap(({ name, fields }) => {
  const kind = name.value === 'Query' ? 'query' : name.value === 'Mutation' ? 'mutation' : null;
  if (kind === null) return [];
  return (fields ?? []).map((field) => ({
    kind,
    name: field.name.value,
    inaccessible: (field.directives ?? []).some((directive) => directive.name.value === 'inaccessible'),
  }));
});

/** Types that a subgraph resolves by key: `_entities` reaches them. */
export const entityTypes: readonly string[] = objectTypes.flatMap(({ name, directives = [] }) =>
  directives.some(
    (directive) =>
      directive.name.value === 'join__type' && directive.arguments?.some((one) => one.name.value === 'key'),
  )
    ? [name.value]
    : [],
);
