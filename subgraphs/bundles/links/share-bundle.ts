import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { requireFreshSignIn } from '../../../shared/auth/step-up.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { custodyActorOf, custodyEffect } from '../../../shared/custody/custody-entry.js';
import { problem } from '../../../shared/errors/problem.js';
import { LINK_SECRET_BYTES } from '../../../shared/ids/link-token.js';
import { forWork } from '../../../shared/ids/work.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { type StepDeps, type StepTaken, stepsOf } from '../../../shared/records/steps.js';
import { type DisclosureDeps, getBundle, type ReadBundleDeps, type SealedBundle } from '../bundles/index.js';
import { linkToken } from './domain/index.js';
import { LINK } from './link-kind.js';
import { requireShareable } from './open-link.js';
import type { LinkStore, StoredLink } from './ports.js';
import type { BundleLinkMembers } from './schema.js';

export interface ShareDeps extends StepDeps, ReadBundleDeps, DisclosureDeps {
  readonly links: LinkStore;
}

const HOUR_MS = 3_600_000;

interface NewLink extends BundleLinkMembers {
  readonly expires_in_hours: number;
}

/** A new link with its token, which the service stores only as a hash. */
interface SharedLink {
  readonly link: StoredLink;
  readonly token: string;
}

/**
 * Makes a link that opens a sealed bundle for another party. Leaves custody SHARE.
 *
 * @throws STEP_UP_REQUIRED, NOT_FOUND, NOT_SEALED, FORBIDDEN for a bundle that the caller could not download
 */
export async function shareBundle(
  deps: ShareDeps,
  context: RequestContext,
  bundleId: string,
  { expires_in_hours, ...members }: NewLink,
): Promise<SharedLink> {
  requireFreshSignIn(context, deps.clock);
  const bundle = await requireShareable(deps, context, bundleId);
  const { keyId, sessionId } = context.principal;
  const secret = forWork(deps, context, 'bundle-link-token').randomness.fill(new Uint8Array(LINK_SECRET_BYTES));
  const steps = stepsOf(LINK, deps, context, deps.links.forTenant(bundle.tenant_id));
  const link = await steps.create(
    (linkId, at) => ({
      ...members,
      bundle_id: bundleId,
      expires_at: new Date(at.getTime() + expires_in_hours * HOUR_MS),
      downloads: 0,
      last_download_at: null,
      token_sha256: sha256Hex(linkToken(linkId, secret)),
      grantor: { key_id: keyId, session_id: sessionId ?? null },
    }),
    { pending: withCustody(context, 'SHARE', bundle) },
  );
  return { link, token: linkToken(link.link_id, secret) };
}

/** Lists the links of a bundle. @returns null for an unknown bundle */
export async function listLinks(
  deps: ShareDeps,
  context: RequestContext,
  bundleId: string,
  query: ListQuery<StoredLink>,
): Promise<Page<StoredLink> | null> {
  const bundle = await getBundle(deps, context, bundleId);
  return bundle && deps.links.forTenant(bundle.tenant_id).pageOf(bundleId, query);
}

/**
 * Revokes a link: it opens nothing from the answer on. Revoking it again changes nothing. Leaves custody UNSHARE.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION for a link that is used up
 */
export async function revokeLink(
  deps: ShareDeps,
  context: RequestContext,
  { bundleId, linkId }: { readonly bundleId: string; readonly linkId: string },
): Promise<StoredLink> {
  const steps = stepsOf(LINK, deps, context, deps.links.forTenant(authorise(context, 'bundles:export')));
  const { bundle_id } = await steps.read(linkId);
  const bundle = await getBundle(deps, context, bundleId, 'bundles:export');
  if (bundle === null || bundle_id !== bundleId) throw problem('NOT_FOUND');
  return steps.take(linkId, ({ status }) => (status === 'REVOKED' ? null : 'revoke'), {
    pending: withCustody(context, 'UNSHARE', bundle),
  });
}

const withCustody =
  (
    context: RequestContext,
    action: 'SHARE' | 'UNSHARE',
    { bundle_id, frozen }: Pick<SealedBundle, 'bundle_id' | 'frozen'>,
  ) =>
  (entries: readonly PendingEffect[], { after, at, ids }: StepTaken<StoredLink>): readonly PendingEffect[] => [
    ...entries,
    custodyEffect(ids, after.tenant_id, {
      action,
      subject: { kind: 'BUNDLE', id: bundle_id },
      member_ids: frozen?.member_ids ?? [],
      actor: custodyActorOf(context),
      at: isoTime(at.getTime()),
      request_id: context.requestId,
      recipient: after.recipient,
      purpose: after.purpose,
      detail: {
        link_id: after.link_id,
        expires_at: isoTime(after.expires_at.getTime()),
        max_downloads: after.max_downloads,
        downloads: after.downloads,
      },
    }),
  ];
