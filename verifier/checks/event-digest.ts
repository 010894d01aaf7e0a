import type { EventItem } from '../manifest/manifest-text.js';
import type { RunningHash } from '../platform.js';
import { ByteHeap } from '../text/byte-heap.js';
import { HASH_LENGTH, quoted, utf8 } from '../text/bytes.js';
import type { PlainEvent } from './plain-event.js';

const PIECE_BYTES = 2 ** 16;

const SEPARATOR = utf8(',');
const EVENT_ID = utf8('{"event_id":"');
const SHA256 = utf8('","sha256":"');
const INCLUDED = utf8('","state":"INCLUDED"}');

/** Feeds the events into the content digest (evidence.md section 5), chunk by chunk. */
export class EventDigest {
  readonly #waiting = new ByteHeap(2 * PIECE_BYTES);
  #isFirst = true;

  constructor(private readonly digest: RunningHash) {}

  add({ event_id, sha256, state }: EventItem): void {
    this.#begin();
    this.#waiting.put(utf8(`{"event_id":${quoted(event_id)},"sha256":"${sha256}","state":"${state}"}`));
  }

  addPlain({ ledger, row, manifest, hashAt }: PlainEvent): void {
    const waiting = this.#waiting;
    this.#begin();
    waiting.put(EVENT_ID);
    waiting.put(ledger, row.start, row.idEnd);
    waiting.put(SHA256);
    waiting.put(manifest, hashAt, hashAt + HASH_LENGTH);
    waiting.put(INCLUDED);
  }

  end(): void {
    this.digest.update(this.#waiting.bytes);
    this.#waiting.clear();
  }

  #begin(): void {
    if (this.#waiting.length > PIECE_BYTES) this.end();
    if (!this.#isFirst) this.#waiting.put(SEPARATOR);
    this.#isFirst = false;
  }
}
