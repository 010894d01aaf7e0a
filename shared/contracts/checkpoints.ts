import type { TenantId } from '../ids/tenant.js';

/** A signed checkpoint of a tenant's ledger, as anyone may see it. */
export interface PublishedCheckpoint {
  readonly checkpoint_id: string;
  /** First line of the note: the ledger's origin and `/inc-<n>`. */
  readonly origin: string;
  readonly incarnation: number;
  readonly tree_size: number;
  /** Lower-case hex. */
  readonly root_hash: string;
  /** Thumbprint of the key that signed (`GET /v1/signing-keys/{id}`). */
  readonly key_id: string;
  /** The key as verifiers of notes take it: `<name>+<id>+<base64>`. */
  readonly verifier_key: string;
  /** Names of the witnesses whose cosignatures the note bears. */
  readonly witnesses: readonly string[];
  readonly published_at: string;
  /** The signed note itself (C2SP tlog-checkpoint). */
  readonly note: string;
}

/** How other parts of the service have a tenant's ledger signed as it stands. */
export interface Checkpoints {
  /**
   * The checkpoint that covers every entry acknowledged before the call: a new one where the last does not.
   *
   * @throws CONFLICT for an empty ledger, and while publishing is refused because the tree does not extend what was
   * published; UNAVAILABLE while another holds the tree for long.
   */
  force(tenantId: TenantId): Promise<PublishedCheckpoint>;
}
