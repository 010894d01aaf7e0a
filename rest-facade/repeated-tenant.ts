import { SCHEMA_REF_PREFIX } from '../shared/graph/contract-field.js';
import type { ContractDocument, JsonSchema } from '../shared/graph/json-schema.js';
import { isJsonObject } from '../shared/json/strict-json.js';
import type { JsonBody, Route } from './route.js';

export type LeaveOutTenant = (body: JsonBody) => JsonBody;

const unchanged: LeaveOutTenant = (body) => body;

type TakenParts = Pick<Route, 'body' | 'tenant' | 'freeForm'>;

/**
 * A body may repeat the tenant of its request (api.md section 1 "Tenant"). If the schema of the body has no such member, it
 * is removed after the tenant check and before the schema check.
 */
export function leaveOutTenant({ body, tenant, freeForm }: TakenParts, contract: ContractDocument) {
  const takesTenant = tenant === 'required' || freeForm !== undefined;
  if (!takesTenant || body?.kind !== 'json' || knowsTenant(body.schema, contract, freeForm)) return unchanged;
  return ({ bytes, value }: JsonBody): JsonBody => {
    if (!isJsonObject(value) || typeof value['tenant_id'] !== 'string') return { bytes, value };
    const { tenant_id: _, ...rest } = value;
    return { bytes, value: rest };
  };
}

/** An open schema accepts it as any other member; in a free-form body it is no unknown member. */
function knowsTenant(schema: JsonSchema, contract: ContractDocument, freeForm: Route['freeForm']): boolean {
  const ref = schema['$ref'];
  const named = typeof ref === 'string' ? contract.components.schemas[ref.slice(SCHEMA_REF_PREFIX.length)] : schema;
  const properties = named?.['properties'];
  if (freeForm === undefined && named?.['additionalProperties'] !== false) return true;
  return isJsonObject(properties) && 'tenant_id' in properties;
}
