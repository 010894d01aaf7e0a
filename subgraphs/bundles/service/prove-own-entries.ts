import type { ChainEntry, LedgerRecord } from '../../../shared/contracts/ledger-records.js';
import { problem } from '../../../shared/errors/problem.js';
import { ledgerLine } from '../../../shared/evidence/bundle/tsv.js';
import { BlockQueue } from './block-queue.js';
import type { Build, BuildDeps } from './build-deps.js';
import { inParts } from './select-rows.js';
import type { SpooledEvents } from './spool-events.js';

/**
 * Headers and proofs of the custody and system entries that chain.tsv tells, behind those of the events: the events are
 * written as they are met, and only at their end it is known which entries are about them. Their records stay behind, as
 * they name others too.
 */
export async function proveOwnEntries(
  deps: Pick<BuildDeps, 'ledgerRecords'>,
  build: Pick<Build, 'tenantId' | 'frozen'>,
  entries: ReadonlyMap<number, ChainEntry>,
  { ledger, inclusion }: Pick<SpooledEvents, 'ledger' | 'inclusion'>,
): Promise<void> {
  const blocks = new BlockQueue(deps, build, inclusion);
  const ordered = [...entries.values()].sort((a, b) => a.tree_index - b.tree_index);
  for (const page of inParts(ordered)) {
    const places = page.map(({ tree_index, partition, seq }) => ({ tree_index, source_system: partition, seq }));
    const records = await deps.ledgerRecords.records(build.tenantId, places);
    for (const [i, entry] of page.entries()) {
      await ledger.write(headerRow(entry, records[i]));
      await blocks.add(entry.tree_index, entry.entry_hash);
    }
  }
  await blocks.finish();
}

function headerRow({ entry_hash, tree_index }: ChainEntry, record: LedgerRecord | undefined): string {
  if (record?.entry_hash !== entry_hash)
    throw problem('INTEGRITY_FAILURE', { internal: 'an entry of the ledger reads differently within one build' });
  const { event_id, source_system, seq, recorded_at, commit, fields, prev_hash: prev } = record;
  return ledgerLine({
    event_id,
    source_system,
    seq,
    recorded_at,
    seed: null,
    commit,
    fields,
    prev,
    entry_hash,
    tree_index,
  });
}
