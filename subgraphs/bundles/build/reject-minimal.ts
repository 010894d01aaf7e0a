import { fault, Problem, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { BundleScope } from '../bundles/domain/index.js';
import type { BundlePurpose } from '../bundles/index.js';
import { type ConsentCheck, withheldEvents } from './ask-consent.js';
import type { BuildDeps } from './build-deps.js';
import { notMinimal } from './build-failure.js';
import { resolvedScope } from './freeze-build.js';
import { inParts, placesOf, selectionsOf } from './select-rows.js';

/**
 * Rejects a minimal bundle of a scope with redacted or disposed events: only proofs show their integrity (evidence.md
 * section 5).
 * Checked on request, and again by the build for later redactions.
 *
 * @throws VALIDATION_ERROR
 */
export async function rejectMinimal(
  deps: BuildDeps,
  tenantId: TenantId,
  scope: BundleScope,
  consent: BundlePurpose | null,
): Promise<void> {
  const treeSize = await signedSize(deps, tenantId);
  const resolved = await resolvedScope(deps, tenantId, scope);
  for await (const places of placesOf(deps, tenantId, selectionsOf(scope, resolved), treeSize)) {
    for (const part of inParts(places)) await rejectUnshown(deps, { tenantId, consent }, part, resolved.member_ids);
  }
}

/** Returns the size of the signed tree, which new events enter only with the next checkpoint; 0 if there is none. */
export async function signedSize({ checkpoints }: BuildDeps, tenantId: TenantId): Promise<number> {
  try {
    return (await checkpoints.force(tenantId)).tree_size;
  } catch (error) {
    // The ledger is empty or cannot be signed at present: the build checks again.
    if (error instanceof Problem && error.code === 'CONFLICT') return 0;
    throw error;
  }
}

async function rejectUnshown(
  deps: BuildDeps,
  check: ConsentCheck,
  places: Parameters<BuildDeps['ledgerRecords']['records']>[1],
  memberIds: readonly string[],
): Promise<void> {
  const { tenantId } = check;
  const records = await deps.ledgerRecords.records(tenantId, places);
  const ids = records.map(({ event_id }) => event_id);
  const redacted = await deps.redactions.ofEvents(tenantId, ids);
  const unshown = records.filter(({ event_id, disposal_id }) => disposal_id !== null || redacted.has(event_id));
  // Withheld events need no proof in the bundle.
  const withheld = await withheldEvents(deps, check, unshown, memberIds);
  if (unshown.every(({ event_id }) => withheld.has(event_id))) return;
  throw problem('VALIDATION_ERROR', { errors: [fault('/profile', 'minimal', notMinimal().message)] });
}
