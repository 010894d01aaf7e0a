import type { LineReader } from '../archive/line-reader.js';
import { entryHash } from '../hashing/links.js';
import { spanOf } from '../text/byte-heap.js';
import { utf8 } from '../text/bytes.js';
import type { OwnRow } from './chain-walk.js';
import type { BundleContext } from './context.js';
import type { InclusionWalk } from './inclusion.js';
import { type LedgerRow, readLedgerRow } from './ledger-row.js';

/**
 * Rows of custody and system: behind those of the events ledger.tsv holds the header of each, in the same order. That the
 * service did something then is as much in the tree as an event is; what it did stands in a record that is not here.
 */
export async function checkOwnEntries(
  context: BundleContext,
  rows: readonly OwnRow[],
  ledger: LineReader,
  inclusion: InclusionWalk,
): Promise<void> {
  await inclusion.beginAnew();
  const recorded = new Map<string, string>();
  for (const own of rows) {
    const line = await ledger.line();
    const header = line === undefined ? undefined : readLedgerRow(line);
    if (header === undefined) {
      const detail = line === undefined ? 'ledger.tsv has no header of this row' : 'not a row of ledger.tsv';
      context.findings.broken('chain', line === undefined ? 'OWN_ROW_UNPROVEN' : 'LEDGER_FORM', `row ${own.n}`, detail);
      continue;
    }
    for (const [code, detail] of faultsOf(context, own, header)) {
      context.findings.broken('chain', code, `row ${own.n}`, detail);
    }
    if (header.recorded_at < (recorded.get(header.source_system) ?? ''))
      context.findings.broken('chain', 'TIME_REVERSED', `row ${own.n}`, 'was recorded before the entry before it');
    recorded.set(header.source_system, header.recorded_at);
    await inclusion.add(header.tree_index, spanOf(utf8(header.entry_hash)), `row ${own.n}`);
  }
}

function* faultsOf(
  { platform, manifest }: BundleContext,
  own: OwnRow,
  header: LedgerRow,
): Generator<readonly [code: string, detail: string]> {
  const { source_system, seq, prev, entry_hash, tree_index } = header;
  const same = source_system === own.partition && seq === own.seq && prev === own.prev && entry_hash === own.hash;
  if (!same) yield ['OWN_ROW_MISMATCH', 'chain.tsv and ledger.tsv say different things of the entry'];
  if (header.seed !== null) yield ['OWN_ROW_SEED', 'a seed travels with fully disclosed events alone'];
  if (entryHash(platform, header, JSON.stringify(manifest.head.tenant_id)) !== entry_hash)
    yield ['ENTRY_HASH_MISMATCH', 'the hash does not follow from the header'];
  if (tree_index <= own.after || tree_index >= own.before)
    yield ['CHAIN_ORDER', 'stands between other events than in the tree'];
}
