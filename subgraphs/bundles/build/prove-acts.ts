import { type ActCells, actCells } from '../../../shared/acts/act-row.js';
import type { ChainEntry, LedgerRecord } from '../../../shared/contracts/ledger-records.js';
import { problem } from '../../../shared/errors/problem.js';
import { shownFields } from '../../../shared/evidence/bundle/act-fields.js';
import type { ChainRow } from '../../../shared/evidence/bundle/tsv.js';
import { actLine } from '../../../shared/evidence/redacted-line.js';
import type { SpoolFile } from '../archive/index.js';
import type { Build, BuildDeps } from './build-deps.js';
import type { GatheredActs } from './gather-acts.js';
import { BlockQueue, ledgerRow } from './proofs.js';
import { inParts } from './select-rows.js';
import type { SpooledEvents } from './spool-events.js';

/** Rows of chain.tsv by tree index, and the lines that they are derived from. */
interface ProvenActs {
  readonly rows: ReadonlyMap<number, Omit<ChainRow, 'n'>>;
  readonly facts: SpoolFile;
  /** Record of the entry `map.committed`. Its header is the last row of ledger.tsv. */
  readonly mapRecord: string;
}

/**
 * Writes headers, disclosed records and proofs of the acts in chain.tsv, after those of the events, and derives their rows.
 * Which acts concern the events is known only after the last event.
 *
 * @throws INTEGRITY_FAILURE for an entry that changed since it was found
 */
export async function proveActs(
  deps: Pick<BuildDeps, 'ledgerRecords'>,
  build: Pick<Build, 'tenantId' | 'frozen' | 'spools'>,
  { acts, hiddenDocuments }: GatheredActs,
  { ledger, inclusion }: Pick<SpooledEvents, 'ledger' | 'inclusion'>,
): Promise<ProvenActs> {
  const blocks = new BlockQueue(deps, build, inclusion);
  const facts = await build.spools.next();
  const rows = new Map<number, Omit<ChainRow, 'n'>>();
  for (const page of inParts([...acts.values()].sort((a, b) => a.tree_index - b.tree_index))) {
    const places = page.map(({ tree_index, partition, seq }) => ({ tree_index, source_system: partition, seq }));
    const records = await deps.ledgerRecords.records(build.tenantId, places);
    for (const [i, act] of page.entries()) {
      const record = soundRecord(act, records[i]);
      const { line, isWhole, cells } = disclosedAct(record, hiddenDocuments);
      const { prev_hash, entry_hash, source_system: partition, seq } = record;
      rows.set(act.tree_index, { ...cells, partition, seq, prev_hash, entry_hash });
      await facts.write(`${line}\n`);
      await ledger.write(ledgerRow(record, act.tree_index, isWhole ? record.seed : null));
      await blocks.add(act.tree_index, entry_hash);
    }
  }
  const { entry, tree_size: tree_index } = build.frozen.map;
  const { source_system, seq, entry_hash } = entry;
  const [committed] = await deps.ledgerRecords.records(build.tenantId, [{ tree_index, source_system, seq }]);
  const { record: mapRecord, seed, ...header } = soundRecord({ entry_hash }, committed);
  await ledger.write(ledgerRow({ ...header, record: mapRecord, seed }, tree_index, seed));
  await blocks.add(tree_index, entry_hash);
  await blocks.finish();
  return { rows, facts, mapRecord };
}

type WholeRecord = LedgerRecord & { readonly record: string; readonly seed: string };

/** @throws INTEGRITY_FAILURE for an entry that changed, or lost its record, since it was found */
export function soundRecord(
  { entry_hash }: Pick<ChainEntry, 'entry_hash'>,
  found: LedgerRecord | undefined,
): WholeRecord {
  const { record, seed } = found ?? {};
  if (found?.entry_hash !== entry_hash || record == null || seed == null)
    throw problem('INTEGRITY_FAILURE', { internal: 'a ledger entry changed within one build' });
  return { ...found, record, seed };
}

interface DisclosedAct {
  readonly line: string;
  readonly isWhole: boolean;
  readonly cells: ActCells;
}

export function disclosedAct(
  { record, seed, source_system }: Pick<WholeRecord, 'record' | 'seed' | 'source_system'>,
  hiddenDocuments: ReadonlySet<string>,
): DisclosedAct {
  const { line, isWhole, fields } = actLine(record, Buffer.from(seed, 'hex'), (pointer, all) => {
    const kind = all.get('/payload/subject/kind');
    const isDocument = kind === 'DOCUMENT' || kind === 'document';
    // The act REDACT names the hash of the rendition.
    const hides =
      isDocument && hiddenDocuments.has(String(all.get('/payload/subject/id'))) && all.get('/event_type') !== 'REDACT';
    return shownFields(typeof kind === 'string' ? kind : null, hides)(pointer);
  });
  const cells = actCells(source_system, (pointer) => fields.get(pointer));
  if (cells === null) throw problem('INTEGRITY_FAILURE', { internal: 'an act of the ledger has no subject or time' });
  return { line, isWhole, cells };
}
