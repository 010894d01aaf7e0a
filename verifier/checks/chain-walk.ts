import { actKindOf } from '../../shared/acts/act-row.js';
import type { LineReader } from '../archive/line-reader.js';
import { fromDecimal, isHash } from '../text/bytes.js';
import { tsvCells, tsvLine } from '../text/tsv.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';
import { LinkKeeper } from './link-keeper.js';
import type { PlainEvent } from './plain-event.js';

const COLUMNS = [
  'n',
  'at',
  'kind',
  'subject_type',
  'subject_id',
  'action',
  'actor_type',
  'actor_id',
  'purpose',
  'recipient',
  'sha256_before',
  'sha256_after',
  'partition',
  'seq',
  'prev_hash',
  'entry_hash',
];
const HEADER = COLUMNS.join('\t');
const FILE = 'chain.tsv';

/** Row kinds of the service's own chains. */
const ACTS: readonly string[] = ['CUSTODY', 'SYSTEM', 'RECORD'];

/** The values that a LEDGER row must repeat from its event. */
interface ChainedEvent {
  readonly event_id: string;
  readonly source_system: string;
  readonly seq: number;
  readonly entry_hash: string;
  readonly tree_index: number;
  readonly state: string;
  readonly sha256: string;
}

/** The event's values in ledger.tsv; unknown in the minimal profile, which has no ledger.tsv. */
interface ChainedHeader {
  readonly prev: string;
  readonly recorded_at: string;
}

/** A row of the service's own chains, with the events before and after it. */
export interface OwnRow {
  /** Its number in chain.tsv. */
  readonly n: number;
  readonly line: string;
  readonly partition: string;
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  /** Tree indexes of the previous and the next event. */
  readonly after: number;
  before: number;
}

interface ChainRow {
  readonly kind: string;
  readonly subject: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly partition: string;
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

/** Walks chain.tsv together with the events. Rows are in event order, with rows of the service's own chains between. */
export class ChainWalk {
  readonly #own: LinkKeeper;
  #n = 0;
  /** Rows of the service's own chains, each entry once. */
  readonly ownRows: OwnRow[] = [];
  /** Number of `ownRows` that an event follows. */
  #enclosed = 0;
  #lastIndex = -1;

  constructor(
    private readonly context: BundleContext,
    private readonly lines: LineReader,
    private readonly links: LinkKeeper,
  ) {
    this.#own = new LinkKeeper(context);
  }

  async begin(): Promise<void> {
    if ((await this.lines.line()) !== HEADER)
      this.#broken('CHAIN_FORM', FILE, 'the header row is not that of a bundle');
  }

