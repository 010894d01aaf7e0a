import type { RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { SharedBundle } from '../../../shared/contracts/bundles.js';
import type { Grantors } from '../../../shared/contracts/tenants.js';
import { equalInConstantTime, sha256Hex } from '../../../shared/crypto/hash.js';
import { withoutOriginals } from '../../../shared/disclosure/originals.js';
import { Problem, problem } from '../../../shared/errors/problem.js';
import type { ErrorCode } from '../../../shared/errors/registry.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { RecordSteps, serviceTaker } from '../../../shared/records/steps.js';
import {
  type DisclosureDeps,
  type ReadBundleDeps,
  requireDisclosable,
  requireOwnArchive,
  type SealedBundle,
  sealedBundle,
} from '../bundles/index.js';
import { linkIdIn } from './domain/index.js';
import { LINK } from './link-kind.js';
import type { LinkStore, StoredLink } from './ports.js';

export interface OpenDeps extends ReadBundleDeps, DisclosureDeps {
  readonly links: LinkStore;
  readonly grantors: Grantors;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Name of the service as the taker of downloads. */
const TAKER = 'service:bundle-links';

/**
 * Returns a bundle that may leave to another party at this moment: the caller could download it, and nothing in it was
 * hidden since its seal. The recipient is no reader of originals, whatever the caller is.
 *
 * @throws NOT_FOUND, NOT_SEALED, FORBIDDEN
 */
export async function requireShareable(
  deps: ReadBundleDeps & DisclosureDeps,
  context: RequestContext,
  bundleId: string,
): Promise<SealedBundle> {
  const bundle = await sealedBundle(deps, context, bundleId, 'bundles:export');
  await requireOwnArchive(deps, bundle);
  await requireDisclosable(deps, { ...context, principal: withoutOriginals(context.principal) }, bundle);
  return bundle;
}

/**
 * Returns the archive that a token opens at this moment.
 *
 * @returns null for every token that opens nothing; the reason stays inside
 * @throws FORBIDDEN if records of the archive were hidden since its seal, without their names
 */
export async function openSharedBundle(deps: OpenDeps, token: string): Promise<SharedBundle | null> {
  const link = await liveLink(deps, token);
  if (link === null) return null;
  const tenant = await deps.tenants.find(link.tenant_id);
  if (tenant?.status !== 'ACTIVE') return null;
  const principal = await deps.grantors.rightsOf(link.grantor);
  if (principal === null || (principal.tenantId !== null && principal.tenantId !== link.tenant_id)) return null;
  if (!principal.scopes.has('bundles:export')) return null;
  const { bundle_id, link_id, recipient, purpose } = link;
  const context = { requestId: link_id, traceparent: null, workId: null, principal, tenantId: link.tenant_id };
  const bundle = await withoutNames(requireShareable(deps, context, bundle_id));
  if (bundle === null) return null;
  const { worm_blob_sha256, size } = bundle.seal;
  return {
    tenant_id: link.tenant_id,
    log_id: tenant.log_id,
    link_id,
    recipient,
    purpose,
    bundle_id,
    bundle_type: bundle.bundle_type,
    worm_blob_sha256,
    size,
    member_ids: bundle.frozen?.member_ids ?? [],
  };
}

const OPENS_NOTHING: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'NOT_SEALED']);

/** The recipient learns that the archive is outdated, and not which records are hidden. */
async function withoutNames(judged: Promise<SealedBundle>): Promise<SealedBundle | null> {
  try {
    return await judged;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (OPENS_NOTHING.has(error.code)) return null;
    if (error.code !== 'FORBIDDEN') throw error;
    throw problem('FORBIDDEN', {
      message:
        'Records of this bundle were redacted, disposed of or withheld since its seal. Ask the sender for a new one.',
    });
  }
}

/**
 * Counts one answer with bytes, before the bytes leave. Of two at the same time the link allows as many as it has left.
 *
 * @returns false for a link that opens nothing any more
 */
export async function countDownload(deps: OpenDeps, token: string): Promise<boolean> {
  const link = await liveLink(deps, token);
  if (link === null) return false;
  const rows = deps.links.forTenant(link.tenant_id);
  const steps = new RecordSteps(LINK, { clock: deps.clock, taker: serviceTaker(deps.ids, TAKER), rows });
  try {
    await steps.take(
      link.link_id,
      ({ downloads, max_downloads }) => (downloads + 1 < max_downloads ? 'download' : 'use-up'),
      { change: ({ downloads }, at) => ({ downloads: downloads + 1, last_download_at: at }) },
    );
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'INVALID_TRANSITION') return false;
    // The recipient has read nothing that could be outdated.
    if (error instanceof Problem && error.code === 'CONFLICT') throw problem('UNAVAILABLE');
    throw error;
  }
}

/** The link of a token that is neither revoked nor used up nor past its end. @throws INTEGRITY_FAILURE */
async function liveLink({ links, clock }: OpenDeps, token: string): Promise<StoredLink | null> {
  const linkId = linkIdIn(token);
  const tenantId = linkId === null ? null : await links.tenantOf(linkId);
  const link = linkId === null || tenantId === null ? null : await links.forTenant(tenantId).get(linkId);
  const presented = Buffer.from(sha256Hex(token), 'hex');
  if (link === null || !equalInConstantTime(Buffer.from(link.token_sha256, 'hex'), presented)) return null;
  return link.status === 'ACTIVE' && clock.nowMs() < link.expires_at.getTime() ? link : null;
}
