import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { DONE, defineCall, json, list, TEXT, TEXTS } from './call.js';

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
