import type { SystemPartition, TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';

/** An event of the service's own, for one of the reserved partitions (evidence.md section 2). */
export interface SystemEntry {
  readonly source_system: SystemPartition;
  /** Fixed before the first attempt: sent again, the identical entry is a duplicate and nothing is appended. */
  readonly source_record_id: string;
  readonly event_family: string;
  readonly event_type: string;
  readonly event_effective_timestamp: string;
  readonly outcome?: string;
  /** Ids, times, states and hashes; no secret, and nothing personal beyond the ids of actors and keys. */
  readonly payload: JsonObject;
}

/** How a subgraph writes into the reserved partitions of a tenant's ledger. */
export interface SystemLedger {
  /** Resolves when ledger and write-once store have every entry; appending again changes nothing. */
  append(tenantId: TenantId, entries: readonly SystemEntry[]): Promise<void>;
}
