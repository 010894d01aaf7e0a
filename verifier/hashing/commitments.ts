import type { LeafPath } from '../../shared/hashing/leaf-path.js';
import { RecordHasher } from '../../shared/hashing/record-hasher.js';
import type { Platform } from '../platform.js';
import { fromHex, hexInto } from '../text/bytes.js';
import { CanonicalScanner, type LeafSink, NotCanonical } from '../text/canonical-scanner.js';

/** The commitments that the chain holds for a record, in lower-case hex. */
interface Committed {
  readonly commit: string;
  readonly fields: string;
}

/** Receives each leaf of a record: its pointer, and the range of its value in the text. */
export type LeafObserver = (pointer: string, start: number, end: number) => void;

/** Computes the commitments of records from their text. Not thread-safe. */
export class Commitments implements LeafSink<LeafPath> {
  readonly #hasher: RecordHasher;
  #text = '';
  #observe: LeafObserver = () => undefined;

  /** @param hasher one without lanes hashes each message separately */
  constructor(
    private readonly platform: Platform,
    hasher: RecordHasher = new RecordHasher(platform.sha256),
  ) {
    this.#hasher = hasher;
  }

  /**
   * Computes the commitments of the record at `start` to `end` of the text.
   *
   * @param seed in hex
   * @param bytes the record's bytes
   * @returns undefined if the record is not in the form of RFC 8785
   */
  ofRecord(
    seed: string,
    scanner: CanonicalScanner<LeafPath>,
    [start, end]: readonly [number, number],
    bytes: Uint8Array,
    observe: LeafObserver,
  ): Committed | undefined {
    const hasher = this.#hasher;
    hasher.begin(fromHex(seed));
    this.#text = scanner.text;
    this.#observe = observe;
    try {
      scanner.whole(start, end);
    } catch (fault) {
      if (fault instanceof NotCanonical) return undefined;
      throw fault;
    }
    hasher.finish();
    const fields = this.#fields();
    return { fields, commit: this.platform.sha256Hex(hasher.commitMessage(bytes)) };
  }

  /** Makes a scanner that passes the leaves of a text to these commitments. */
  scanner(text: string): CanonicalScanner<LeafPath> {
    return new CanonicalScanner(text, this);
  }

  get root(): LeafPath {
    return this.#hasher.root;
  }

  member(parent: LeafPath, key: string, before: LeafPath | undefined): LeafPath {
    const member = parent.member(key);
    if (before === undefined) parent.first = member;
    else before.next = member;
    return member;
  }

  foreseen(parent: LeafPath, before: LeafPath | undefined): LeafPath | undefined {
    return before === undefined ? parent.first : before.next;
  }

  keyOf(path: LeafPath): string {
    return path.key;
  }

  keyText(path: LeafPath): string {
    return path.keyText;
  }

  item(parent: LeafPath, index: number): LeafPath {
    return parent.item(index);
  }

  leaf(path: LeafPath, start: number, end: number): void {
    this.#observe(path.pointer, start, end);
    this.#hasher.leaf(path, this.#text, start, end);
  }

  /** Computes `fields` from given digests, and from disclosed leaves with their salts. */
  fieldsOfShown(
    shown: readonly (readonly [salt: string, pointer: string, text: string])[],
    hidden: readonly string[],
  ): string {
    this.#hasher.beginShown();
    for (const [salt, pointer, text] of shown) this.#hasher.shownLeaf(fromHex(salt), pointer, text);
    for (const digest of hidden) hexInto(digest, this.#hasher.hiddenLeaf());
    return this.#fields();
  }

  #fields(): string {
    return this.platform.sha256Hex(this.#hasher.fieldsMessage());
  }
}
