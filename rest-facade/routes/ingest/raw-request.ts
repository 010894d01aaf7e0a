import { fault, problem } from '../../../shared/errors/problem.js';
import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import { contractOf, type Validator } from '../../../shared/graph/validator.js';
import type { operationOf } from '../../graph-route.js';
import { X12_EXAMPLE } from '../../openapi/byte-examples.js';
import type { Route, RouteCall } from '../../route.js';
import { RAW_MEDIA_TYPES } from '../../streams/raw-content.js';
import { digestOfRawForm, isRawForm, RAW_FORM_MEDIA_TYPES } from '../../streams/raw-form.js';
import type { RawMessage } from '../../streams/raw-message.js';
import { FORM_FIELDS_SCHEMA, FORM_SCHEMA, WRAPPER_SCHEMA } from '../../streams/raw-schemas.js';

// The request of a raw message: an ingest and a validation take the same.

const QUERY = ['format', 'source_system', 'strict'] as const;

interface RawRequest extends Required<Pick<Route, 'query' | 'body'>> {
  readonly faults: { readonly wrapper: Validator; readonly fields: Validator };
}

/** @param operation the graph operation; its arguments are the parameters */
export function rawRequest(contract: ContractDocument, operation: ReturnType<typeof operationOf>): RawRequest {
  const compiled = contractOf(contract);
  const faults = { wrapper: compiled.compile(WRAPPER_SCHEMA), fields: compiled.compile(FORM_FIELDS_SCHEMA) };
  return {
    query: Object.fromEntries(QUERY.map((name) => [name, operation.arguments[name]?.schema ?? {}] as const)),
    body: {
      kind: 'stream',
      mediaTypes: [...RAW_MEDIA_TYPES, ...RAW_FORM_MEDIA_TYPES],
      jsonSchema: WRAPPER_SCHEMA,
      jsonExample: { format: 'x12', source_system: 'clearinghouse-a', content: X12_EXAMPLE },
      formSchema: FORM_SCHEMA,
      takesGzip: true,
      digestOf: (contentType) =>
        isRawForm(contentType) ? (content, limits) => digestOfRawForm(content, limits, faults.fields) : undefined,
    },
    faults,
  };
}

/** Returns the statements of query, wrapper or form about a message, after its bytes were read. */
export function statedArguments(call: RouteCall, message: RawMessage): Readonly<Record<string, unknown>> {
  const { format, sourceSystem, strict, contentType } = message.stated();
  return {
    format: call.query['format'] ?? format,
    source_system: call.query['source_system'] ?? sourceSystem,
    strict: call.query['strict'] ?? strict,
    content_type: contentType,
    converted_from: message.convertedFrom?.(),
  };
}

/** The bytes of a message. They end with an error if the message states another tenant, and the store keeps nothing. */
export async function* ofTenant({ bytes, stated }: RawMessage, tenantId: string): AsyncGenerator<Uint8Array> {
  yield* bytes;
  const other = stated().tenantId;
  if (other === undefined || other === tenantId) return;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/tenant_id', 'tenant', 'Must be the tenant that header or query name.')],
  });
}
