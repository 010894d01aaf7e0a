import { DECOY_TAG, FIELD_TAG, LeafLanes, MOST_PATHS, PADDING, SALT_BYTES, SALT_PREFIX } from './leaf-lanes.js';
import { LeafPath } from './leaf-path.js';
import { DIGEST_BYTES } from './sha256-block.js';
import { type HmacKey, ShortHasher } from './short-hasher.js';
import { sortedDigests } from './sorted-digests.js';

const asciiBytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

const FIELDS_TAG = asciiBytes('eas:fields:v1\0');
const COMMIT_TAG = asciiBytes('eas:commit:v1\0');
const WORD_BYTES = 4;
/** Offset of the tag that aligns the digests after it to whole words. */
const FIELDS_FROM = (WORD_BYTES - (FIELDS_TAG.length % WORD_BYTES)) % WORD_BYTES;
/** The platform hashes longer messages, because it may have instructions for it. */
const SHORT_BYTES = 256;

/**
 * Computes the messages of a record's commitments (evidence.md section 2), four leaves at once if the machine can: `begin`,
 * `leaf` for each leaf, `finish`, then the messages. Not thread-safe.
 */
export class RecordHasher {
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
  #root = LeafPath.root();
  readonly #paths = new Map<string, LeafPath>();

  /**
   * @param sha256 the platform's hash
   * @param lanes null hashes each message separately, as on a machine without vector instructions
   */
  constructor(
    private readonly sha256: (bytes: Uint8Array) => Uint8Array,
    private readonly lanes: LeafLanes | null = LeafLanes.create(),
  ) {}

  /** The place of the whole record. It changes with `begin`. */
  get root(): LeafPath {
    return this.#root;
  }

  /** Starts a record. @param seed 32 bytes */
  begin(seed: Uint8Array): void {
    this.#seed.set(seed);
    this.#count = 0;
    this.lanes?.drop();
    if (this.lanes === null) this.#key = this.#hasher.hmacKey(this.#seed);
    else this.lanes.keyInto(this.#seedWords, this.#key);
    // Records with ever new pointers must not fill the memory.
    if (this.#root.knownCount <= MOST_PATHS / 2) return;
    this.#root = LeafPath.root();
    this.#paths.clear();
    this.lanes?.forgetPaths();
  }

  /** Returns the place of that pointer in this record. */
  path(pointer: string): LeafPath {
    let path = this.#paths.get(pointer);
    if (path === undefined) {
      path = this.#root.at(pointer);
      this.#paths.set(pointer, path);
    }
    return path;
  }

  /** Adds the leaf with its value at `start` to `end` of the text. */
  leaf(path: LeafPath, text: string, start: number, end: number): void {
    const { lanes } = this;
    if (lanes?.take(path, text, start, end)) {
      if (!lanes.hasRoom) lanes.run(this.#key, this);
      return;
    }
    this.#hasher.start().text(SALT_PREFIX).text(path.pointer).hmacInto(this.#key, this.#salt, 0);
    this.#leaf(this.#salt, path.quoted, text.slice(start, end));
  }

  /** Adds the decoys and computes the salt of the commitment. */
  finish(): void {
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

  /** Starts a record of which some leaves are only known as digests. It needs no `finish`. */
  beginShown(): void {
    this.#count = 0;
  }

  shownLeaf(salt: Uint8Array, pointer: string, text: string): void {
    this.#leaf(salt, JSON.stringify(pointer), text);
  }

  /** Returns the place for the digest of a hidden leaf; valid until the next call. */
  hiddenLeaf(): Uint8Array {
    const at = this.#place();
    return this.#digests.subarray(at, at + DIGEST_BYTES);
  }

  /** Message of commit = D("commit", HMAC(seed, "commit") ‖ R); valid until the next call. */
  commitMessage(record: Uint8Array): Uint8Array {
    const start = COMMIT_TAG.length + DIGEST_BYTES;
    const input = this.#room(start + record.length);
    input.set(COMMIT_TAG, 0);
    input.set(this.#commitSalt, COMMIT_TAG.length);
    input.set(record, start);
    return input.subarray(0, start + record.length);
  }

  /** Message of fields = D("fields", digests sorted as bytes); valid until the next call. */
  fieldsMessage(): Uint8Array {
    const end = FIELDS_FROM + FIELDS_TAG.length + this.#count * DIGEST_BYTES;
    const input = this.#room(end);
    const [words, digests] = [this.#inputWords, this.#digestWords];
    input.set(FIELDS_TAG, FIELDS_FROM);
    let to = (FIELDS_FROM + FIELDS_TAG.length) / WORD_BYTES;
    for (const at of sortedDigests(this.#digests, this.#count)) {
      const from = at / WORD_BYTES;
      for (let i = 0; i < DIGEST_BYTES / WORD_BYTES; i++) words[to + i] = digests[from + i] ?? 0;
      to += DIGEST_BYTES / WORD_BYTES;
    }
    return input.subarray(FIELDS_FROM, end);
  }

  /** Receives digests from the lanes. */
  take(bytes: Uint8Array, from: number, count: number): void {
    const at = this.#place(count);
    this.#digests.set(bytes.subarray(from, from + count * DIGEST_BYTES), at);
  }

  /** d_p = D("field", salt ‖ JCS([p, value])). */
  #leaf(salt: Uint8Array, quotedPointer: string, text: string): void {
    const message = this.#hasher.start().text(FIELD_TAG).bytes(salt, SALT_BYTES);
    message.text('[').text(quotedPointer).text(',').text(text).text(']');
    const at = this.#place();
    if (message.written.length > SHORT_BYTES) this.#digests.set(this.sha256(message.written), at);
    else message.digestInto(this.#digests, at);
  }

  /** Returns the place of the next digests. */
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

  /** Returns a buffer for one message; its previous content is lost. */
  #room(length: number): Uint8Array {
    if (this.#input.length < length) {
      // Whole words.
      this.#input = new Uint8Array(length * 4);
      this.#inputWords = new Int32Array(this.#input.buffer);
    }
    return this.#input;
  }
}
