import { HASH_LENGTH, isHash, quoted } from '../text/bytes.js';
import { type CanonicalScanner, formScanner, NotCanonical } from '../text/canonical-scanner.js';
import { type ManifestHead, readHead, ShapeFault } from './manifest-shape.js';

/** An item of `events`, as far as the bundle's other lists must agree with it. */
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

export function isEventItem(item: unknown): item is EventItem {
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

type ItemText = readonly [beforeHash: string, afterHash: string];

/** The text of an item in the form of RFC 8785, without the hash of its line. */
export const eventItemText = (item: Omit<EventItem, 'sha256'>): ItemText => [
  `{"entry_hash":"${item.entry_hash}","event_id":${quoted(item.event_id)},"seq":${item.seq},"sha256":"`,
  `","source_system":${quoted(item.source_system)},"state":"${item.state}","tree_index":${item.tree_index}}`,
];

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The manifest: its head as values, its list of events as text, since a million of them are 300 MB. */
export class ManifestText {
  readonly #spans = new Map<string, Span>();
  readonly head: ManifestHead;
  readonly #scanner: CanonicalScanner<undefined>;

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
    if (events === undefined || text[events.start] !== '[') throw new ShapeFault('events');
  }

  /** The text of a member's value. */
  valueText(key: string): string {
    const span = this.#spans.get(key);
    return span === undefined ? '' : this.text.slice(span.start, span.end);
  }

  /** The text without the member `signature`: what that signature is over. */
  unsignedText(): string {
    const span = this.#spans.get('signature');
    if (span === undefined) return this.text;
    const start = span.start - '"signature":'.length;
    // It is neither the first nor the last member in the order of RFC 8785 where the others are there; take either comma.
    return this.text[start - 1] === ','
      ? this.text.slice(0, start - 1) + this.text.slice(span.end)
      : this.text.slice(0, start) + this.text.slice(this.text[span.end] === ',' ? span.end + 1 : span.end);
  }

  /** @param bytes of the text */
  events(bytes: Uint8Array): EventItems {
    const span = this.#spans.get('events') as Span;
    const isAscii = bytes.length === this.text.length;
    return new EventItems(this.text, isAscii ? bytes : undefined, this.#scanner, span.start + 1);
  }
}

/** The items of `events`, one after the other. */
export class EventItems {
  constructor(
    private readonly text: string,
    /** Of the text, byte by unit; undefined where it is not ASCII alone. */
    readonly bytes: Uint8Array | undefined,
    private readonly scanner: CanonicalScanner<undefined>,
    /** Where the next item begins. */
    public at: number,
  ) {}

  get ended(): boolean {
    return this.text[this.at] === ']';
  }

  /** The hash of the item's line, and on to the next, when the item is this one but for that hash. */
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

  /** The item as it stands, and on to the next. */
  take(): unknown {
    const end = this.scanner.endOf(this.at);
    const item: unknown = JSON.parse(this.text.slice(this.at, end));
    this.at = this.text[end] === ',' ? end + 1 : end;
    return item;
  }
}
