import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { DONE, defineCall, json, list } from './call.js';
import { HELD_KINDS } from './holds.js';

/** Why records of a member stay. LEGAL_HOLD comes before any other reason, OPEN_REQUEST after every other. */
export const ERASURE_REFUSALS = ['LEGAL_HOLD', 'RETENTION', 'OTHER_MEMBERS', 'DAMAGED', 'OPEN_REQUEST'] as const;
export type ErasureRefusalReason = (typeof ERASURE_REFUSALS)[number];

const ErasureOrder = z.object({
  /** Named by the certificates; the same at every run. */
  erasure_id: z.string(),
  /** Every identifier of the person. */
  member_ids: list(z.string()),
});
export type ErasureOrder = z.infer<typeof ErasureOrder>;

/** Records of one kind that stay for one reason. */
const ErasureRefusal = z.object({
  kind: z.enum(HELD_KINDS),
  reason: z.enum(ERASURE_REFUSALS),
  count: z.int(),
  /** LEGAL_HOLD: the active holds over them. */
  hold_ids: list(z.string()).exactOptional(),
  /** RETENTION: when the first and the last of them pass their age under the rules of today. */
  earliest_at: z.string().exactOptional(),
  latest_at: z.string().exactOptional(),
});
export type ErasureRefusal = z.infer<typeof ErasureRefusal>;

const ErasureState = z.object({
  /** False if one run could not look at everything; run it again. */
  complete: z.boolean(),
  /** By all runs of this erasure. */
  disposed: z.object({ events: z.int(), documents: z.int() }),
  /** Of the records that this run looked at. */
  refused: list(ErasureRefusal),
});
export type ErasureState = z.infer<typeof ErasureState>;

/** Disposal of one member's records, for the part that handles their requests. */
export interface Erasures {
  /**
   * Disposes, through the one gate, of events and documents of the person that retention allows now and no hold covers.
   * A repeated run continues with newly released records and certifies nothing twice.
   */
  run(tenantId: TenantId, order: ErasureOrder): Promise<ErasureState>;
  /** Waits for deletions under way. Later deletions of the tenant read OpenRequests again. */
  halt(tenantId: TenantId): Promise<void>;
}

export const runErasure = defineCall({
  subgraph: 'vault',
  kind: 'mutation',
  name: 'runErasure',
  input: { order: json(ErasureOrder) },
  output: ErasureState,
});

export const haltDeletions = defineCall({
  subgraph: 'vault',
  kind: 'mutation',
  name: 'haltDeletions',
  input: {},
  output: DONE,
});
