import { MongoError } from '../errors.js';
import type { System } from '../system.js';
import type { DocumentStream } from './document-stream.js';
import type { Operation } from './operation.js';
import type { TimeSlice } from './time-slice.js';

/** Idle cursors are closed after this time, as MongoDB does (`cursorTimeoutMillis`). */
export const cursorIdleMs = 600_000;

export interface Tail {
  readonly awaitData: boolean;
  /** Resolves when there may be more. */
  wait(timeoutMs: number, gone: AbortSignal): Promise<void>;
}

export interface Cursor {
  readonly id: bigint;
  readonly namespace: string;
  readonly stream: DocumentStream;
  readonly tail: Tail | undefined;
  readonly noTimeout: boolean;
  /** The clock its stream looks at; it follows the operation that reads from it. */
  readonly slice: TimeSlice;
  /** What is left of the `maxTimeMS` of the command that opened it, which all its batches share. */
  leftMs: number;
  /** A document taken ahead to know whether there is one: it begins the next batch. */
  pending: Buffer | undefined;
  /** Bytes of the last batch: what to expect of the next. */
  batchBytes: number;
  usedAtMs: number;
  busy: boolean;
  killed: boolean;
}

export type CursorInput = Pick<
  Cursor,
  'namespace' | 'stream' | 'tail' | 'noTimeout' | 'slice' | 'pending' | 'batchBytes'
>;

/** Open cursors by id. Ids are random, so that one client cannot guess another's. */
export class CursorRegistry {
  private readonly cursors = new Map<bigint, Cursor>();

  constructor(private readonly system: System) {}

  get size(): number {
    return this.cursors.size;
  }

  add(input: CursorInput): Cursor {
    const cursor: Cursor = {
      ...input,
      id: this.newId(),
      leftMs: input.slice.remainingMs(),
      usedAtMs: this.system.monotonicMs(),
      busy: false,
      killed: false,
    };
    this.cursors.set(cursor.id, cursor);
    return cursor;
  }

  /** Takes a cursor for one getMore; give it back with `release`. */
  acquire(id: bigint, namespace: string): Cursor {
    const cursor = this.cursors.get(id);
    if (!cursor) throw new MongoError('CursorNotFound', `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw new MongoError(
        'Unauthorized',
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace`,
      );
    }
    if (cursor.busy) throw new MongoError('CursorInUse', `cursor id ${id} is already in use`);
    cursor.busy = true;
    return cursor;
  }

  /** Lets the stream go on under a getMore, within what the cursor's own time limit has left. */
  follow(cursor: Cursor, operation: Operation): void {
    if (Number.isFinite(cursor.leftMs)) operation.limit(Math.max(cursor.leftMs, Number.MIN_VALUE));
    cursor.slice.follow(operation);
  }

  release(cursor: Cursor, alive: boolean): void {
    cursor.busy = false;
    cursor.leftMs = Math.min(cursor.leftMs, cursor.slice.remainingMs());
    cursor.usedAtMs = this.system.monotonicMs();
    cursor.stream.suspend();
    if (!alive || cursor.killed) this.remove(cursor);
  }

  kill(id: bigint, namespace: string): boolean {
    const cursor = this.cursors.get(id);
    if (!cursor || cursor.namespace !== namespace) return false;
    cursor.killed = true;
    if (cursor.busy) cursor.slice.kill();
    else this.remove(cursor);
    return true;
  }

  closeIdle(): void {
    const before = this.system.monotonicMs() - cursorIdleMs;
    for (const cursor of this.cursors.values()) {
      if (!cursor.busy && !cursor.noTimeout && cursor.usedAtMs < before) this.remove(cursor);
    }
  }

  closeAll(): void {
    for (const cursor of this.cursors.values()) this.remove(cursor);
  }

  private remove(cursor: Cursor): void {
    this.cursors.delete(cursor.id);
    cursor.stream.close();
  }

  private newId(): bigint {
    for (;;) {
      const id = this.system.randomBytes(8).readBigUInt64LE(0) >> 1n;
      if (id !== 0n && !this.cursors.has(id)) return id;
    }
  }
}
