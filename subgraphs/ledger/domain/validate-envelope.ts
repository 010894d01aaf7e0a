import { type FieldFault, fault } from '../../../shared/errors/problem.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject, type JsonValue, MAX_JSON_DEPTH } from '../../../shared/json/strict-json.js';

/** Each scalar of a record costs a few hashes; an envelope of nothing but small scalars would hold up everybody. */
export const MAX_SCALARS = 20_000;

/** Faults of a value against the contract of EventEnvelope (schema/event-envelope.ts). */
export type ContractCheck = (value: unknown) => readonly FieldFault[];

/** Callers write into partitions of their own systems, the service into the reserved ones; never the other way round. */
export type Writer = 'CALLER' | 'SERVICE';

export type Validated =
  | { readonly envelope: JsonObject; readonly faults: readonly [] }
  | { readonly envelope: null; readonly faults: readonly FieldFault[] };

/**
 * Every fault of an envelope. What a member must look like stands in the contract (schema/event-envelope.ts); here are
 * the rules that no schema can say.
 */
export function validateEnvelope(
  item: unknown,
  tenantId: string,
  contractFaults: ContractCheck,
  writer: Writer = 'CALLER',
): Validated {
  if (!isJsonObject(item)) {
    return { envelope: null, faults: [fault('', 'type', 'An event envelope must be a JSON object.')] };
  }
  const faults = [...contractFaults(item)];
  const { source_system: source, tenant_id: named } = item;
  if (typeof source === 'string' && isReservedSourceSystem(source) !== (writer === 'SERVICE')) {
    const text =
      writer === 'SERVICE'
        ? 'The service writes into its reserved partitions alone.'
        : 'This source system is reserved for the service itself.';
    faults.push(fault('/source_system', 'reserved', text));
  }
  if (typeof named === 'string' && named !== tenantId) {
    faults.push(fault('/tenant_id', 'tenant', 'Names another tenant than the request.'));
  }
  if (exceedsScalars(item)) {
    faults.push(
      fault(
        '',
        'too_large',
        `An envelope may hold ${MAX_SCALARS} values at most, nested ${MAX_JSON_DEPTH} levels deep.`,
      ),
    );
  }
  return faults.length === 0 ? { envelope: item, faults: [] } : { envelope: null, faults };
}

/** Counts without recursion, so that no nesting can exhaust the stack. */
function exceedsScalars(root: JsonObject): boolean {
  let scalars = 0;
  let level: JsonValue[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return true;
    const next: JsonValue[] = [];
    for (const value of level) {
      for (const child of Array.isArray(value) ? value : Object.values(value as JsonObject)) {
        if (typeof child === 'object' && child !== null) next.push(child);
        else if (++scalars > MAX_SCALARS) return true;
      }
    }
    level = next;
  }
  return false;
}
