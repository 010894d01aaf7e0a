import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextTurn } from '../../../shared/clock/timers.js';
import { MapRootBuilder } from '../../../shared/state-map/build-root.js';
import { u64be } from '../../../shared/state-map/hashes.js';
import type { MapEntry } from '../../../shared/state-map/update.js';
import { newItem } from './domain/map-item.js';
import { type FoldedEntry, type MapOp, mapOpsOf } from './domain/map-ops.js';

// Folds a whole ledger without the stored map. The changes of all entries go to files by the first byte of their key; each
// file is sorted alone. Memory is one file and one path of the map, whatever the number of entries.

const FILES = 256;
/** Bytes that wait for one file. */
const BUFFER_BYTES = 32 * 1024;
const KINDS: readonly MapOp['kind'][] = ['STATE', 'LOG', 'ADD', 'REMOVE'];
/** Key, number of the change, kind, length of the content. */
const HEAD_BYTES = 32 + 8 + 1 + 2;

/** Collects the changes of entries, which must come in the order of the tree. */
export class LedgerFold {
  readonly #folder: string;
  readonly #files: FileHandle[] = [];
  readonly #waiting: Buffer[][] = Array.from({ length: FILES }, () => []);
  readonly #bytes = new Uint32Array(FILES);
  #changes = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param parent folder for the temporary files. */
  static async open(parent = tmpdir()): Promise<LedgerFold> {
    const fold = new LedgerFold(await mkdtemp(join(parent, 'eas-fold-')));
    for (let i = 0; i < FILES; i++) fold.#files.push(await open(fold.#path(i), 'w', 0o600));
    return fold;
  }

  async add(entry: FoldedEntry): Promise<void> {
    for (const op of mapOpsOf(entry)) {
      const file = op.key[0] ?? 0;
      const bytes = encoded(op, this.#changes++);
      this.#waiting[file]?.push(bytes);
      this.#bytes[file] = (this.#bytes[file] ?? 0) + bytes.length;
      if ((this.#bytes[file] ?? 0) >= BUFFER_BYTES) await this.#flush(file);
    }
  }

  get changes(): number {
    return this.#changes;
  }

  async root(): Promise<Buffer> {
    const builder = new MapRootBuilder();
    for await (const { key, value } of this.entries()) builder.add(key, value);
    return builder.root();
  }

  /** All keys in ascending order with their last value. May be read again. */
  async *entries(): AsyncGenerator<MapEntry> {
    for (let file = 0; file < FILES; file++) {
      await this.#flush(file);
      yield* lastValues(await this.#read(file));
      await nextTurn();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.close()));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #flush(file: number): Promise<void> {
    const bytes = Buffer.concat(this.#waiting[file] ?? []);
    this.#waiting[file] = [];
    this.#bytes[file] = 0;
    if (bytes.length > 0) await this.#files[file]?.appendFile(bytes);
  }

  async #read(file: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of createReadStream(this.#path(file))) parts.push(part);
    return Buffer.concat(parts);
  }

  #path(file: number): string {
    return join(this.#folder, String(file));
  }
}

function encoded(op: MapOp, number: number): Buffer {
  const content = contentOf(op);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length);
  return Buffer.concat([op.key, u64be(number), Buffer.of(KINDS.indexOf(op.kind)), length, content]);
}

function contentOf(op: MapOp): Buffer {
  if (op.kind === 'STATE') return op.value;
  return op.kind === 'LOG' ? Buffer.concat([op.leaf, u64be(op.cause)]) : Buffer.from(op.id);
}

function decoded(bytes: Buffer): MapOp {
  const content = bytes.subarray(HEAD_BYTES);
  const key = bytes.subarray(0, 32);
  const kind = KINDS[bytes[40] ?? 0] ?? 'STATE';
  if (kind === 'STATE') return { kind, key, name: null, value: content };
  if (kind === 'LOG') {
    return { kind, key, name: null, leaf: content.subarray(0, 32), cause: Number(content.readBigUInt64BE(32)) };
  }
  return { kind, key, name: null, id: content.toString('utf8') };
}

/** The last value of each key of one file, sorted. */
function* lastValues(bytes: Buffer): Generator<MapEntry> {
  const changes: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + HEAD_BYTES + bytes.readUInt16BE(at + HEAD_BYTES - 2);
    changes.push(bytes.subarray(at, end));
    at = end;
  }
  // The number after the key keeps the order of the changes.
  changes.sort((a, b) => a.compare(b, 0, 40, 0, 40));
  for (let at = 0; at < changes.length; ) {
    const key = changes[at]?.subarray(0, 32) ?? Buffer.alloc(0);
    let end = at;
    while (changes[end]?.subarray(0, 32).equals(key)) end++;
    yield { key, value: lastValueOf(changes.slice(at, end).map(decoded)) };
    at = end;
  }
}

function lastValueOf(ops: readonly MapOp[]): Buffer {
  const last = ops.at(-1);
  if (last === undefined) throw new RangeError('a key without a change');
  if (last.kind === 'STATE') return last.value;
  const item = newItem(last);
  for (const op of ops) item.apply(op);
  return item.value();
}
