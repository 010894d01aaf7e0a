import { SCHEMA_REF_PREFIX } from '../shared/graph/contract-field.js';
import type { ContractDocument, JsonSchema } from '../shared/graph/json-schema.js';
import { isJsonObject } from '../shared/json/strict-json.js';
import type { JsonBody, Route } from './route.js';

export type LeaveOutTenant = (body: JsonBody) => JsonBody;

const asItIs: LeaveOutTenant = (body) => body;

/**
 * A body may repeat the tenant of its request (api.md section 1 "Tenant"), on every route that is about one. Where the
 * body's own schema has no such member, it is left out once it has been found to agree, and before the schema is held to it.
 */
export function leaveOutTenant({ body, tenant }: Pick<Route, 'body' | 'tenant'>, contract: ContractDocument) {
  if (tenant !== 'required' || body?.kind !== 'json' || knowsTenant(body.schema, contract)) return asItIs;
  return ({ bytes, value }: JsonBody): JsonBody => {
    if (!isJsonObject(value) || typeof value['tenant_id'] !== 'string') return { bytes, value };
    const { tenant_id: _, ...rest } = value;
    return { bytes, value: rest };
  };
}

/** Open schemas take it as any other member. */
function knowsTenant(schema: JsonSchema, contract: ContractDocument): boolean {
  const ref = schema['$ref'];
  const named = typeof ref === 'string' ? contract.components.schemas[ref.slice(SCHEMA_REF_PREFIX.length)] : schema;
  const properties = named?.['properties'];
  return named?.['additionalProperties'] !== false || (isJsonObject(properties) && 'tenant_id' in properties);
}
