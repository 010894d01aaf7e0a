import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { defineCall, list } from './call.js';

/** A signed checkpoint of a tenant's ledger, as anyone may see it. */
export const PublishedCheckpoint = z.object({
  checkpoint_id: z.string(),
  /** First line of the note: the ledger's origin and `/inc-<n>`. */
  origin: z.string(),
  incarnation: z.int(),
  tree_size: z.int(),
  /** Lower-case hex. */
  root_hash: z.string(),
  /** Thumbprint of the key that signed (`GET /v1/signing-keys/{id}`). */
  key_id: z.string(),
  /** The key in the form that verifiers of notes take: `<name>+<id>+<base64>`. */
  verifier_key: z.string(),
  /** Names of the witnesses that cosigned the note. */
  witnesses: list(z.string()),
  published_at: z.string(),
  /** The signed note itself (C2SP tlog-checkpoint). */
  note: z.string(),
});
export type PublishedCheckpoint = z.infer<typeof PublishedCheckpoint>;

/** Publishes checkpoints of a tenant's ledger on demand. */
export interface Checkpoints {
  /**
   * Returns a checkpoint that covers every entry acknowledged before the call, and publishes one where the last does not.
   *
   * @throws CONFLICT for an empty ledger, and while the tree does not extend the last publication; UNAVAILABLE while another
   * process holds the tree for long.
   */
  force(tenantId: TenantId): Promise<PublishedCheckpoint>;
}

export const forceCheckpoint = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'forceCheckpoint',
  input: {},
  output: PublishedCheckpoint,
});
