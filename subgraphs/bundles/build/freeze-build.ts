import { isoTime } from '../../../shared/clock/clock.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { FrozenInputs, StoredBundle } from '../bundles/index.js';
import type { BuildDeps } from './build-deps.js';
import { manifestAnchoring } from './domain/manifest-records.js';
import { inParts } from './select-rows.js';

/** A legal matter has up to 1,000 members. */
const CONCURRENT_LOOKUPS = 16;
const INCARNATION = /\/inc-\d+$/;

/** Fixes the inputs of a build: the resolved scope, the signed tree and the signing key. */
export async function freezeBuild(
  deps: BuildDeps,
  tenantId: TenantId,
  { bundle_id, scope }: Pick<StoredBundle, 'bundle_id' | 'scope'>,
  round: number,
): Promise<FrozenInputs> {
  const resolved = await resolvedScope(deps, tenantId, scope);
  const { checkpoint, ...map } = await deps.stateMaps.freeze(tenantId, bundle_id);
  const member_tags = await deps.stateMaps.memberTags(tenantId, resolved.member_ids);
  const key = await deps.signingKeys.activeKey(tenantId, 'BUNDLE');
  return {
    ...resolved,
    member_tags,
    map,
    round,
    sealed_at: isoTime(deps.clock.nowMs()),
    checkpoint: {
      origin: checkpoint.origin.replace(INCARNATION, ''),
      incarnation: checkpoint.incarnation,
      tree_size: checkpoint.tree_size,
      root_hash: checkpoint.root_hash,
      note: checkpoint.note,
    },
    anchoring: manifestAnchoring(await deps.ledgerRecords.anchors(tenantId)),
    generator: deps.generator,
    key: { key_id: key.key_id, public_key: key.public_key },
  };
}

type Resolved = Pick<FrozenInputs, 'member_ids' | 'event_ids' | 'document_ids'>;

export async function resolvedScope(
  deps: BuildDeps,
  tenantId: TenantId,
  { member_id, matter_id }: StoredBundle['scope'],
): Promise<Resolved> {
  if (member_id !== undefined) {
    return { member_ids: await identitiesOf(deps, tenantId, [member_id]), event_ids: [], document_ids: [] };
  }
  const linked = matter_id === undefined ? null : await deps.matterScope(tenantId, matter_id);
  if (linked === null) return { member_ids: [], event_ids: [], document_ids: [] };
  return {
    member_ids: await identitiesOf(deps, tenantId, linked.member_ids),
    event_ids: sorted(linked.event_ids),
    document_ids: sorted(linked.document_ids),
  };
}

/** Records keep the member id that they were written with, so all ids of a person are queried. */
async function identitiesOf(
  { membersOf }: Pick<BuildDeps, 'membersOf'>,
  tenantId: TenantId,
  memberIds: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [...memberIds];
  for (const part of inParts(memberIds, CONCURRENT_LOOKUPS)) {
    found.push(...(await Promise.all(part.map((id) => membersOf(tenantId, id)))).flat());
  }
  return sorted(found);
}

const sorted = (ids: readonly string[]): readonly string[] => [...new Set(ids)].sort();
