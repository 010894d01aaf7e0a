import { z } from 'zod';
import type { SystemPartition, TenantId } from '../ids/tenant.js';
import { branded, defineCall, JSON_OBJECT, jsonList } from './call.js';

/** An event that the service itself writes into a reserved partition (evidence.md section 2). */
const SystemEntry = z.object({
  /** The ledger checks it. */
  source_system: branded<SystemPartition>(),
  /** Fixed before the first attempt: the identical entry is a duplicate, and appending it again changes nothing. */
  source_record_id: z.string(),
  event_family: z.string(),
  event_type: z.string(),
  event_effective_timestamp: z.string(),
  outcome: z.string().exactOptional(),
  /** Ids, times, states and hashes; no secret, and nothing personal beyond the ids of actors and keys. */
  payload: JSON_OBJECT,
});
export type SystemEntry = z.infer<typeof SystemEntry>;

/** Writes into the reserved partitions of a tenant's ledger. */
export interface SystemLedger {
  /** Resolves when ledger and write-once store have every entry; appending again changes nothing. */
  append(tenantId: TenantId, entries: readonly SystemEntry[]): Promise<void>;
}

export const appendSystemEntries = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'appendSystemEntries',
  input: { items: jsonList(SystemEntry) },
  output: z.int(),
});
