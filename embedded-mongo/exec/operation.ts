import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type ErrorName, fail, MongoError } from '../errors.js';
import type { System } from '../server/system.js';

/** A running command and its limits; long work checks it at bounded intervals. */
export class Operation {
  #killedBy: ErrorName | undefined;
  #deadlineMs = Number.POSITIVE_INFINITY;

  constructor(
    readonly id: number,
    readonly command: string,
    readonly namespace: string,
    readonly connectionId: number,
    readonly startedMs: number,
    /** Aborts when no client waits for the answer any more. */
    readonly gone: AbortSignal,
  ) {}

  get killed(): boolean {
    return this.#killedBy !== undefined;
  }

  /** The error that ends the command at the next clock check. */
  kill(reason: ErrorName): void {
    this.#killedBy ??= reason;
  }

  /** The command's `maxTimeMS`, counted from its arrival; 0 is no limit. */
  limit(maxTimeMs: number): void {
    if (maxTimeMs > 0) this.#deadlineMs = this.startedMs + maxTimeMs;
  }

  /** Time left of the limit in milliseconds; infinite without one. */
  remainingMs(nowMs: number): number {
    return this.#deadlineMs - nowMs;
  }

  /** The reason to stop now, if any. */
  failure(nowMs: number): MongoError | undefined {
    if (this.#killedBy)
      return new MongoError(this.#killedBy, KILL_TEXTS[this.#killedBy] ?? 'operation was interrupted');
    if (nowMs > this.#deadlineMs) return new MongoError('MaxTimeMSExpired', 'operation exceeded time limit');
    return undefined;
  }
}

const SHUTDOWN_TEXT = 'the server is shutting down';
const KILL_TEXTS: Partial<Record<ErrorName, string>> = {
  CursorKilled: 'the cursor was killed while it was read',
  ShutdownInProgress: SHUTDOWN_TEXT,
};

/** The running commands, for currentOp and killOp. */
export class OperationRegistry {
  readonly #running = new Map<number, Operation>();
  #nextId = 1;
  #lastEnded: (() => void) | undefined;
  #closed = false;
  readonly #system: Pick<System, 'monotonicMs'>;

  constructor(system: Pick<System, 'monotonicMs'>) {
    this.#system = system;
  }

  begin(command: string, namespace: string, client: { readonly id: number; readonly gone: AbortSignal }): Operation {
    if (this.#closed) fail('ShutdownInProgress', SHUTDOWN_TEXT);
    const startedMs = this.#system.monotonicMs();
    const operation = new Operation(this.#nextId++, command, namespace, client.id, startedMs, client.gone);
    this.#running.set(operation.id, operation);
    return operation;
  }

  end(operation: Operation): void {
    this.#running.delete(operation.id);
    if (this.#running.size === 0) this.#lastEnded?.();
  }

  /** Rejects new commands, ends the running ones at their next pause and resolves when the last has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const operation of this.#running.values()) operation.kill('ShutdownInProgress');
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#lastEnded = resolve;
    });
  }

  all(): Operation[] {
    return [...this.#running.values()];
  }

  kill(id: number): void {
    this.#running.get(id)?.kill('Interrupted');
  }
}

/** A read yields the event loop after this time. */
const SLICE_MS = 10;

/** Watches the clock for one command: when to yield, and when to stop (`maxTimeMS`, killOp). */
export class TimeSlice {
  #sliceEnd: number;
  readonly #system: Pick<System, 'monotonicMs'>;
  #operation: Operation | undefined;

  constructor(system: Pick<System, 'monotonicMs'>, operation: Operation | undefined) {
    this.#system = system;
    this.#operation = operation;
    this.#sliceEnd = system.monotonicMs() + SLICE_MS;
  }

  /** Call at every `again`; `pause` closes readers that must not stay open across event turns. */
  async breathe(pause: () => void): Promise<void> {
    if (!this.isOver()) return;
    pause();
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#sliceEnd = this.#system.monotonicMs() + SLICE_MS;
  }

  /** A pipeline keeps its slice over all batches of its cursor; each getMore is a separate operation. */
  follow(operation: Operation): void {
    this.#operation = operation;
    this.#sliceEnd = this.#system.monotonicMs() + SLICE_MS;
  }

  /** Time left of the operation's limit in milliseconds; infinite without one. */
  remainingMs(): number {
    return this.#operation?.remainingMs(this.#system.monotonicMs()) ?? Number.POSITIVE_INFINITY;
  }

  /** Stops the current operation, because its cursor was killed. */
  kill(): void {
    this.#operation?.kill('CursorKilled');
  }

  /** Whether the slice is used up; throws when the command must stop. */
  isOver(): boolean {
    const now = this.#system.monotonicMs();
    const failure = this.#operation?.failure(now);
    if (failure) throw failure;
    if (this.#operation?.gone.aborted) fail('ClientDisconnect', 'the client is gone');
    return now > this.#sliceEnd;
  }
}

/** How often the monitor's timer fires; a stall shows as the time beyond that. */
const RESOLUTION_MS = 10;

interface LoopDelay {
  /** The longest stall. */
  readonly maxStallMs: number;
  readonly p99StallMs: number;
  readonly meanStallMs: number;
  readonly samples: number;
}

/** Measures how long the event loop is blocked: every client waits as long. */
export class LoopMonitor {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  start(): void {
    this.#histogram.enable();
  }

  stop(): void {
    this.#histogram.disable();
  }

  reset(): void {
    this.#histogram.reset();
  }

  /** Since the start or the last reset. */
  read(): LoopDelay {
    const histogram = this.#histogram;
    if (histogram.count === 0) return { maxStallMs: 0, p99StallMs: 0, meanStallMs: 0, samples: 0 };
    return {
      maxStallMs: stallMs(histogram.max),
      p99StallMs: stallMs(histogram.percentile(99)),
      meanStallMs: stallMs(histogram.mean),
      samples: histogram.count,
    };
  }
}

/** The histogram holds whole intervals, in nanoseconds. */
function stallMs(intervalNs: number): number {
  return Math.max(0, Math.round(intervalNs / 10_000) / 100 - RESOLUTION_MS);
}
