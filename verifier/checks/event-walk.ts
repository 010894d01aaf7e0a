import { CHAIN, EVENTS, FACTS, INCLUSION, LEDGER, LOGS, MAP } from '../archive/entry-names.js';
import { LineReader } from '../archive/line-reader.js';
import { entryHash } from '../hashing/links.js';
import type { Tree } from '../hashing/tree.js';
import { type EventItem, type EventItems, eventItemText, isEventItem } from '../manifest/manifest-text.js';
import type { EventState } from '../map/listed-events.js';
import { MapWalk } from '../map/map-walk.js';
import type { RunningHash } from '../platform.js';
import { spanOf } from '../text/byte-heap.js';
import { fromUtf8, HASH_LENGTH, utf8 } from '../text/bytes.js';
import { isCanonical } from '../text/canonical-scanner.js';
import { HeldFacts } from './act-records.js';
import { printable } from './archive.js';
import { ChainWalk } from './chain-walk.js';
import type { BundleContext } from './context.js';
import { EventDigest } from './event-digest.js';
import { InclusionWalk } from './inclusion.js';
import { LEDGER_HEADER, type LedgerRow, readLedgerRow } from './ledger-row.js';
import { LinkKeeper } from './link-keeper.js';
import { checkOwnEntries } from './own-entries.js';
import { PlainEvent } from './plain-event.js';
import { RecordBatches } from './record-batches.js';
import { redactedFaults } from './redacted-line.js';

const NO_LINE = new Uint8Array(0);

/** Returns true if `RecordBatches` verifies the line, header and record together. */
const judgedInBatch = (item: EventItem, row: LedgerRow | undefined): boolean =>
  item.state === 'INCLUDED' && row !== undefined && row.seed !== null;

/** An accepted item has one of three states. */
const stateOf = ({ state }: EventItem): EventState =>
  state === 'REDACTED' || state === 'DISPOSED' ? state : 'INCLUDED';

/** Totals of the walk that the rest of the bundle must agree with. */
interface EventTotals {
  events: number;
  redacted: number;
  disposed: number;
  /** Events that documents reference and that the walk has not reached. */
  readonly unmet: Set<string>;
}

/**
 * Walks the manifest's events, events.jsonl, chain.tsv, ledger.tsv and the proofs once and in parallel, because all of them
 * are in tree order. Memory does not grow with the number of events.
 */
export class EventWalk {
  readonly totals: EventTotals;
  readonly #items: EventItems;
  readonly #lines: LineReader;
  readonly #ledger: LineReader | undefined;
  readonly #facts: LineReader;
  readonly #maps: MapWalk;
  /** Facts that the bundle holds, once the walk has ended. */
  readonly facts = new HeldFacts();
  /** Redacted events with their redaction, and disposed events. */
  readonly #hiddenBy = new Map<string, string | null>();
  readonly #chain: ChainWalk;
  readonly #links: LinkKeeper;
  readonly #records: RecordBatches;
  readonly #inclusion: InclusionWalk | undefined;
  readonly #readers: readonly (readonly [path: string, lines: { readonly fault: string | undefined }])[];
  readonly #redactions: ReadonlySet<string>;
  #lastIndex = -1;
  readonly #digest: EventDigest;
  readonly #plain = new PlainEvent();

