import { CHAIN, EVENTS, INCLUSION, LEDGER } from '../archive/entry-names.js';
import { LineReader } from '../archive/line-reader.js';
import { entryHash } from '../hashing/links.js';
import type { Tree } from '../hashing/tree.js';
import { type EventItem, type EventItems, eventItemText } from '../manifest/manifest-text.js';
import type { RunningHash } from '../platform.js';
import { fromUtf8, isHash, quoted, utf8 } from '../text/bytes.js';
import { isCanonical } from '../text/canonical-scanner.js';
import { printable } from './archive.js';
import { ChainWalk } from './chain-walk.js';
import type { BundleContext } from './context.js';
import { InclusionWalk } from './inclusion.js';
import { LEDGER_HEADER, type LedgerRow, readLedgerRow } from './ledger-row.js';
import { LinkKeeper } from './link-keeper.js';
import { checkOwnEntries } from './own-entries.js';
import { RecordBatches } from './record-batches.js';
import { redactedFaults } from './redacted-line.js';

const STATES: readonly string[] = ['INCLUDED', 'REDACTED', 'DISPOSED'];

const DIGEST_PIECE_LENGTH = 2 ** 16;
const NO_LINE = new Uint8Array(0);

/** Whether line, header and record are judged together by `RecordBatches`. */
const judgedInBatch = (item: EventItem, row: LedgerRow | undefined): boolean =>
  item.state === 'INCLUDED' && row !== undefined && row.seed !== null;

/** What the rest of the bundle must agree with, gathered on the walk. */
export interface EventTotals {
  events: number;
  redacted: number;
  disposed: number;
  /** Events that documents refer to and that were not met yet. */
  readonly unmet: Set<string>;
}

/**
 * Goes once through the manifest's events, events.jsonl, chain.tsv, ledger.tsv and the proofs side by side, as all of them
 * stand in tree order: memory does not grow with the number of events.
 */
export class EventWalk {
  readonly totals: EventTotals;
  readonly #items: EventItems;
  readonly #lines: LineReader<Uint8Array>;
  readonly #ledger: LineReader | undefined;
  readonly #chain: ChainWalk;
  readonly #links: LinkKeeper;
  readonly #records: RecordBatches;
  readonly #inclusion: InclusionWalk | undefined;
  readonly #readers: readonly (readonly [path: string, lines: { readonly fault: string | undefined }])[];
  readonly #redactions: ReadonlySet<string>;
  #lastIndex = -1;
  /** What the content digest has still to take in. */
  #digested = '';

