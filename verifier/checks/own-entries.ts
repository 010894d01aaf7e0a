import { actCells } from '../../shared/acts/act-row.js';
import type { LineReader } from '../archive/line-reader.js';
import type { Commitments } from '../hashing/commitments.js';
import { entryHash } from '../hashing/links.js';
import { spanOf } from '../text/byte-heap.js';
import { utf8 } from '../text/bytes.js';
import { tsvLine } from '../text/tsv.js';
import { type HeldFacts, readAct } from './act-records.js';
import type { OwnRow } from './chain-walk.js';
import type { BundleContext } from './context.js';
import type { InclusionWalk } from './inclusion.js';
import { type LedgerRow, readLedgerRow } from './ledger-row.js';

interface OwnEntries {
  readonly rows: readonly OwnRow[];
  readonly ledger: LineReader;
  /** Records of the entries, in the order of the rows. */
  readonly records: LineReader;
  readonly inclusion: InclusionWalk;
  readonly commitments: Commitments;
  readonly facts: HeldFacts;
}

type Fault = readonly [code: string, detail: string];

/**
 * Checks the rows of acts of the service. ledger.tsv holds their headers after those of the events, and facts.jsonl their
 * records, in the same order. Each row must be the one that follows from them.
 */
export async function checkOwnEntries(context: BundleContext, own: OwnEntries): Promise<void> {
  const { findings } = context;
  const { inclusion, ledger, records } = own;
  await inclusion.beginAnew();
  const recorded = new Map<string, string>();
  for (const row of own.rows) {
    const [line, record] = [await ledger.line(), await records.line()];
    const header = line === undefined ? undefined : readLedgerRow(line);
    const broken = ([code, detail]: Fault): void => findings.broken('chain', code, `row ${row.n}`, detail);
    if (record === undefined) broken(['ACT_UNPROVEN', 'facts.jsonl has no record of this row']);
    if (line === undefined) broken(['OWN_ROW_UNPROVEN', 'ledger.tsv has no header of this row']);
    else if (header === undefined) broken(['LEDGER_FORM', 'not a row of ledger.tsv']);
    if (header === undefined) continue;
    for (const fault of headerFaults(context, row, header)) broken(fault);
    if (record !== undefined) for (const fault of recordFaults(context, own, row, header, record)) broken(fault);
    if (header.recorded_at < (recorded.get(header.source_system) ?? ''))
      broken(['TIME_REVERSED', 'was recorded before the entry before it']);
    recorded.set(header.source_system, header.recorded_at);
    await inclusion.add(header.tree_index, spanOf(utf8(header.entry_hash)), `row ${row.n}`);
  }
  if ((await records.line()) !== undefined)
    findings.broken('chain', 'ACT_EXTRA', 'proofs/facts.jsonl', 'a record of no row of chain.tsv');
}

function* headerFaults({ platform, manifest }: BundleContext, own: OwnRow, header: LedgerRow): Generator<Fault> {
  const { source_system, seq, prev, entry_hash, tree_index } = header;
  const same = source_system === own.partition && seq === own.seq && prev === own.prev && entry_hash === own.hash;
  if (!same) yield ['OWN_ROW_MISMATCH', 'chain.tsv and ledger.tsv say different things of the entry'];
  if (entryHash(platform, header, JSON.stringify(manifest.head.tenant_id)) !== entry_hash)
    yield ['ENTRY_HASH_MISMATCH', 'the hash does not follow from the header'];
  if (tree_index <= own.after || tree_index >= own.before)
    yield ['CHAIN_ORDER', 'stands between other events than in the tree'];
}

function* recordFaults(
  { manifest }: BundleContext,
  { commitments, facts }: OwnEntries,
  own: OwnRow,
  header: LedgerRow,
  record: string,
): Generator<Fault> {
  const fields = readAct(commitments, record, header, manifest.head.tenant_id);
  if (typeof fields === 'string') {
    yield ['ACT_RECORD', fields];
    return;
  }
  facts.add(fields, header);
  const cells = actCells(header.source_system, (pointer) => fields.get(pointer));
  if (cells === null) {
    yield ['ACT_FIELDS', 'the record does not disclose time, action, subject and actor'];
    return;
  }
  const { at, kind, subject_type, subject_id, action, actor_type, actor_id, purpose, recipient } = cells;
  const link = [header.source_system, header.seq, header.prev, header.entry_hash];
  const act = [own.n, at, kind, subject_type, subject_id, action, actor_type, actor_id, purpose, recipient];
  if (own.line !== tsvLine([...act, cells.sha256_before, cells.sha256_after, ...link]))
    yield ['ACT_ROW', 'chain.tsv says otherwise than the record'];
}
