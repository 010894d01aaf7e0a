import { isoTime } from '../../../shared/clock/clock.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import type { StoredBundle, TenantBundles } from './ports/bundle-store.js';
import type { StoredMatter, TenantMatters } from './ports/matter-store.js';

/** Bundles by what they were asked to gather. */
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

/** Legal matters by what is linked to them. */
export async function matterTies(
  matters: Pick<TenantMatters, 'get'>,
  matterIds: readonly string[],
): Promise<readonly RecordTies[]> {
  const found = await Promise.all(matterIds.map((id) => matters.get(id)));
  return found.flatMap((matter) => (matter === null ? [] : [tiesOfMatter(matter)]));
}

function tiesOfMatter(matter: StoredMatter): RecordTies {
  const named = (kind: string, ids: readonly string[]): string[] => ids.map((id) => `${kind}:${id}`);
  return {
    kind: 'matter',
    id: matter.matter_id,
    at: isoTime(matter.created_at.getTime()),
    label: matter.kind,
    status: matter.status,
    names: [
      ...named('member', matter.member_ids),
      ...named('hold', matter.hold_ids),
      ...named('bundle', matter.bundle_ids),
      ...named('document', matter.document_ids),
    ],
  };
}
