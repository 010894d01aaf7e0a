import { WritesInFlight } from '../blobs/in-flight.js';
import type { DriverUpload } from '../blobs/medium.js';
import type { Bucket, LargeUpload } from './bucket.js';

/** Blocks of one part; S3 takes parts from 5 MiB on, and 10,000 of them. */
const BLOCKS_A_PART = 8;
/** Parts of one upload that are stored at the same time; bounds the memory of an upload. */
const PARTS_IN_FLIGHT = 2;

/** Uploads one content in parts, or with one request if it is short. */
export class ObjectUpload implements DriverUpload {
  readonly #bucket: Bucket;
  readonly #name: string;
  readonly #parts = new WritesInFlight(PARTS_IN_FLIGHT);
  #blocks: Buffer[] = [];
  /** Parts are begun in order, each after the one before has found room. */
  #turn: Promise<void> = Promise.resolve();
  #begun = 0;
  #large: Promise<LargeUpload> | null = null;
  #isStored = false;

  constructor(bucket: Bucket, name: string) {
    this.#bucket = bucket;
    this.#name = name;
  }

  async block(_n: number, data: Buffer): Promise<void> {
    this.#blocks.push(data);
    if (this.#blocks.length === BLOCKS_A_PART) this.#endPart();
    await this.#turn;
  }

  async end(sizeBytes: number): Promise<void> {
    if (this.#begun === 0) {
      const bytes = Buffer.concat(this.#blocks);
      if (bytes.length !== sizeBytes) throw new Error('an upload is not as long as its content');
      await this.#bucket.put(this.#name, bytes);
    } else {
      if (this.#blocks.length > 0) this.#endPart();
      await this.#turn;
      await this.#parts.done();
      await (await this.#ownLarge()).complete();
    }
    this.#isStored = true;
  }

  async release(): Promise<void> {
    await this.#parts.settled();
    if (this.#isStored || this.#large === null) return;
    // A rule of the bucket discards what an abort that fails leaves.
    await this.#large.then((large) => large.abort()).catch(() => undefined);
  }

  #endPart(): void {
    const blocks = this.#blocks.splice(0);
    const number = ++this.#begun;
    this.#turn = this.#turn.then(() =>
      this.#parts.add(async () => {
        await (await this.#ownLarge()).part(number, Buffer.concat(blocks));
      }),
    );
    // The block that waits for its turn gets the failure, and so does `end`.
    this.#turn.catch(() => undefined);
  }

  #ownLarge(): Promise<LargeUpload> {
    this.#large ??= this.#bucket.begin(this.#name);
    return this.#large;
  }
}
