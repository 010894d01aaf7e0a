import { problem } from '../../errors/problem.js';
import type { RecordDocument } from '../records/document.js';
import type { RecordMedium } from '../records/medium.js';
import type { SegmentRotator } from '../segments/rotator.js';
import type { WormRecord } from '../worm-store.js';
import { RecordCipher } from './content-cipher.js';
import { type ContentKeys, copyName } from './content-keys.js';

/** Ciphers that are kept; a tenant writes into one segment at a time. */
const CIPHERS_KEPT = 1_000;

interface SealedRecordsDeps {
  readonly medium: RecordMedium;
  readonly rotator: SegmentRotator;
  readonly keys: ContentKeys;
  /** Tells whether the catalogue has the segment: one without a key was begun in clear, and stays so. */
  readonly isListed: (segment: string) => Promise<boolean>;
}

/** The name of a segment in the medium, and its cipher; null reads and writes in clear. */
interface OpenSegment {
  readonly name: string;
  readonly cipher: RecordCipher | null;
}

/**
 * Encrypts the records of segments over any driver, each segment under a separate key. Names stay: they are the hashes that
 * the ledger proves. Segments without a key were begun in clear by an earlier version, and are read as they are.
 */
export class SealedRecords implements RecordMedium, SegmentRotator {
  readonly #deps: SealedRecordsDeps;
  readonly #open = new Map<string, OpenSegment>();

  constructor(deps: SealedRecordsDeps) {
    this.#deps = deps;
  }

  /** Makes the key before the segment is listed, so that a listed segment without a key is one in clear. */
  async open(segment: string): Promise<void> {
    if (!(await this.#deps.isListed(segment))) await this.#deps.keys.ensure(segment);
    await this.#deps.rotator.open(segment);
  }

  async seal(segment: string): Promise<void> {
    await this.#deps.rotator.seal((await this.#segment(segment))?.name ?? segment);
  }

  async insert(segment: string, records: readonly WormRecord[]): Promise<void> {
    const own = await this.#segment(segment);
    if (own === null) throw problem('UNAVAILABLE', { internal: `the key of the segment ${segment} is destroyed` });
    const { cipher, name } = own;
    const sealed = cipher === null ? records : records.map((record) => sealedRecord(cipher, record));
    await this.#deps.medium.insert(name, sealed);
  }

  async find(segment: string, sha256s: readonly string[]): Promise<readonly RecordDocument[]> {
    const own = await this.#segment(segment);
    return own === null ? [] : opened(own, await this.#deps.medium.find(own.name, sha256s));
  }

  async present(segment: string, sha256s: readonly string[]): Promise<readonly string[]> {
    const own = await this.#segment(segment);
    return own === null ? [] : this.#deps.medium.present(own.name, sha256s);
  }

  async records(segment: string, after: string | null, limit: number): Promise<readonly RecordDocument[]> {
    const own = await this.#segment(segment);
    return own === null ? [] : opened(own, await this.#deps.medium.records(own.name, after, limit));
  }

  async names(segment: string, after: string | null, limit: number): Promise<readonly string[]> {
    const own = await this.#segment(segment);
    return own === null ? [] : this.#deps.medium.names(own.name, after, limit);
  }

  async *inOrder(segment: string): AsyncGenerator<string> {
    const own = await this.#segment(segment);
    if (own !== null) yield* this.#deps.medium.inOrder(own.name);
  }

  /** Destroys the key first: after a crash, the remains are unreadable. */
  async drop(segment: string): Promise<void> {
    const { keys, medium } = this.#deps;
    const isCopy = (await keys.read(segment))?.isCopy === true;
    this.#open.delete(segment);
    await keys.destroy(segment);
    if (isCopy) await medium.drop(copyName(segment));
    await medium.drop(segment);
    await keys.forget(segment);
  }

  /** @returns null if the key is destroyed */
  async #segment(segment: string): Promise<OpenSegment | null> {
    const kept = this.#open.get(segment);
    if (kept !== undefined) return kept;
    const known = await this.#deps.keys.read(segment);
    if (known !== null && known.key === null) return null;
    const own = {
      name: known?.isCopy === true ? copyName(segment) : segment,
      cipher: known?.key ? new RecordCipher(known.key) : null,
    };
    if (this.#open.size >= CIPHERS_KEPT) this.#open.clear();
    this.#open.set(segment, own);
    return own;
  }
}

export function sealedRecord(cipher: RecordCipher, { sha256, bytes, seed }: WormRecord): WormRecord {
  return { sha256, ...cipher.crypted(sha256, bytes, seed), isSealed: true };
}

const opened = ({ cipher }: OpenSegment, records: readonly RecordDocument[]): readonly RecordDocument[] =>
  cipher === null ? records : records.map(({ _id, bytes, seed }) => ({ _id, ...cipher.crypted(_id, bytes, seed) }));
