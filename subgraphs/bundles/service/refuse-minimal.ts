import { fault, Problem, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { BundleScope } from '../domain/bundle-scope.js';
import { type Judging, withheldEvents } from './ask-consent.js';
import type { BuildDeps } from './build-deps.js';
import { notMinimal } from './build-failure.js';
import { resolvedScope } from './freeze-build.js';
import type { BundlePurpose } from './ports/bundle-store.js';
import { selectionsOf } from './select-rows.js';

const ROWS_A_CALL = 1_000;

/**
 * A bundle without proofs cannot show that a redacted or disposed event is whole (evidence.md section 5): refused when it
 * is asked for, and again by the build for what was redacted meanwhile.
 *
 * @throws VALIDATION_ERROR
 */
export async function refuseMinimal(
  deps: BuildDeps,
  tenantId: TenantId,
  scope: BundleScope,
  consent: BundlePurpose | null,
): Promise<void> {
  const treeSize = await signedSize(deps, tenantId);
  const resolved = await resolvedScope(deps, tenantId, scope);
  for (const selection of selectionsOf(scope, resolved)) {
    let cursor: string | null = null;
    do {
      const page = await deps.ledgerRecords.select(tenantId, selection, treeSize, cursor);
      for (let from = 0; from < page.places.length; from += ROWS_A_CALL) {
        await refuseAny(deps, { tenantId, consent }, page.places.slice(from, from + ROWS_A_CALL), resolved.member_ids);
      }
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
}

/** What has just been appended has no place in the tree before the next checkpoint; without one there is nothing to refuse. */
async function signedSize({ checkpoints }: BuildDeps, tenantId: TenantId): Promise<number> {
  try {
    return (await checkpoints.force(tenantId)).tree_size;
  } catch (error) {
    // An empty ledger, or one that is not signed at present: the build judges again.
    if (error instanceof Problem && error.code === 'CONFLICT') return 0;
    throw error;
  }
}

async function refuseAny(
  deps: BuildDeps,
  judging: Judging,
  places: Parameters<BuildDeps['ledgerRecords']['records']>[1],
  memberIds: readonly string[],
): Promise<void> {
  const { tenantId } = judging;
  const records = await deps.ledgerRecords.records(tenantId, places);
  const ids = records.map(({ event_id }) => event_id);
  const redacted = await deps.redactions.ofEvents(tenantId, ids);
  const unshown = records.filter(({ event_id, disposal_id }) => disposal_id !== null || redacted.has(event_id));
  // What consent keeps out of the bundle needs no proof in it.
  const withheld = await withheldEvents(deps, judging, unshown, memberIds);
  if (unshown.every(({ event_id }) => withheld.has(event_id))) return;
  throw problem('VALIDATION_ERROR', { errors: [fault('/profile', 'minimal', notMinimal().message)] });
}
