import { StringDecoder } from 'node:string_decoder';
import type { ChainEntry, WantedChain } from '../../../shared/contracts/ledger-records.js';
import { CHAIN_COLUMNS, CHAIN_HEADER, type ChainRow, tsvLine } from '../../../shared/evidence/bundle/tsv.js';
import type { SpoolFile } from '../archive/index.js';
import type { Build, BuildDeps } from './build-deps.js';
import type { ShippedEvent } from './event-page.js';
import { inParts } from './select-rows.js';

// chain.tsv is in tree order. Custody entries of an event may follow anywhere behind it. So the rows of the events are
// spooled first, each with its tree index in front, and a second pass merges the others.

const [, ...CELLS] = CHAIN_COLUMNS;
type Cells = Omit<ChainRow, 'n'>;

const numbered = (place: number, row: Cells): string => tsvLine([place, ...CELLS.map((column) => row[column])]);

/** Returns the LEDGER row of an event, with its tree index in place of the row number. */
export const ledgerChainLine = ({ record, tree_index, state, sha256 }: ShippedEvent): string =>
  numbered(tree_index, {
    at: record.recorded_at,
    kind: 'LEDGER',
    subject_type: 'EVENT',
    subject_id: record.event_id,
    action: 'APPENDED',
    actor_type: 'SERVICE',
    actor_id: null,
    purpose: null,
    recipient: null,
    sha256_before: null,
    sha256_after: state === 'INCLUDED' ? sha256 : null,
    partition: record.source_system,
    seq: record.seq,
    prev_hash: record.prev_hash,
    entry_hash: record.entry_hash,
  });

/** Returns the entries that are asked for, in parts. */
export async function otherEntries(
  deps: Pick<BuildDeps, 'ledgerRecords'>,
  { tenantId, frozen }: Pick<Build, 'tenantId' | 'frozen'>,
  { subjects, system_ids, record_ids }: WantedChain,
): Promise<readonly ChainEntry[]> {
  const { tree_size } = frozen.checkpoint;
  const none: WantedChain = { subjects: [], system_ids: [], record_ids: [] };
  const wanted = [
    ...inParts(subjects).map((part) => ({ ...none, subjects: part })),
    ...inParts(system_ids).map((part) => ({ ...none, system_ids: part })),
    ...inParts(record_ids).map((part) => ({ ...none, record_ids: part })),
  ];
  const found: ChainEntry[] = [];
  for (const part of wanted) found.push(...(await deps.ledgerRecords.chain(tenantId, part, tree_size)));
  return found;
}

/**
 * Writes chain.tsv.
 *
 * @param acts rows by tree index
 */
export async function spoolChain(
  file: SpoolFile,
  ledgerRows: SpoolFile,
  acts: ReadonlyMap<number, Cells>,
): Promise<SpoolFile> {
  const waiting = [...acts].sort(([a], [b]) => a - b);
  let n = 0;
  let next = 0;
  await file.write(CHAIN_HEADER);
  const writeEntriesBefore = async (place: number): Promise<void> => {
    for (let act = waiting[next]; act !== undefined && act[0] < place; act = waiting[next]) {
      next++;
      n++;
      await file.write(numbered(n, act[1]));
    }
  };
  for await (const line of linesOf(ledgerRows.read())) {
    const tab = line.indexOf('\t');
    await writeEntriesBefore(Number(line.slice(0, tab)));
    n++;
    await file.write(`${n}${line.slice(tab)}\n`);
  }
  await writeEntriesBefore(Number.POSITIVE_INFINITY);
  return file;
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
