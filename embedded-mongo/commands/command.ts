import type { Catalog } from '../catalog/catalog.js';
import type { CursorRegistry } from '../exec/cursor-registry.js';
import type { InsertSignal } from '../exec/insert-signal.js';
import type { LoopMonitor } from '../exec/loop-monitor.js';
import type { Operation, OperationRegistry } from '../exec/operation.js';
import type { DocumentStore } from '../store/document-store.js';
import type { Environment } from '../store/environment.js';
import type { System } from '../system.js';
import type { WriteQueue } from '../txn/write-queue.js';
import type { ClientConnection } from '../wire/connection.js';
import type { ReplyBody } from '../wire/reply.js';
import type { CommandRequest } from '../wire/request.js';
import type { FailPoint } from './fail-point.js';

/** Everything a command may work with. */
export interface ServerContext {
  readonly system: System;
  readonly env: Environment;
  readonly catalog: Catalog;
  readonly store: DocumentStore;
  readonly writes: WriteQueue;
  readonly cursors: CursorRegistry;
  readonly inserted: InsertSignal;
  readonly operations: OperationRegistry;
  readonly loop: LoopMonitor;
  readonly startedAtMs: number;
  /** Makes the salts that unknown user names are answered with. */
  readonly nameSecret: Buffer;
  readonly openConnections: () => number;
  /** Whether it listens on TCP too, where clients must log in. */
  readonly tcp: boolean;
  /** On servers started for tests of clients. */
  readonly failPoint: FailPoint | undefined;
  /** Lets work go on without anybody waiting for it; its failure is reported. */
  readonly inBackground: (work: Promise<void>) => void;
}

export interface CommandCall {
  readonly context: ServerContext;
  readonly request: CommandRequest;
  readonly client: ClientConnection;
  readonly operation: Operation;
  /** The namespace a cursor is shown under, where that is not the one it reads: views. */
  readonly shownAs?: string;
}

export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /**
   * Top-level arguments it honours; any other is an error, for an option ignored is a promise broken. `any` for hello
   * alone, whose arguments only say what the client could do.
   */
  readonly options: readonly string[] | 'any';
  /** May be run by a client that has not proved yet who it is. */
  readonly beforeAuthentication?: true;
  run(call: CommandCall): Promise<ReplyBody> | ReplyBody;
}