  /** Takes the next row and returns true if it is exactly this event's row and needs no wait; else takes nothing. */
  acceptPlain(event: PlainEvent): boolean {
    const { lines } = this;
    if (!lines.ready || !event.isRowOfChain(lines, this.#n + 1)) return false;
    lines.skip();
    this.#n++;
    this.#pass(event.row.treeIndex);
    return true;
  }

  /** Returns true if the buffered rows contain the event's row; `find` continues if not. */
  accept(event: ChainedEvent, header: ChainedHeader | undefined): boolean {
    for (let line = this.lines.takeText(); line !== undefined; line = this.lines.takeText()) {
      if (this.#row(line, event, header)) return true;
    }
    return false;
  }

  async find(event: ChainedEvent, header: ChainedHeader | undefined): Promise<void> {
    while (await this.lines.fill()) if (this.accept(event, header)) return;
    this.#broken('CHAIN_ROW_MISSING', printable(event.event_id), 'chain.tsv has no row of this event');
  }

  /** Checks the rows after the last event's row. */
  async end(): Promise<void> {
    for (let line = await this.lines.line(); line !== undefined; line = await this.lines.line()) {
      if (this.#row(line, undefined, undefined))
        this.#broken('CHAIN_ROW_EXTRA', `row ${this.#n}`, 'a row of no event of the bundle');
    }
  }

  #broken(code: string, subject: string, detail: string): void {
    this.context.findings.broken('chain', code, subject, detail);
  }

  /** @returns true for an event's row */
  #row(line: string, event: ChainedEvent | undefined, header: ChainedHeader | undefined): boolean {
    this.#n++;
    if (event !== undefined && header !== undefined && line === rowOf(this.#n, event, header)) {
      this.#pass(event.tree_index);
      return true;
    }
    const row = readRow(line, this.#n);
    if (row === undefined) {
      this.#broken('CHAIN_FORM', `row ${this.#n}`, 'not a row of chain.tsv, or out of number');
      return false;
    }
    if (row.kind === 'LEDGER') {
      if (event !== undefined) this.#compare(line, row, event, header);
      return true;
    }
    const { partition, seq, prev, hash } = row;
    const before = Number.MAX_SAFE_INTEGER;
    this.ownRows.push({ n: this.#n, line, partition, seq, prev, hash, after: this.#lastIndex, before });
    if (row.kind !== actKindOf(partition)) {
      this.#broken('CHAIN_FORM', `row ${this.#n}`, `${row.kind} is not of this partition`);
    }
    this.#own.add({ subject: row.subject, source: partition, seq, prev, hash });
    return false;
  }

  /** Bounds the pending rows of the service's own chains by this event. */
  #pass(treeIndex: number): void {
    this.#lastIndex = treeIndex;
    for (; this.#enclosed < this.ownRows.length; this.#enclosed++) {
      const own = this.ownRows[this.#enclosed];
      if (own !== undefined) own.before = treeIndex;
    }
  }

  #compare(line: string, row: ChainRow, event: ChainedEvent, header: ChainedHeader | undefined): void {
    this.#pass(event.tree_index);
    const same =
      header === undefined
        ? row.subject === event.event_id &&
          row.partition === event.source_system &&
          row.seq === event.seq &&
          row.hash === event.entry_hash
        : line === rowOf(this.#n, event, header);
    if (!same)
      this.#broken(
        'CHAIN_ROW_MISMATCH',
        printable(event.event_id),
        `row ${this.#n} says otherwise than the event's entry`,
      );
    // An unsalted hash of a hidden or deleted record is open to guessing (evidence.md section 2).
    const hashes = [row.before, row.after].filter((hash) => hash !== null);
    if (event.state === 'INCLUDED' ? hashes.some((hash) => hash !== event.sha256) : hashes.length > 0) {
      this.#broken(
        'CHAIN_ROW_HASH',
        printable(event.event_id),
        `row ${this.#n} bears a hash that is not the record's to bear`,
      );
    }
    if (header === undefined) {
      this.links.add({ subject: row.subject, source: row.partition, seq: row.seq, prev: row.prev, hash: row.hash });
    }
  }
}

/** Returns the row that follows from an event and its header. */
function rowOf(n: number, event: ChainedEvent, { prev, recorded_at }: ChainedHeader): string {
  const { event_id, source_system, seq, entry_hash, state } = event;
  const sha256 = state === 'INCLUDED' ? event.sha256 : null;
  const act = [n, recorded_at, 'LEDGER', 'EVENT', event_id, 'APPENDED', 'SERVICE', null, null, null, null];
  return tsvLine([...act, sha256, source_system, seq, prev, entry_hash]);
}

function readRow(line: string, n: number): ChainRow | undefined {
  const cells = tsvCells(line, COLUMNS.length);
  if (cells === undefined || cells[0] !== String(n)) return undefined;
  const [, , kind, , subject, action, , , , , before, after, partition, seqText, prev, hash] = cells;
  const seq = fromDecimal(seqText ?? '');
  const known = kind === 'LEDGER' || (kind != null && ACTS.includes(kind));
  if (!known || subject == null || action == null || partition == null || seq === undefined || seq < 1)
    return undefined;
  if (!isHash(prev) || !isHash(hash)) return undefined;
  return {
    kind,
    subject,
    before: before ?? null,
    after: after ?? null,
    partition,
    seq,
    prev,
    hash,
  };
}
