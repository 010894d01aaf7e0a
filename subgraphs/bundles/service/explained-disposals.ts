import type { ChainEntry } from '../../../shared/contracts/ledger-records.js';
import { type Build, type BuildDeps, FrozenTooEarly } from './build-deps.js';
import { unexplainedDisposal } from './build-failure.js';

/**
 * Holds every disposal that was met to the entry of `_system` that accounts for it. Records also go after the tree was
 * frozen: the entry is written before anything goes (evidence.md section 2), so that a tree signed now holds it, and the
 * build begins again over that one.
 *
 * @param entries those that the frozen tree holds
 * @throws FrozenTooEarly; BuildFailure where a record is gone and the ledger does not say why
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
  const later = await ledgerRecords.chain(tenantId, { subjects: [], system_ids: missing }, tree_size);
  if (unaccounted(missing, later).length > 0) throw unexplainedDisposal();
  throw new FrozenTooEarly('records were disposed of while the bundle was built');
}

function unaccounted(disposalIds: readonly string[], entries: readonly ChainEntry[]): readonly string[] {
  const known = new Set(entries.filter(({ kind }) => kind === 'SYSTEM').map(({ subject_id }) => subject_id));
  return [...new Set(disposalIds)].filter((id) => !known.has(id));
}
