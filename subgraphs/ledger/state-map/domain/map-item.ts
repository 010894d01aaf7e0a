import { CompactRange } from '../../../../shared/merkle/compact-range.js';
import { HASH_BYTES, leafHash } from '../../../../shared/merkle/hashes.js';
import { coverOf } from '../../../../shared/merkle/places.js';
import { logValue, u64be } from '../../../../shared/state-map/hashes.js';
import { MapDamaged } from '../../../../shared/state-map/node.js';
import type { MapOp } from './map-ops.js';

// The state behind the value of a log or a list: what the next change needs.

/** Causes of a log that one stored chunk holds. */
export const CHUNK_LEAVES = 256;
const CAUSE_BYTES = 8;
const LOG = 1;
const LIST = 2;

/** A full chunk of the causes of a log, 8 bytes each. */
export interface LogChunk {
  readonly number: number;
  readonly causes: Buffer;
}

/** The state of one key. */
export interface MapItem {
  /** @returns a chunk that the operation has filled. @throws MapDamaged for an operation of another kind of key. */
  apply(op: MapOp): LogChunk | null;
  value(): Buffer;
  encode(): Buffer;
}

/** @throws MapDamaged for bytes that `encode` does not write. */
export function decodeItem(bytes: Buffer): MapItem {
  try {
    if (bytes[0] === LOG) return LogItem.decode(bytes);
    if (bytes[0] === LIST) return ListItem.decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new MapDamaged('the row of a list or log has an invalid form', { cause: error });
  }
  throw new MapDamaged('the row of a list or log has an unknown form');
}

/** The empty state of the key that an operation changes. */
export const newItem = ({ kind }: MapOp): MapItem =>
  kind === 'LOG' ? new LogItem(new CompactRange(), []) : new ListItem(new Set());

/** An append-only log: the right edge of its tree, and the causes of its last, unfinished chunk. */
export class LogItem implements MapItem {
  readonly #range: CompactRange;
  #tail: Buffer[];

  constructor(range: CompactRange, tail: readonly Buffer[]) {
    this.#range = range;
    this.#tail = [...tail];
  }

  static decode(bytes: Buffer): LogItem {
    const count = Number(bytes.readBigUInt64BE(1));
    const hashes = coverOf(0, count).length;
    const tailAt = 1 + CAUSE_BYTES + hashes * HASH_BYTES;
    const tail = bytes.subarray(tailAt);
    if (tail.length !== (count % CHUNK_LEAVES) * CAUSE_BYTES) throw new RangeError('a log has another tail');
    const range = new CompactRange(count, parts(bytes.subarray(1 + CAUSE_BYTES, tailAt), HASH_BYTES));
    return new LogItem(range, parts(tail, CAUSE_BYTES));
  }

  get count(): number {
    return this.#range.size;
  }

  /** Causes after the last full chunk. */
  get tail(): readonly number[] {
    return this.#tail.map((cause) => Number(cause.readBigUInt64BE()));
  }

  apply(op: MapOp): LogChunk | null {
    if (op.kind !== 'LOG') throw new MapDamaged('a log and a list share a key');
    this.#range.append(op.leaf);
    this.#tail.push(u64be(op.cause));
    if (this.#tail.length < CHUNK_LEAVES) return null;
    const causes = Buffer.concat(this.#tail);
    this.#tail = [];
    return { number: this.#range.size / CHUNK_LEAVES - 1, causes };
  }

  value(): Buffer {
    return logValue(this.#range.size, this.#range.root());
  }

  encode(): Buffer {
    return Buffer.concat([Buffer.of(LOG), u64be(this.#range.size), ...this.#range.hashes, ...this.#tail]);
  }
}

/** A list of identifiers. */
class ListItem implements MapItem {
  readonly #ids: Set<string>;

  constructor(ids: Set<string>) {
    this.#ids = ids;
  }

  static decode(bytes: Buffer): ListItem {
    const text = bytes.toString('utf8', 1);
    return new ListItem(new Set(text === '' ? [] : text.split('\n')));
  }

  apply(op: MapOp): null {
    if (op.kind === 'ADD') this.#ids.add(op.id);
    else if (op.kind === 'REMOVE') this.#ids.delete(op.id);
    else throw new MapDamaged('a log and a list share a key');
    return null;
  }

  value(): Buffer {
    const range = new CompactRange();
    for (const id of this.#sorted()) range.append(leafHash(id));
    return logValue(range.size, range.root());
  }

  encode(): Buffer {
    return Buffer.concat([Buffer.of(LIST), Buffer.from(this.#sorted().map(String).join('\n'))]);
  }

  /** Sorted as bytes. */
  #sorted(): readonly Buffer[] {
    return [...this.#ids].map((id) => Buffer.from(id)).sort(Buffer.compare);
  }
}

const parts = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