  constructor(
    private readonly context: BundleContext,
    private readonly digest: RunningHash,
    tree: Tree,
  ) {
    const { platform } = context;
    const text = (path: string): LineReader => LineReader.ofText(context.open(path));
    const full = context.profile === 'full';
    const [chain, ledger, inclusion] = [text(CHAIN), text(LEDGER), text(INCLUSION)];
    this.#lines = LineReader.ofBytes(context.open(EVENTS), (bytes) => platform.isUtf8(bytes));
    this.#readers = [
      [EVENTS, this.#lines],
      [CHAIN, chain],
      ...(full
        ? ([
            [LEDGER, ledger],
            [INCLUSION, inclusion],
          ] as const)
        : []),
    ];
    const { head } = context.manifest;
    this.totals = {
      events: 0,
      redacted: 0,
      disposed: 0,
      unmet: new Set(head.documents.flatMap((one) => one.referenced_by)),
    };
    this.#items = context.manifest.events();
    this.#ledger = full ? ledger : undefined;
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
    // Waits are for megabytes, not for rows.
    while (!this.#items.ended && (await this.#filled())) {
      while (!this.#items.ended && this.#lines.ready && (this.#ledger?.ready ?? true)) {
        const waiting = this.#event(this.#lines.take() ?? NO_LINE, this.#ledger?.take());
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
    // The line of the event whose row is missing is no line too many.
    this.#lines.take();
    return missing(LEDGER);
  }

  #broken(check: 'content' | 'events' | 'chain', code: string, subject: string, detail: string): void {
    this.context.findings.broken(check, code, printable(subject), detail);
  }

  /** One event. @returns a promise where something must be waited for */
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
      judged = this.#record(line, item, row, ledgerLine);
      proven = this.#entry(row, item);
    }
    const chained = this.#chain.accept(item, row) ? undefined : this.#chain.find(item, row);
    if (judged === undefined && proven === undefined && chained === undefined) return undefined;
    return Promise.all([judged, proven, chained]).then(() => undefined);
  }

  /** The manifest's item where it is what the row says; whether the line has its hash is judged with the record. */
  #acceptedItem(row: LedgerRow | undefined): EventItem | undefined {
    if (row === undefined || row.seed === null) return undefined;
    const { event_id, source_system, seq, entry_hash, tree_index } = row;
    const expected = { event_id, source_system, seq, entry_hash, tree_index, state: 'INCLUDED' };
    const sha256 = this.#items.accept(eventItemText(expected));
    if (sha256 === undefined) return undefined;
    return { event_id, source_system, seq, entry_hash, tree_index, state: expected.state, sha256 };
  }

  /** The manifest's item, which must say what row and line say. */
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
    const separator = this.totals.events === 1 ? '' : ',';
    this.#digested += `${separator}{"event_id":${quoted(event_id)},"sha256":"${item.sha256}","state":"${state}"}`;
    if (this.#digested.length > DIGEST_PIECE_LENGTH) this.#digest();
    if (tree_index <= this.#lastIndex) this.#broken('chain', 'TREE_ORDER', event_id, 'not in the order of the tree');
    this.#lastIndex = tree_index;
    this.totals.unmet.delete(event_id);
    if (state === 'REDACTED') this.totals.redacted++;
    if (state !== 'DISPOSED') return;
    this.totals.disposed++;
    const gone = `{"event_id":${JSON.stringify(event_id)},"state":"DISPOSED"}`;
    if (fromUtf8(line) !== gone) {
      this.#broken('events', 'DISPOSED_LINE', event_id, 'the line of a disposed event says more, or less, than that');
    }
  }

  #digest(): void {
    this.digest.update(utf8(this.#digested));
    this.#digested = '';
  }

  #record(line: Uint8Array, item: EventItem, row: LedgerRow, rowText: string): Promise<void> | undefined {
    const { event_id, seed } = row;
    if ((seed !== null) !== (item.state === 'INCLUDED')) {
      this.#broken('events', 'SEED', event_id, 'a seed travels with fully disclosed events, and with those alone');
    }
    if (judgedInBatch(item, row)) {
      return this.#records.add({ line, row: rowText, sha256: item.sha256, eventId: event_id });
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
    if (faults.length === 0 && !this.#redactions.has(`${redactionId} ${row.event_id}`)) {
      this.#broken('events', 'REDACTION_UNLISTED', row.event_id, 'the manifest does not list this redaction');
    }
  }

  /** Header, place in the chain and place in the tree. */
  #entry(row: LedgerRow, item: EventItem): Promise<void> | undefined {
    const { event_id, source_system, seq, prev, recorded_at, entry_hash } = row;
    const tenantText = JSON.stringify(this.context.manifest.head.tenant_id);
    if (!judgedInBatch(item, row) && entryHash(this.context.platform, row, tenantText) !== entry_hash) {
      this.#broken('chain', 'ENTRY_HASH_MISMATCH', event_id, 'the hash does not follow from the header');
    }
    this.#links.add({ subject: event_id, source: source_system, seq, prev, hash: entry_hash, recordedAt: recorded_at });
    return this.#inclusion?.add(row.tree_index, entry_hash, event_id);
  }

  async #end(): Promise<void> {
    const { findings, profile } = this.context;
    if ((await this.#lines.line()) !== undefined)
      this.#broken('content', 'EVENT_LINE_EXTRA', EVENTS, 'a line of no event of the manifest');
    this.#digest();
    await this.#records.end();
    await this.#chain.end();
    if (this.#ledger !== undefined && this.#inclusion !== undefined)
      await checkOwnEntries(this.context, this.#chain.ownRows, this.#ledger, this.#inclusion);
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

function isEventItem(item: unknown): item is EventItem {
  if (typeof item !== 'object' || item === null) return false;
  const { event_id, sha256, source_system, seq, entry_hash, tree_index, state } = item as Partial<EventItem>;
  return (
    typeof event_id === 'string' &&
    isHash(sha256) &&
    typeof source_system === 'string' &&
    isHash(entry_hash) &&
    Number.isSafeInteger(seq) &&
    (seq ?? 0) >= 1 &&
    Number.isSafeInteger(tree_index) &&
    (tree_index ?? -1) >= 0 &&
    STATES.includes(String(state))
  );
}
