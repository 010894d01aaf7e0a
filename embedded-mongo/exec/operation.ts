import { type ErrorName, MongoError } from '../errors.js';
import type { System } from '../system.js';

/** What a running command is and when it must stop; everything that may take long asks it at bounded intervals. */
export class Operation {
  private killedBy: ErrorName | undefined;
  private deadlineMs = Number.POSITIVE_INFINITY;

  constructor(
    readonly id: number,
    readonly command: string,
    readonly namespace: string,
    readonly connectionId: number,
    readonly startedMs: number,
    /** Aborts when nobody waits for the answer any more. */
    readonly gone: AbortSignal,
  ) {}

  get killed(): boolean {
    return this.killedBy !== undefined;
  }

  /** The next look at the clock ends the command with this error. */
  kill(reason: ErrorName): void {
    this.killedBy ??= reason;
  }

  /** The command's `maxTimeMS`, counted from its arrival; 0 is no limit. */
  limit(maxTimeMs: number): void {
    if (maxTimeMs > 0) this.deadlineMs = this.startedMs + maxTimeMs;
  }

  /** Time left of the limit; infinite without one. */
  remainingMs(nowMs: number): number {
    return this.deadlineMs - nowMs;
  }

  /** Why the command must stop now, if it must. */
  failure(nowMs: number): MongoError | undefined {
    if (this.killedBy) return new MongoError(this.killedBy, killTexts[this.killedBy] ?? 'operation was interrupted');
    if (nowMs > this.deadlineMs) return new MongoError('MaxTimeMSExpired', 'operation exceeded time limit');
    return undefined;
  }
}

const killTexts: Partial<Record<ErrorName, string>> = {
  CursorKilled: 'the cursor was killed while it was read',
  ShutdownInProgress: 'the server is shutting down',
};

/** The commands under way, for currentOp and killOp. */
export class OperationRegistry {
  private readonly running = new Map<number, Operation>();
  private nextId = 1;

  constructor(private readonly system: Pick<System, 'monotonicMs'>) {}

  begin(command: string, namespace: string, client: { readonly id: number; readonly gone: AbortSignal }): Operation {
    const startedMs = this.system.monotonicMs();
    const operation = new Operation(this.nextId++, command, namespace, client.id, startedMs, client.gone);
    this.running.set(operation.id, operation);
    return operation;
  }

  end(operation: Operation): void {
    this.running.delete(operation.id);
  }

  all(): Operation[] {
    return [...this.running.values()];
  }

  kill(id: number): void {
    this.running.get(id)?.kill('Interrupted');
  }
}