  constructor(
    private readonly context: BundleContext,
    digest: RunningHash,
    tree: Tree,
  ) {
    const { platform } = context;
    const linesOf = (path: string): LineReader => new LineReader(context.open(path), (bytes) => platform.isUtf8(bytes));
    const full = context.profile === 'full';
    const [chain, ledger] = [linesOf(CHAIN), linesOf(LEDGER)];
    const [inclusion, facts] = [linesOf(INCLUSION), linesOf(FACTS)];
    this.#maps = new MapWalk(context, this.facts, linesOf(MAP), linesOf(LOGS));
    this.#lines = linesOf(EVENTS);
    this.#readers = [
      [EVENTS, this.#lines],
      [CHAIN, chain],
      ...(full ? ([[LEDGER, ledger], [INCLUSION, inclusion], [FACTS, facts], ...this.#maps.readers] as const) : []),
    ];
    const { head } = context.manifest;
    this.totals = {
      events: 0,
      redacted: 0,
      disposed: 0,
      unmet: new Set(head.documents.flatMap((one) => one.referenced_by)),
    };
    this.#digest = new EventDigest(digest);
    this.#items = context.manifest.events(context.manifestBytes);
    this.#ledger = full ? ledger : undefined;
    this.#facts = facts;
    this.#links = new LinkKeeper(context);
    this.#chain = new ChainWalk(context, chain, this.#links);
    this.#records = new RecordBatches(context);
    this.#inclusion = full ? new InclusionWalk(context, inclusion, tree) : undefined;
    this.#redactions = new Set(head.redactions.map(({ redaction_id, id }) => `${redaction_id} ${id}`));
  }

  async walk(): Promise<void> {
    await this.#chain.begin();
    if (this.#ledger !== undefined && (await this.#ledger.line()) !== LEDGER_HEADER) {
      this.#broken('chain', 'LEDGER_FORM', LEDGER, 'the header row is not that of a bundle');
    }
    // Awaits once per megabyte, not once per row.
    while (!this.#items.ended && (await this.#filled())) {
      while (!this.#items.ended && this.#lines.ready && (this.#ledger?.ready ?? true)) {
        const waiting = this.#next();
        if (waiting !== undefined) await waiting;
      }
    }
    await this.#end();
  }

  async #filled(): Promise<boolean> {
    const missing = (path: string): false => {
      this.#broken(
        'content',
        'EVENT_MISSING',
        path,
        `ends after ${this.totals.events} events; the manifest lists more`,
      );
      return false;
    };
    if (!(await this.#lines.fill())) return missing(EVENTS);
    if (this.#ledger === undefined || (await this.#ledger.fill())) return true;
    // The line of an event without a row is not an extra line.
    this.#lines.take();
    return missing(LEDGER);
  }

  #broken(check: 'content' | 'events' | 'chain', code: string, subject: string, detail: string): void {
    this.context.findings.broken(check, code, printable(subject), detail);
  }

  /** Checks the next event. @returns a promise if the caller must wait */
  #next(): Promise<void> | undefined {
    const ledger = this.#ledger;
    if (ledger !== undefined && this.#plain.read(ledger, this.#items)) return this.#plainEvent(ledger);
    return this.#event(this.#lines.take() ?? NO_LINE, ledger?.takeText());
  }

  /** Does the same as `#event` for an event in plain form (`PlainEvent`). */
  #plainEvent(ledger: LineReader): Promise<void> | undefined {
    const plain = this.#plain;
    const { row, manifest, hashAt } = plain;
    const sha256 = { bytes: manifest, start: hashAt, end: hashAt + HASH_LENGTH };
    const link = plain.link();
    this.totals.events++;
    this.#digest.addPlain(plain);
    this.#place(link.subject, row.treeIndex);
    const judged = this.#records.add(this.#lines, ledger, sha256);
    this.#links.add(link);
    this.#maps.event(link.hash, row.treeIndex, plain.tag(), 'INCLUDED', link.subject, this.#lines);
    const entry = { bytes: ledger.bytes, start: row.entryHash, end: row.entryHash + HASH_LENGTH };
    const proven = this.#inclusion?.add(row.treeIndex, entry, link.subject);
    const chained = this.#chain.acceptPlain(plain) ? undefined : this.#chained(plain.values());
    this.#lines.skip();
    ledger.skip();
    return together(judged, proven, chained);
  }

  #chained(row: ReturnType<PlainEvent['values']>): Promise<void> | undefined {
    return this.#chain.accept(row, row) ? undefined : this.#chain.find(row, row);
  }

  /** Checks one event. @returns a promise if the caller must wait */
  #event(line: Uint8Array, ledgerLine: string | undefined): Promise<void> | undefined {
    this.totals.events++;
    const row = ledgerLine === undefined ? undefined : readLedgerRow(ledgerLine);
    if (ledgerLine !== undefined && row === undefined) {
      this.#broken('chain', 'LEDGER_FORM', `row ${this.totals.events}`, 'not a row of ledger.tsv');
    }
    const item = this.#acceptedItem(row) ?? this.#item(row, this.context.platform.sha256Hex(line));
    if (item === undefined) return undefined;
    this.#count(item, line);
    let judged: Promise<void> | undefined;
    let proven: Promise<void> | undefined;
    if (row !== undefined && ledgerLine !== undefined) {
      this.#maps.event(item.entry_hash, item.tree_index, row.member_tag, stateOf(item), item.event_id, spanOf(line));
      judged = this.#record(line, item, row, ledgerLine);
      proven = this.#entry(row, item);
    }
    const chained = this.#chain.accept(item, row) ? undefined : this.#chain.find(item, row);
    return together(judged, proven, chained);
  }

