import { type FieldFault, fault } from '../../../../shared/errors/problem.js';
import { isReservedSourceSystem } from '../../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject, type JsonValue, MAX_JSON_DEPTH } from '../../../../shared/json/strict-json.js';

/** Each scalar of a record costs a few hashes; an envelope full of small scalars would block other requests. */
const MAX_SCALARS = 20_000;

/** Returns the faults of a value against the contract of EventEnvelope (schema/event-envelope.ts). */
export type ContractCheck = (value: unknown) => readonly FieldFault[];

/** Callers write only into partitions of their own systems, the service only into reserved ones. */
export type Writer = 'CALLER' | 'SERVICE';

type Validated =
  | { readonly envelope: JsonObject; readonly faults: readonly [] }
  | { readonly envelope: null; readonly faults: readonly FieldFault[] };

/**
 * Returns every fault of an envelope: those against the contract (schema/event-envelope.ts) and the rules below that no
 * schema can express.
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
        ? 'The service writes only into its reserved partitions.'
        : 'This source system is reserved for the service. Use a name without a leading _.';
    faults.push(fault('/source_system', 'reserved', text));
  }
  if (typeof named === 'string' && named !== tenantId) {
    faults.push(fault('/tenant_id', 'tenant', 'Names a tenant other than the tenant of the request.'));
  }
  if (exceedsScalars(item)) {
    faults.push(
      fault(
        '',
        'too_large',
        `An envelope may hold at most ${MAX_SCALARS} values, nested at most ${MAX_JSON_DEPTH} levels deep.`,
      ),
    );
  }
  return faults.length === 0 ? { envelope: item, faults: [] } : { envelope: null, faults };
}

/** Counts without recursion, so that deep nesting cannot exhaust the stack. */
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
