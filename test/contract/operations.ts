import type { Schema, Schemas } from './schema-arbitrary.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

/** One operation of the document, as the contract test drives it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly scope: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  /** Content types of a body that is not JSON alone. */
  readonly mediaTypes: readonly string[];
  /** Schema of each media type, by status. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the document is what this reads.
type Json = any;

export interface Description {
  readonly operations: readonly Operation[];
  readonly schemas: Schemas;
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

export function readDescription(document: Json): Description {
  const operations: Operation[] = [];
  const paths: Record<string, string[]> = {};
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    paths[path] = Object.keys(item);
    for (const [method, operation] of Object.entries<Json>(item)) {
      operations.push(operationOf(document, path, method, operation));
    }
  }
  return { operations, schemas: document.components.schemas, paths };
}

function operationOf(document: Json, path: string, method: string, operation: Json): Operation {
  const content = operation.requestBody?.content ?? {};
  return {
    method: method.toUpperCase(),
    path,
    operationId: operation.operationId,
    scope: operation['x-required-scope'],
    parameters: operation.parameters,
    body: content['application/json']?.schema,
    mediaTypes: Object.keys(content),
    answers: Object.fromEntries(
      Object.entries<Json>(operation.responses).map(([status, response]) => [status, mediaOf(document, response)]),
    ),
  };
}

function mediaOf(document: Json, response: Json): Record<string, Schema> {
  const name = response.$ref?.replace('#/components/responses/', '');
  const whole = name ? document.components.responses[name] : response;
  return Object.fromEntries(
    Object.entries<Json>(whole.content ?? {}).map(([type, { schema }]) => [type, schema ?? {}]),
  );
}
