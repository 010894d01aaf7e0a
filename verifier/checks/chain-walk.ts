import type { LineReader } from '../archive/line-reader.js';
import { fromDecimal, isHash } from '../text/bytes.js';
import { tsvCells } from '../text/tsv.js';
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

/** Kinds of rows that are entries of the service's own chains. */
const OWN_PARTITIONS: Readonly<Record<string, string>> = { CUSTODY: '_custody', SYSTEM: '_system' };

/** The entry of `_system` that is written before records are disposed of. */
const DISPOSAL = 'records.disposed';

/** What a LEDGER row must say of its event. */
export interface ChainedEvent {
  readonly event_id: string;
  readonly source_system: string;
  readonly seq: number;
  readonly entry_hash: string;
  readonly tree_index: number;
  readonly state: string;
  readonly sha256: string;
}

/** What ledger.tsv says of it; unknown in the minimal profile, where it is not there to tell. */
export interface ChainedHeader {
  readonly prev: string;
  readonly recorded_at: string;
}

/** A row of the service's own chains, and between which events it stands. */
export interface OwnRow {
  /** Its number in chain.tsv. */
  readonly n: number;
  readonly partition: string;
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  /** Places in the tree of the events before and behind it. */
  readonly after: number;
  before: number;
}

interface ChainRow {
  /** UTC with three decimals, so that texts compare as times do. */
  readonly at: string;
  readonly kind: string;
  readonly subject: string;
  readonly action: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly partition: string;
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

/** Walks chain.tsv beside the events, whose rows stand in the same order; entries of the service's own chains stand between. */
export class ChainWalk {
  readonly #own: LinkKeeper;
  #n = 0;
  /** Of the service's own chains, each entry once. */
  readonly ownRows: OwnRow[] = [];
  /** So many of them have an event behind them. */
  #enclosed = 0;
  #lastIndex = -1;
  /** Disposed events and when each was recorded, as its row says. */
  readonly #unexplained = new Map<string, string>();
  #lastDisposalAt = '';

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

  /** True when the next row, without waiting, was just this event's; otherwise nothing was taken. */
  acceptPlain(event: PlainEvent): boolean {
    const { lines } = this;
    if (!lines.ready || !event.isRowOfChain(lines, this.#n + 1)) return false;
    lines.skip();
    this.#n++;
    this.#pass(event.row.treeIndex);
    return true;
  }

  /** True when the next row of an event, without waiting, was this one's; `find` goes on where it was not. */
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

  /** What stands after the last event's row. */
  async end(): Promise<void> {
    for (let line = await this.lines.line(); line !== undefined; line = await this.lines.line()) {
      if (this.#row(line, undefined, undefined))
        this.#broken('CHAIN_ROW_EXTRA', `row ${this.#n}`, 'a row of no event of the bundle');
    }
    for (const [event, at] of this.#unexplained) {
      if (at <= this.#lastDisposalAt) continue;
      this.#broken(
        'DISPOSAL_UNEXPLAINED',
        printable(event),
        'no later entry of the service explains why the record is gone',
      );
    }
  }

  #broken(code: string, subject: string, detail: string): void {
    this.context.findings.broken('chain', code, subject, detail);
  }

  /** @returns whether it was an event's row. */
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
      if (event !== undefined) this.#compare(row, event, header);
      return true;
    }
    const { partition, seq, prev, hash } = row;
    // One entry that concerns several subjects of the bundle is shown with each of them.
    const last = this.ownRows.at(-1);
    if (last?.hash !== hash || last.partition !== partition || last.seq !== seq || last.prev !== prev)
      this.ownRows.push({
        n: this.#n,
        partition,
        seq,
        prev,
        hash,
        after: this.#lastIndex,
        before: Number.MAX_SAFE_INTEGER,
      });
    if (row.partition !== OWN_PARTITIONS[row.kind]) {
      this.#broken('CHAIN_FORM', `row ${this.#n}`, `${row.kind} is not of this partition`);
    }
    this.#own.add({ subject: row.subject, source: partition, seq, prev, hash });
    // One entry accounts for many records, each recorded before it; it is named by its own id. Times tell, not places: of a
    // batch that is taken into the tree at once `_system` comes first, whatever came before it.
    if (row.kind === 'SYSTEM' && row.action === DISPOSAL && row.at > this.#lastDisposalAt)
      this.#lastDisposalAt = row.at;
    return false;
  }

  /** Rows of the service's own chains stand between this event and the one before. */
  #pass(treeIndex: number): void {
    this.#lastIndex = treeIndex;
    for (; this.#enclosed < this.ownRows.length; this.#enclosed++) {
      const own = this.ownRows[this.#enclosed];
      if (own !== undefined) own.before = treeIndex;
    }
  }

  #compare(row: ChainRow, event: ChainedEvent, header: ChainedHeader | undefined): void {
    this.#pass(event.tree_index);
    if (event.state === 'DISPOSED') this.#unexplained.set(event.event_id, row.at);
    const same =
      row.subject === event.event_id &&
      row.partition === event.source_system &&
      row.seq === event.seq &&
      row.hash === event.entry_hash &&
      (header === undefined || row.prev === header.prev);
    if (!same)
      this.#broken(
        'CHAIN_ROW_MISMATCH',
        printable(event.event_id),
        `row ${this.#n} says otherwise than the event's entry`,
      );
    // An unsalted hash of what is hidden or gone could be tried out (evidence.md section 2).
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

/** What is escaped in a cell (text/tsv.ts). */
const ESCAPED = /[\t\n\r\\]|^-$/;

/** The row of a disclosed event as the service writes it: one that is just this needs no reading. Undefined where it has escapes. */
function rowOf(n: number, event: ChainedEvent, { prev, recorded_at }: ChainedHeader): string | undefined {
  const { event_id, source_system, seq, entry_hash, state, sha256 } = event;
  if (state !== 'INCLUDED' || ESCAPED.test(event_id) || ESCAPED.test(source_system)) return undefined;
  return (
    `${n}\t${recorded_at}\tLEDGER\tEVENT\t${event_id}\tAPPENDED\tSERVICE\t-\t-\t-\t-\t${sha256}\t${source_system}` +
    `\t${seq}\t${prev}\t${entry_hash}`
  );
}

function readRow(line: string, n: number): ChainRow | undefined {
  const cells = tsvCells(line, COLUMNS.length);
  if (cells === undefined || cells[0] !== String(n)) return undefined;
  const [, at, kind, , subject, action, , , , , before, after, partition, seqText, prev, hash] = cells;
  const seq = fromDecimal(seqText ?? '');
  const known = kind === 'LEDGER' || (kind != null && kind in OWN_PARTITIONS);
  if (!known || subject == null || action == null || partition == null || seq === undefined || seq < 1)
    return undefined;
  if (!isHash(prev) || !isHash(hash)) return undefined;
  return {
    at: at ?? '',
    kind,
    subject,
    action,
    before: before ?? null,
    after: after ?? null,
    partition,
    seq,
    prev,
    hash,
  };
}
