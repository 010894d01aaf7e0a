import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Scope } from '../../../shared/auth/scopes.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { BundleQuery, BundleStore, Seal, StoredBundle } from './ports/bundle-store.js';

export interface ReadBundleDeps {
  readonly bundles: BundleStore;
}

export async function listBundles(
  { bundles }: ReadBundleDeps,
  context: RequestContext,
  query: BundleQuery,
): Promise<Page<StoredBundle>> {
  const rows = await bundles(authorise(context, 'bundles:read')).list(query);
  return pageOf(rows, query.limit, (bundle) => ({ atMs: bundle.created_at.getTime(), id: bundle.bundle_id }));
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
