import { StringDecoder } from 'node:string_decoder';
import type { ChainEntry, ChainSubject } from '../../../shared/contracts/ledger-records.js';
import { CHAIN_COLUMNS, CHAIN_HEADER, type ChainRow, tsvLine } from '../../../shared/evidence/bundle/tsv.js';
import type { Build, BuildDeps } from './build-deps.js';
import type { ShippedEvent } from './event-page.js';
import type { SpoolFile } from './ports/spools.js';
import { inParts } from './select-rows.js';

// chain.tsv is written in order of the tree. Custody of an event stands anywhere behind it, so that the rows of the events
// are spooled first, each with its place in front, and the others are put between them in a second walk.

const CELLS = CHAIN_COLUMNS.slice(1);
type Cells = Omit<ChainRow, 'n'>;

const numbered = (place: number, row: Cells): string =>
  tsvLine([place, ...CELLS.map((column) => row[column as keyof Cells])]);

/** The LEDGER row of an event, with its place in the tree where the number of the row will stand. */
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

/** Custody of what a bundle is over beside its events: documents, members, holds. */
export async function otherEntries(
  deps: Pick<BuildDeps, 'ledgerRecords'>,
  { tenantId, frozen }: Pick<Build, 'tenantId' | 'frozen'>,
  subjects: readonly ChainSubject[],
  redactionIds: readonly string[],
): Promise<readonly ChainEntry[]> {
  const { tree_size } = frozen.checkpoint;
  const found: ChainEntry[] = [];
  for (const part of inParts(subjects)) {
    found.push(...(await deps.ledgerRecords.chain(tenantId, { subjects: part, system_ids: [] }, tree_size)));
  }
  for (const system_ids of inParts(redactionIds)) {
    found.push(...(await deps.ledgerRecords.chain(tenantId, { subjects: [], system_ids }, tree_size)));
  }
  return found;
}

/** chain.tsv itself. @param entries by their places in the tree. */
export async function spoolChain(
  file: SpoolFile,
  ledgerRows: SpoolFile,
  entries: ReadonlyMap<number, ChainEntry>,
): Promise<SpoolFile> {
  const waiting = [...entries.values()].sort((a, b) => a.tree_index - b.tree_index);
  let n = 0;
  let next = 0;
  await file.write(CHAIN_HEADER);
  const writeEntriesBefore = async (place: number): Promise<void> => {
    for (let entry = waiting[next]; entry !== undefined && entry.tree_index < place; entry = waiting[next]) {
      next++;
      n++;
      await file.write(numbered(n, entry));
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