  /** Returns the manifest's item if it agrees with the row. The record check compares the hash of the line. */
  #acceptedItem(row: LedgerRow | undefined): EventItem | undefined {
    if (row === undefined || row.seed === null) return undefined;
    const { event_id, source_system, seq, entry_hash, tree_index } = row;
    const expected = { event_id, source_system, seq, entry_hash, tree_index, state: 'INCLUDED' };
    const sha256 = this.#items.accept(eventItemText(expected));
    if (sha256 === undefined) return undefined;
    return { event_id, source_system, seq, entry_hash, tree_index, state: expected.state, sha256 };
  }

  /** Reads the manifest's item and checks that it agrees with row and line. */
  #item(row: LedgerRow | undefined, sha256: string): EventItem | undefined {
    const item = this.#items.take();
    const subject = `events/${this.totals.events - 1}`;
    if (!isEventItem(item)) {
      this.#broken('content', 'EVENT_FORM', subject, 'not an event of a manifest');
      return undefined;
    }
    if (!judgedInBatch(item, row) && item.sha256 !== sha256)
      this.#broken('events', 'EVENT_HASH', item.event_id, 'the line has another hash than the manifest says');
    const same =
      row === undefined ||
      (row.event_id === item.event_id &&
        row.source_system === item.source_system &&
        row.seq === item.seq &&
        row.entry_hash === item.entry_hash &&
        row.tree_index === item.tree_index);
    if (!same)
      this.#broken(
        'content',
        'EVENT_MISMATCH',
        item.event_id,
        'manifest and ledger.tsv say different things of the event',
      );
    return item;
  }

  #count(item: EventItem, line: Uint8Array): void {
    const { event_id, state, tree_index } = item;
    this.#digest.add(item);
    this.#place(event_id, tree_index);
    if (state === 'REDACTED') this.totals.redacted++;
    if (state !== 'DISPOSED') return;
    this.totals.disposed++;
    this.#hiddenBy.set(event_id, null);
    const gone = `{"event_id":${JSON.stringify(event_id)},"state":"DISPOSED"}`;
    if (fromUtf8(line) !== gone) {
      this.#broken('events', 'DISPOSED_LINE', event_id, 'the line of a disposed event says more, or less, than that');
    }
  }

  #place(eventId: string, treeIndex: number): void {
    if (treeIndex <= this.#lastIndex) this.#broken('chain', 'TREE_ORDER', eventId, 'not in the order of the tree');
    this.#lastIndex = treeIndex;
    this.totals.unmet.delete(eventId);
  }

  #record(line: Uint8Array, item: EventItem, row: LedgerRow, rowText: string): Promise<void> | undefined {
    const { event_id, seed } = row;
    if ((seed !== null) !== (item.state === 'INCLUDED')) {
      this.#broken('events', 'SEED', event_id, 'a seed travels with fully disclosed events, and with those alone');
    }
    if (judgedInBatch(item, row)) {
      return this.#records.add(spanOf(line), spanOf(utf8(rowText)), spanOf(utf8(item.sha256)));
    }
    if (item.state === 'REDACTED') this.#redacted(fromUtf8(line) ?? '', row);
    return undefined;
  }

  #redacted(line: string, row: LedgerRow): void {
    if (!isCanonical(line)) {
      this.#broken('events', 'RECORD_NOT_CANONICAL', row.event_id, 'the line is not in the form of RFC 8785');
      return;
    }
    const { faults, redactionId } = redactedFaults(this.#records.commitments, line, {
      ...row,
      tenant_id: this.context.manifest.head.tenant_id,
    });
    for (const fault of faults) this.#broken('events', 'REDACTED_LINE', row.event_id, fault);
    this.#hiddenBy.set(row.event_id, redactionId);
    if (faults.length === 0 && !this.#redactions.has(`${redactionId} ${row.event_id}`)) {
      this.#broken('events', 'REDACTION_UNLISTED', row.event_id, 'the manifest does not list this redaction');
    }
  }

  /** Checks the header, the chain link and the tree position. */
  #entry(row: LedgerRow, item: EventItem): Promise<void> | undefined {
    const { event_id, source_system, seq, prev, recorded_at, entry_hash } = row;
    const tenantText = JSON.stringify(this.context.manifest.head.tenant_id);
    if (!judgedInBatch(item, row) && entryHash(this.context.platform, row, tenantText) !== entry_hash) {
      this.#broken('chain', 'ENTRY_HASH_MISMATCH', event_id, 'the hash does not follow from the header');
    }
    this.#links.add({ subject: event_id, source: source_system, seq, prev, hash: entry_hash, recordedAt: recorded_at });
    return this.#inclusion?.add(row.tree_index, spanOf(utf8(entry_hash)), event_id);
  }

  /** Checks the acts of the service, and that facts account for the hidden parts of events. */
  async #acts(ledger: LineReader, inclusion: InclusionWalk): Promise<void> {
    const { ownRows: rows } = this.#chain;
    const { facts } = this;
    const { commitments } = this.#records;
    await checkOwnEntries(this.context, { rows, ledger, records: this.#facts, inclusion, commitments, facts });
    await this.#maps.end(this.#hiddenBy, ledger, inclusion, commitments);
    for (const [event, redactionId] of this.#hiddenBy) {
      if (redactionId === null && facts.of('disposal', event) === undefined)
        this.#broken('chain', 'DISPOSAL_UNEXPLAINED', event, 'no fact says that the record was disposed of');
      if (redactionId !== null && facts.state('event-redaction', event, 'redaction_id') !== redactionId)
        this.#broken('events', 'REDACTION_UNPROVEN', event, 'no fact says that this redaction applies');
    }
  }

  async #end(): Promise<void> {
    const { findings, profile } = this.context;
    if ((await this.#lines.line()) !== undefined)
      this.#broken('content', 'EVENT_LINE_EXTRA', EVENTS, 'a line of no event of the manifest');
    this.#digest.end();
    await this.#records.end();
    await this.#chain.end();
    if (this.#ledger !== undefined && this.#inclusion !== undefined) await this.#acts(this.#ledger, this.#inclusion);
    if ((await this.#ledger?.line()) !== undefined)
      this.#broken('chain', 'LEDGER_ROW_EXTRA', LEDGER, 'a row of no entry of the bundle');
    await this.#inclusion?.end();
    for (const [path, { fault }] of this.#readers) {
      if (fault !== undefined) this.#broken('content', `TEXT_${fault}`, path, 'not lines of UTF-8, each ended by LF');
    }
    if (profile === 'minimal') return;
    findings.done(
      'events',
      `${this.#records.judged} whole, ${this.totals.redacted} redacted, ${this.totals.disposed} disposed of`,
    );
    findings.done(
      'chain',
      `${this.totals.events} entries from their headers, ${this.#links.adjacent} neighbours link, ${this.#chain.ownRows.length} of the service's own chains`,
    );
    findings.done('inclusion', `${this.#inclusion?.proven ?? 0} entries by proof`);
  }
}

function together(...waits: readonly (Promise<void> | undefined)[]): Promise<void> | undefined {
  if (waits.every((wait) => wait === undefined)) return undefined;
  return Promise.all(waits).then(() => undefined);
}
