import type { Platform } from '../platform.js';
import { fromHex, hexInto, utf8 } from '../text/bytes.js';
import { CanonicalScanner, type LeafSink, NotCanonical } from '../text/canonical-scanner.js';
import { DECOY_TAG, FIELD_TAG, LeafLanes, MOST_PATHS, PADDING, SALT_BYTES, SALT_PREFIX } from './leaf-lanes.js';
import { LeafPath } from './leaf-path.js';
import { DIGEST_BYTES } from './sha256-block.js';
import { type HmacKey, ShortHasher } from './short-hasher.js';
import { sortedDigests } from './sorted-digests.js';

const FIELDS_TAG = utf8('eas:fields:v1\0');
const WORD_BYTES = 4;
/** Where the tag begins, so that the digests behind it stand at whole words. */
const FIELDS_FROM = (WORD_BYTES - (FIELDS_TAG.length % WORD_BYTES)) % WORD_BYTES;
const COMMIT_TAG = utf8('eas:commit:v1\0');
/** Longer messages are hashed by the platform, which may have instructions for it. */
const SHORT_BYTES = 256;

/** What the chain holds in place of a record, in lower-case hex. */
export interface Committed {
  readonly commit: string;
  readonly fields: string;
}

/** Told of each leaf of a record on the way: its pointer, and where its value stands in the text. */
export type LeafObserver = (pointer: string, start: number, end: number) => void;

/** Computes what the chain holds in place of records, four leaves at once where the machine can. For one thread. */
export class Commitments implements LeafSink<LeafPath> {
  readonly #hasher = new ShortHasher();
  readonly #salt = new Uint8Array(DIGEST_BYTES);
  readonly #commitSalt = new Uint8Array(DIGEST_BYTES);
  readonly #seed = new Uint8Array(DIGEST_BYTES);
  readonly #seedWords = new Int32Array(this.#seed.buffer);
  #key: HmacKey = this.#hasher.hmacKey(this.#seed);
  #digests = new Uint8Array(64 * DIGEST_BYTES);
  #digestWords = new Int32Array(this.#digests.buffer);
  #input = new Uint8Array(4096);
  #inputWords = new Int32Array(this.#input.buffer);
  #count = 0;
  #text = '';
  #observe: LeafObserver = () => undefined;
  root = LeafPath.root();

  /** @param lanes null: every hash on its own, as where the machine has no vector instructions. */
  constructor(
    private readonly platform: Platform,
    private readonly lanes: LeafLanes | null = LeafLanes.create(),
  ) {}

