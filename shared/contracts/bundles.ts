import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { branded, DONE, defineCall, json, list, TEXT, TEXTS } from './call.js';

const OrderedBundleStatus = z.enum(['REQUESTED', 'SEALED', 'FAILED']);
export type OrderedBundleStatus = z.infer<typeof OrderedBundleStatus>;

/** A bundle over everything of one member. */
const BundleOrder = z.object({
  /** Fixed before the first attempt: ordering it again changes nothing. */
  bundle_id: z.string(),
  member_id: z.string(),
  /** Recorded in the bundle as the person who asked for it. */
  requested_by: z.string(),
});
export type BundleOrder = z.infer<typeof BundleOrder>;

/** Bundles, for parts of the service that need one. */
export interface BundleOrders {
  /** Resolves when the request is stored; a worker builds the bundle. */
  order(tenantId: TenantId, order: BundleOrder): Promise<void>;
  /** Null for a bundle that the tenant does not have. */
  statusOf(tenantId: TenantId, bundleId: string): Promise<OrderedBundleStatus | null>;
}

export const orderBundle = defineCall({
  subgraph: 'bundles',
  kind: 'mutation',
  name: 'orderBundle',
  input: { order: json(BundleOrder) },
  output: DONE,
});

export const orderedBundleStatus = defineCall({
  subgraph: 'bundles',
  kind: 'query',
  name: 'orderedBundleStatus',
  input: { bundle_id: TEXT },
  output: OrderedBundleStatus.nullable(),
});

/** Archives of sealed bundles, for parts that delete stored bytes. */
export interface SealedArchives {
  /** The ones of these contents that are the archive of a sealed bundle. */
  named(tenantId: TenantId, sha256s: readonly string[]): Promise<readonly string[]>;
}

export const sealedArchives = defineCall({
  subgraph: 'bundles',
  kind: 'query',
  name: 'sealedArchives',
  input: { sha256s: TEXTS },
  output: list(z.string()),
});

/** The archive behind a link, as the facade streams it. */
const SharedBundle = z.object({
  tenant_id: branded<TenantId>(),
  log_id: z.string(),
  link_id: z.string(),
  recipient: z.string(),
  purpose: z.string(),
  bundle_id: z.string(),
  bundle_type: z.string(),
  worm_blob_sha256: z.string(),
  size: z.int(),
  member_ids: list(z.string()),
});
export type SharedBundle = z.infer<typeof SharedBundle>;

/** Links to sealed bundles for parties without a key. The token alone opens a link. */
export interface SharedBundles {
  /**
   * Returns the archive that the token opens at this moment.
   *
   * @returns null for an unknown, expired, revoked or used link, and for one whose maker may no longer download the bundle
   * @throws FORBIDDEN if records of the archive were redacted, disposed of or withheld since its seal
   */
  open(token: string): Promise<SharedBundle | null>;
  /** Counts one answer with bytes. @returns false for a link that opens nothing any more */
  countDownload(token: string): Promise<boolean>;
}

export const openSharedBundle = defineCall({
  subgraph: 'bundles',
  kind: 'query',
  name: 'openSharedBundle',
  input: { token: TEXT },
  output: SharedBundle.nullable(),
});

export const countSharedDownload = defineCall({
  subgraph: 'bundles',
  kind: 'mutation',
  name: 'countSharedDownload',
  input: { token: TEXT },
  output: DONE,
});
