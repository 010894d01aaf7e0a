import type { ChainEntry } from '../../../shared/contracts/ledger-records.js';
import { type Build, type BuildDeps, FrozenTooEarly } from './build-deps.js';
import { unexplainedDisposal } from './build-failure.js';

/**
 * Checks that an entry of `_system` accounts for every disposal.
 * Records may also go after the freeze. The ledger writes the entry first (evidence.md section 2), so a tree signed now
 * contains it, and the build starts again with that tree.
 *
 * @param entries entries of the frozen tree
 * @throws FrozenTooEarly
 * @throws BuildFailure if a record is missing without a disposal entry
 */
export async function requireExplained(
  { ledgerRecords, checkpoints }: Pick<BuildDeps, 'ledgerRecords' | 'checkpoints'>,
  { tenantId }: Pick<Build, 'tenantId'>,
  disposalIds: readonly string[],
  entries: readonly ChainEntry[],
): Promise<void> {
  const missing = unaccounted(disposalIds, entries);
  if (missing.length === 0) return;
  const { tree_size } = await checkpoints.force(tenantId);
  const later = await ledgerRecords.chain(tenantId, { subjects: [], system_ids: missing, record_ids: [] }, tree_size);
  if (unaccounted(missing, later).length > 0) throw unexplainedDisposal();
  throw new FrozenTooEarly('records were disposed of while the bundle was built');
}

function unaccounted(disposalIds: readonly string[], entries: readonly ChainEntry[]): readonly string[] {
  const known = new Set(entries.filter(({ kind }) => kind === 'SYSTEM').map(({ subject_id }) => subject_id));
  return [...new Set(disposalIds)].filter((id) => !known.has(id));
}