  /**
   * Of the record that stands from `start` to `end` in the text.
   *
   * @param seed in hex, @param bytes the record's. @returns undefined for what is not in the form of RFC 8785
   */
  ofRecord(
    seed: string,
    scanner: CanonicalScanner<LeafPath>,
    [start, end]: readonly [number, number],
    bytes: Uint8Array,
    observe: LeafObserver,
  ): Committed | undefined {
    this.#begin(seed, scanner.text, observe);
    try {
      scanner.whole(start, end);
    } catch (fault) {
      if (fault instanceof NotCanonical) return undefined;
      throw fault;
    }
    this.#finish();
    return { fields: this.#fields(), commit: this.#commit(bytes) };
  }

  /** Walks texts and hands their leaves to these commitments. */
  scanner(text: string): CanonicalScanner<LeafPath> {
    return new CanonicalScanner(text, this);
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
    const { lanes } = this;
    if (lanes?.take(path, this.#text, start, end)) {
      if (!lanes.hasRoom) lanes.run(this.#key, this);
      return;
    }
    this.#hasher.start().text(SALT_PREFIX).text(path.pointer).hmacInto(this.#key, this.#salt, 0);
    this.#leaf(this.#salt, path.quoted, this.#text.slice(start, end));
  }

  /** `fields` of digests that are told, and of leaves that are shown with their salts. */
  fieldsOfShown(
    shown: readonly (readonly [salt: string, pointer: string, text: string])[],
    hidden: readonly string[],
  ): string {
    this.#count = 0;
    for (const [salt, pointer, text] of shown) this.#leaf(fromHex(salt), JSON.stringify(pointer), text);
    for (const digest of hidden) hexInto(digest, this.#digests, this.#place());
    return this.#fields();
  }

  /** Digests from lanes. */
  take(bytes: Uint8Array, from: number, count: number): void {
    const at = this.#place(count);
    this.#digests.set(bytes.subarray(from, from + count * DIGEST_BYTES), at);
  }

  #begin(seed: string, text: string, observe: LeafObserver): void {
    hexInto(seed, this.#seed);
    this.#text = text;
    this.#observe = observe;
    this.#count = 0;
    this.lanes?.drop();
    if (this.lanes === null) this.#key = this.#hasher.hmacKey(this.#seed);
    else this.lanes.keyInto(this.#seedWords, this.#key);
    // Records of ever other pointers must not fill the memory.
    if (this.root.knownCount <= MOST_PATHS / 2) return;
    this.root = LeafPath.root();
    this.lanes?.forgetPaths();
  }

  /** The decoys, and the salt of the commitment. */
  #finish(): void {
    const leaves = this.#count + (this.lanes?.taken ?? 0);
    const decoys = Math.ceil(leaves / PADDING) * PADDING - leaves;
    if (this.lanes !== null) {
      this.lanes.run(this.#key, this, decoys, this.#commitSalt);
      return;
    }
    for (let i = 0; i < decoys; i++) {
      this.#hasher.start().text(`decoy:${i}`).hmacInto(this.#key, this.#salt, 0);
      const decoy = this.#hasher.start().text(DECOY_TAG).bytes(this.#salt);
      const at = this.#place();
      decoy.digestInto(this.#digests, at);
    }
    this.#hasher.start().text('commit').hmacInto(this.#key, this.#commitSalt, 0);
  }

  /** d_p = D("field", salt ‖ JCS([p, value])). */
  #leaf(salt: Uint8Array, quotedPointer: string, text: string): void {
    const message = this.#hasher.start().text(FIELD_TAG).bytes(salt, SALT_BYTES);
    message.text('[').text(quotedPointer).text(',').text(text).text(']');
    const at = this.#place();
    if (message.written.length > SHORT_BYTES) this.#digests.set(this.platform.sha256(message.written), at);
    else message.digestInto(this.#digests, at);
  }

  /** Where the next digests go. */
  #place(count = 1): number {
    const at = this.#count * DIGEST_BYTES;
    this.#count += count;
    const needed = this.#count * DIGEST_BYTES;
    if (needed > this.#digests.length) {
      const larger = new Uint8Array(needed * 2);
      larger.set(this.#digests);
      this.#digests = larger;
      this.#digestWords = new Int32Array(larger.buffer);
    }
    return at;
  }

  /** A room for what is hashed in one piece; what was in it is lost. */
  #room(length: number): Uint8Array {
    if (this.#input.length < length) {
      // Whole words.
      this.#input = new Uint8Array(length * 4);
      this.#inputWords = new Int32Array(this.#input.buffer);
    }
    return this.#input;
  }

  /** commit = D("commit", HMAC(seed, "commit") ‖ R). */
  #commit(record: Uint8Array): string {
    const start = COMMIT_TAG.length + DIGEST_BYTES;
    const input = this.#room(start + record.length);
    input.set(COMMIT_TAG, 0);
    input.set(this.#commitSalt, COMMIT_TAG.length);
    input.set(record, start);
    return this.platform.sha256Hex(input.subarray(0, start + record.length));
  }

  /** D("fields", digests sorted as bytes). */
  #fields(): string {
    const end = FIELDS_FROM + FIELDS_TAG.length + this.#count * DIGEST_BYTES;
    const input = this.#room(end);
    const [words, digests] = [this.#inputWords, this.#digestWords];
    input.set(FIELDS_TAG, FIELDS_FROM);
    let to = (FIELDS_FROM + FIELDS_TAG.length) / WORD_BYTES;
    for (const at of sortedDigests(this.#digests, this.#count)) {
      const from = at / WORD_BYTES;
      for (let i = 0; i < DIGEST_BYTES / WORD_BYTES; i++) words[to + i] = digests[from + i] as number;
      to += DIGEST_BYTES / WORD_BYTES;
    }
    return this.platform.sha256Hex(input.subarray(FIELDS_FROM, end));
  }
}
