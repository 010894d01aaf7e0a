import { HASH_LENGTH, isHash, quoted } from '../text/bytes.js';
import { type CanonicalScanner, formScanner, NotCanonical } from '../text/canonical-scanner.js';
import { type ManifestHead, readHead } from './manifest-shape.js';
import { isCount, ShapeFault } from './members.js';

/** The members of an `events` item that the bundle's other lists must repeat. */
export interface EventItem {
  readonly event_id: string;
  readonly sha256: string;
  readonly source_system: string;
  readonly seq: number;
  readonly entry_hash: string;
  readonly tree_index: number;
  readonly state: string;
}

const STATES: readonly string[] = ['INCLUDED', 'REDACTED', 'DISPOSED'];

/** Returns true for exactly the members of an event. */
export function isEventItem(item: unknown): item is EventItem {
  if (typeof item !== 'object' || item === null) return false;
  const members: { readonly [K in keyof EventItem]?: unknown } = item;
  const { event_id, sha256, source_system, seq, entry_hash, tree_index, state, ...others } = members;
  return (
    Object.keys(others).length === 0 &&
    typeof event_id === 'string' &&
    isHash(sha256) &&
    typeof source_system === 'string' &&
    isHash(entry_hash) &&
    isCount(seq) &&
    seq >= 1 &&
    isCount(tree_index) &&
    STATES.includes(String(state))
  );
}

type ItemText = readonly [beforeHash: string, afterHash: string];

/** Returns the text of an item in the form of RFC 8785, split at the hash of its line. */
export const eventItemText = (item: Omit<EventItem, 'sha256'>): ItemText => [
  `{"entry_hash":"${item.entry_hash}","event_id":${quoted(item.event_id)},"seq":${item.seq},"sha256":"`,
  `","source_system":${quoted(item.source_system)},"state":"${item.state}","tree_index":${item.tree_index}}`,
];

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The manifest: parsed head, and the events as text, because a million events have 300 MB. */
export class ManifestText {
  readonly #spans = new Map<string, Span>();
  readonly head: ManifestHead;
  readonly #scanner: CanonicalScanner<undefined>;
  readonly #eventsAt: number;

  /** @throws NotCanonical, ShapeFault */
  constructor(readonly text: string) {
    this.#scanner = formScanner(text);
    for (const { key, start, end } of this.#scanner.members(0)) this.#spans.set(key, { start, end });
    if (this.#scanner.at !== text.length) throw new NotCanonical(this.#scanner.at);
    const members: Record<string, unknown> = {};
    for (const [key, { start, end }] of this.#spans) {
      if (key !== 'events') members[key] = JSON.parse(text.slice(start, end));
    }
    this.head = readHead(members);
    const events = this.#spans.get('events');
    if (events === undefined || text[events.start] !== '[')
      throw new ShapeFault('events is missing or has another form');
    this.#eventsAt = events.start + 1;
  }

  /** Returns the text of a member's value. */
  valueText(key: string): string {
    const span = this.#spans.get(key);
    return span === undefined ? '' : this.text.slice(span.start, span.end);
  }

  /** Returns the signed text: the manifest without the member `signature`. */
  unsignedText(): string {
    const span = this.#spans.get('signature');
    if (span === undefined) return this.text;
    const start = span.start - '"signature":'.length;
    // In a complete manifest `signature` is neither first nor last in the order of RFC 8785. Removes one of its commas.
    return this.text[start - 1] === ','
      ? this.text.slice(0, start - 1) + this.text.slice(span.end)
      : this.text.slice(0, start) + this.text.slice(this.text[span.end] === ',' ? span.end + 1 : span.end);
  }

  /** @param bytes the UTF-8 of the text */
  events(bytes: Uint8Array): EventItems {
    const isAscii = bytes.length === this.text.length;
    return new EventItems(this.text, isAscii ? bytes : undefined, this.#scanner, this.#eventsAt);
  }
}

/** Reads the items of `events` in order. */
export class EventItems {
  constructor(
    private readonly text: string,
    /** The text, one byte per unit; undefined unless the text is ASCII. */
    readonly bytes: Uint8Array | undefined,
    private readonly scanner: CanonicalScanner<undefined>,
    /** Offset of the next item. */
    public at: number,
  ) {}

  get ended(): boolean {
    return this.text[this.at] === ']';
  }

  /** Skips the item and returns the hash of its line, if the rest of the item is as given; else returns undefined. */
  accept([beforeHash, afterHash]: ItemText): string | undefined {
    const { text } = this;
    const hashAt = this.at + beforeHash.length;
    const end = hashAt + HASH_LENGTH + afterHash.length;
    if (!text.startsWith(beforeHash, this.at) || !text.startsWith(afterHash, hashAt + HASH_LENGTH)) return undefined;
    const sha256 = text.slice(hashAt, hashAt + HASH_LENGTH);
    const after = text[end];
    if (!isHash(sha256) || (after !== ',' && after !== ']')) return undefined;
    this.at = after === ',' ? end + 1 : end;
    return sha256;
  }

  /** Parses the item and moves to the next. */
  take(): unknown {
    const end = this.scanner.endOf(this.at);
    const item: unknown = JSON.parse(this.text.slice(this.at, end));
    this.at = this.text[end] === ',' ? end + 1 : end;
    return item;
  }
}
