import { isoTime } from '../../../shared/clock/clock.js';
import type { TenantContext } from './tenant-context.js';

/** A chain and its last entry. */
export interface PartitionHead {
  readonly source_system: string;
  readonly sequence: number;
  readonly entry_hash: string;
  readonly event_id: string;
  readonly recorded_at: string;
}

/** The heads of all chains of the tenant, its system partitions included. */
export async function listPartitions(tenant: TenantContext): Promise<PartitionHead[]> {
  const heads: PartitionHead[] = [];
  for (const sourceSystem of await tenant.ledger.sourceSystems()) {
    const head = await tenant.ledger.head(sourceSystem);
    if (!head) continue;
    heads.push({
      source_system: sourceSystem,
      sequence: head._id.seq,
      entry_hash: head.entry_hash,
      event_id: head.event_id,
      recorded_at: isoTime(head.recorded_at.getTime()),
    });
  }
  return heads;
}
