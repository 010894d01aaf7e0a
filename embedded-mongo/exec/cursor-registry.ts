import type { Collection } from '../catalog/collection.js';
import { fail } from '../errors.js';
import type { System } from '../server/system.js';
import type { DocumentStream } from './document-stream.js';
import type { Operation, TimeSlice } from './operation.js';

/** Idle cursors are closed after this time, as MongoDB does (`cursorTimeoutMillis`). */
const CURSOR_IDLE_MS = 600_000;

export interface Tail {
  readonly awaitData: boolean;
  /** Resolves when new documents may exist. */
  wait(timeoutMs: number, gone: AbortSignal): Promise<void>;
}

export interface Cursor {
  readonly id: bigint;
  readonly namespace: string;
  readonly stream: DocumentStream;
  readonly tail: Tail | undefined;
  readonly noTimeout: boolean;
  /** The clock of its stream, which follows the operation that reads from it. */
  readonly slice: TimeSlice;
  /** The remaining `maxTimeMS` of the opening command, shared by all batches. */
  leftMs: number;
  /** A document read ahead to find out whether one exists; it starts the next batch. */
  pending: Buffer | undefined;
  /** Bytes of the last batch, as an estimate for the next. */
  batchBytes: number;
  usedAtMs: number;
  busy: boolean;
  killed: boolean;
}

type CursorInput = Pick<Cursor, 'namespace' | 'stream' | 'tail' | 'noTimeout' | 'slice' | 'pending' | 'batchBytes'>;

/** Open cursors by id. Ids are random, so that one client cannot guess another's. */
export class CursorRegistry {
  readonly #cursors = new Map<bigint, Cursor>();
  readonly #system: System;

  constructor(system: System) {
    this.#system = system;
  }

  get size(): number {
    return this.#cursors.size;
  }

  add(input: CursorInput): Cursor {
    const cursor: Cursor = {
      ...input,
      id: this.#newId(),
      leftMs: input.slice.remainingMs(),
      usedAtMs: this.#system.monotonicMs(),
      busy: false,
      killed: false,
    };
    this.#cursors.set(cursor.id, cursor);
    return cursor;
  }

  /** Acquires a cursor for one getMore; end with `release`. */
  acquire(id: bigint, namespace: string): Cursor {
    const cursor = this.#cursors.get(id);
    if (!cursor) fail('CursorNotFound', `cursor id ${id} not found`);
    if (cursor.namespace !== namespace)
      fail(
        'Unauthorized',
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace`,
      );
    if (cursor.busy) fail('CursorInUse', `cursor id ${id} is already in use`);
    cursor.busy = true;
    return cursor;
  }

  /** Continues the stream under a getMore, within the cursor's remaining time. */
  follow(cursor: Cursor, operation: Operation): void {
    if (Number.isFinite(cursor.leftMs)) operation.limit(Math.max(cursor.leftMs, Number.MIN_VALUE));
    cursor.slice.follow(operation);
  }

  release(cursor: Cursor, alive: boolean): void {
    cursor.busy = false;
    cursor.leftMs = Math.min(cursor.leftMs, cursor.slice.remainingMs());
    cursor.usedAtMs = this.#system.monotonicMs();
    cursor.stream.suspend();
    if (!alive || cursor.killed) this.#remove(cursor);
  }

  kill(id: bigint, namespace: string): boolean {
    const cursor = this.#cursors.get(id);
    if (!cursor || cursor.namespace !== namespace) return false;
    cursor.killed = true;
    if (cursor.busy) cursor.slice.kill();
    else this.#remove(cursor);
    return true;
  }

  closeIdle(): void {
    const before = this.#system.monotonicMs() - CURSOR_IDLE_MS;
    for (const cursor of this.#cursors.values()) {
      if (!cursor.busy && !cursor.noTimeout && cursor.usedAtMs < before) this.#remove(cursor);
    }
  }

  closeAll(): void {
    for (const cursor of this.#cursors.values()) this.#remove(cursor);
  }

  #remove(cursor: Cursor): void {
    this.#cursors.delete(cursor.id);
    cursor.stream.close();
  }

  #newId(): bigint {
    for (;;) {
      const id = this.#system.randomBytes(8).readBigUInt64LE(0) >> 1n;
      if (id !== 0n && !this.#cursors.has(id)) return id;
    }
  }
}

/** Wakes tailable cursors after a durable write to their collection. */
export class InsertSignal {
  readonly #waiters = new Map<Collection, Set<() => void>>();

  notify(collections: Iterable<Collection>): void {
    for (const collection of collections) for (const wake of this.#waiters.get(collection) ?? []) wake();
  }

  /** Resolves at the next write, after `timeoutMs`, or when `gone` aborts. */
  wait(collection: Collection, timeoutMs: number, gone: AbortSignal): Promise<void> {
    return new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', finish);
        const waiters = this.#waiters.get(collection);
        waiters?.delete(finish);
        if (waiters?.size === 0) this.#waiters.delete(collection);
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      gone.addEventListener('abort', finish);
      if (gone.aborted) return finish();
      const waiters = this.#waiters.get(collection) ?? new Set();
      waiters.add(finish);
      this.#waiters.set(collection, waiters);
    });
  }
}
