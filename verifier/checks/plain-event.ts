import type { LineReader } from '../archive/line-reader.js';
import type { EventItem, EventItems } from '../manifest/manifest-text.js';
import { HASH_LENGTH, utf8 } from '../text/bytes.js';
import { ExpectedBytes } from '../text/expected-bytes.js';
import { HEX, unitsAre } from '../text/units.js';
import type { LedgerRow } from './ledger-row.js';
import { PlainRow } from './plain-row.js';

const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;
const TAB = utf8('\t');

// The text between the values of a manifest item, in the order of RFC 8785.
const ENTRY_HASH = utf8('{"entry_hash":"');
const EVENT_ID = utf8('","event_id":"');
const SEQ = utf8('","seq":');
const SHA256 = utf8(',"sha256":"');
const SOURCE_SYSTEM = utf8('","source_system":');
const STATE = utf8(',"state":"INCLUDED","tree_index":');
const ITEM_END = utf8('}');

// The cells of chain.tsv that are equal for every disclosed event.
const LEDGER_EVENT = utf8('\tLEDGER\tEVENT\t');
const APPENDED = utf8('\tAPPENDED\tSERVICE\t-\t-\t-\t-\t');

/** Limit of cached sources; events of further sources are read as text. */
const MOST_SOURCES = 64;

interface KnownSource {
  readonly bytes: Uint8Array;
  readonly json: Uint8Array;
}

/**
 * Compares a fully disclosed event byte by byte: the ledger.tsv row in plain ASCII, and the manifest item and chain.tsv row
 * that the service derives from it. Nearly all events have this form, and decoding each to text would cost more than the
 * rest of the walk. One object serves all events.
 */
export class PlainEvent {
  readonly row = new PlainRow();
  readonly #expected = new ExpectedBytes();
  readonly #sources: KnownSource[] = [];
  /** The bytes that contain the row. */
  ledger: Uint8Array = new Uint8Array(0);
  #text = '';
  /** The manifest, and the offset of the hash of the event's line. */
  manifest: Uint8Array = new Uint8Array(0);
  hashAt = 0;

  /** Returns true, and skips the item, if the next row and item are a plain event. */
  read(ledger: LineReader, items: EventItems): boolean {
    const { row } = this;
    const { asciiText: text, bytes } = ledger;
    if (text === undefined || items.bytes === undefined || !row.read(bytes, ledger.start, ledger.end)) return false;
    this.ledger = bytes;
    this.#text = text;
    this.manifest = items.bytes;
    const source = this.#sourceOf(bytes);
    return source !== undefined && this.#passItem(items, source.json);
  }

  /** Returns true if the next row of chain.tsv is row `n` and this event's row. */
  isRowOfChain({ bytes, start, end }: LineReader, n: number): boolean {
    const { row, ledger } = this;
    const next = this.#expected.begin(bytes, start);
    return (
      next.isCount(n) &&
      next.is(TAB) &&
      next.is(ledger, row.recordedAt, row.recordedEnd) &&
      next.is(LEDGER_EVENT) &&
      next.is(ledger, row.start, row.idEnd) &&
      next.is(APPENDED) &&
      next.is(this.manifest, this.hashAt, this.hashAt + HASH_LENGTH) &&
      next.is(TAB) &&
      // Source and number are adjacent in both files, and so are previous hash and entry hash.
      next.is(ledger, row.sourceStart, row.seqEnd) &&
      next.is(TAB) &&
      next.is(ledger, row.prev, row.indexStart - 1) &&
      next.at === end
    );
  }

  values(): LedgerRow & Pick<EventItem, 'sha256' | 'state'> {
    const hash = this.manifest.subarray(this.hashAt, this.hashAt + HASH_LENGTH);
    return { ...this.row.values(this.#text), state: 'INCLUDED', sha256: String.fromCharCode(...hash) };
  }

  /** The member's tag in the header; null for an event without one. */
  tag(): string | null {
    const { row } = this;
    return row.hasTag ? this.#text.slice(row.tag, row.tag + HASH_LENGTH) : null;
  }

  link() {
    const { row } = this;
    const text = this.#text;
    return {
      subject: text.slice(row.start, row.idEnd),
      source: text.slice(row.sourceStart, row.sourceEnd),
      seq: row.seq,
      prev: text.slice(row.prev, row.prev + HASH_LENGTH),
      hash: text.slice(row.entryHash, row.entryHash + HASH_LENGTH),
      recordedAt: text.slice(row.recordedAt, row.recordedEnd),
    };
  }

  #passItem(items: EventItems, source: Uint8Array): boolean {
    const { row, manifest, ledger } = this;
    const next = this.#expected.begin(manifest, items.at);
    const begins =
      next.is(ENTRY_HASH) &&
      next.is(ledger, row.entryHash, row.entryHash + HASH_LENGTH) &&
      next.is(EVENT_ID) &&
      next.is(ledger, row.start, row.idEnd) &&
      next.is(SEQ) &&
      next.is(ledger, row.seqStart, row.seqEnd) &&
      next.is(SHA256);
    if (!begins) return false;
    this.hashAt = next.at;
    next.at += HASH_LENGTH;
    const ends =
      unitsAre(manifest, this.hashAt, next.at, HEX) &&
      next.is(SOURCE_SYSTEM) &&
      next.is(source) &&
      next.is(STATE) &&
      next.is(ledger, row.indexStart, row.end) &&
      next.is(ITEM_END);
    const after = manifest[next.at];
    if (!ends || (after !== COMMA && after !== CLOSE_BRACKET)) return false;
    items.at = after === COMMA ? next.at + 1 : next.at;
    return true;
  }

  #sourceOf(ledger: Uint8Array): KnownSource | undefined {
    const { sourceStart, sourceEnd } = this.row;
    const length = sourceEnd - sourceStart;
    for (const source of this.#sources) {
      if (source.bytes.length === length && this.#expected.begin(ledger, sourceStart).is(source.bytes)) return source;
    }
    if (this.#sources.length === MOST_SOURCES) return undefined;
    const json = utf8(JSON.stringify(this.#text.slice(sourceStart, sourceEnd)));
    const source = { bytes: ledger.slice(sourceStart, sourceEnd), json };
    this.#sources.push(source);
    return source;
  }
}
