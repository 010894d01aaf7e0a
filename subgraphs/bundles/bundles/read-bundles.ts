import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Reading } from '../../../shared/auth/reading.js';
import type { Scope } from '../../../shared/auth/scopes.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import {
  judgedEntries,
  partOf,
  plainView,
  type TimelinePart,
  type TimelineRecord,
} from '../../../shared/timeline/entry.js';
import type { TimelineWindow } from '../../../shared/timeline/window.js';
import type { BundleQuery, BundleStore, Seal, StoredBundle, TenantBundles } from './ports.js';

export interface ReadBundleDeps {
  readonly bundles: BundleStore;
}

export async function listBundles(
  { bundles }: ReadBundleDeps,
  context: RequestContext,
  query: BundleQuery,
): Promise<Page<StoredBundle>> {
  return bundles(authorise(context, 'bundles:read')).page(query);
}

export async function getBundle(
  { bundles }: ReadBundleDeps,
  context: RequestContext,
  bundleId: string,
  scope: Scope = 'bundles:read',
): Promise<StoredBundle | null> {
  const tenantId = authorise(context, scope);
  return isIdOf('bundle', bundleId) ? bundles(tenantId).get(bundleId) : null;
}

/** Returns the bundles with these identifiers, by the rule of `getBundle`. */
export const namedBundles = async (
  { bundles }: ReadBundleDeps,
  context: RequestContext,
  bundleIds: readonly string[],
): Promise<readonly StoredBundle[]> => bundles(authorise(context, 'bundles:read')).among(bundleIds);

export interface SealedBundle extends StoredBundle {
  readonly seal: Seal;
}

/** @throws NOT_FOUND, NOT_SEALED */
export async function sealedBundle(
  deps: ReadBundleDeps,
  context: RequestContext,
  bundleId: string,
  scope: Scope = 'bundles:read',
): Promise<SealedBundle> {
  const found = await getBundle(deps, context, bundleId, scope);
  if (found === null) throw problem('NOT_FOUND');
  const { seal, status } = found;
  if (seal === null || status !== 'SEALED') throw problem('NOT_SEALED');
  return { ...found, seal };
}

/** Returns the records that each bundle refers to. */
export async function bundleTies(
  bundles: Pick<TenantBundles, 'get'>,
  bundleIds: readonly string[],
): Promise<readonly RecordTies[]> {
  const found = await Promise.all(bundleIds.map((id) => bundles.get(id)));
  return found.flatMap((bundle) => (bundle === null ? [] : [tiesOfBundle(bundle)]));
}

function tiesOfBundle({ bundle_id, bundle_type, created_at, status, scope }: StoredBundle): RecordTies {
  const { member_id, matter_id } = scope;
  return {
    kind: 'bundle',
    id: bundle_id,
    at: isoTime(created_at.getTime()),
    label: bundle_type,
    status,
    names: [
      ...(member_id === undefined ? [] : [`member:${member_id}`]),
      ...(matter_id === undefined ? [] : [`matter:${matter_id}`]),
    ],
  };
}

export interface TimelineBundlesDeps {
  readonly bundles: BundleStore;
  readonly consent: ConsentGate;
}

/** Bundles over a member: their existence and seals, not their contents. */
export async function timelineBundles(
  { bundles, consent }: TimelineBundlesDeps,
  { tenantId, stated }: Reading,
  memberId: string,
  { kinds: _, content: __, ...window }: TimelineWindow,
): Promise<TimelinePart> {
  // One more than the window shows that there is a next page.
  const query = { ...window, limit: window.limit + 1, where: {}, scope: { member_id: memberId } };
  const { items } = await bundles(tenantId).page(query);
  const records = items.map(({ bundle_id, bundle_type, status, created_at, seal }): TimelineRecord => {
    const at = isoTime(created_at.getTime());
    const sealed = seal === null ? {} : { worm_blob_sha256: seal.worm_blob_sha256, sealed_at: seal.sealed_at };
    const named = { id: bundle_id, at, member_id: memberId, type: bundle_type, status, source_system: null };
    const record = { bundle_id, bundle_type, status, created_at: at, ...sealed };
    return { entry: { kind: 'BUNDLE', ...named, record }, view: plainView('bundle', memberId) };
  });
  return partOf(await judgedEntries(consent, tenantId, stated, records), window.limit);
}
