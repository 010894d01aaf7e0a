import { MongoError } from '../errors.js';
import type { System } from '../system.js';
import type { Operation } from './operation.js';

/** A read gives the event loop back after this time; writers and other readers take their turn. */
const sliceMs = 10;

/** Watches the clock for one command: when to let others run, and when it must stop (`maxTimeMS`, killOp). */
export class TimeSlice {
  private sliceEnd: number;

  constructor(
    private readonly system: Pick<System, 'monotonicMs'>,
    private operation: Operation | undefined,
  ) {
    this.sliceEnd = system.monotonicMs() + sliceMs;
  }

  /** Call at every `again`; `pause` closes what must not stay open across event turns. */
  async breathe(pause: () => void): Promise<void> {
    if (!this.isOver()) return;
    pause();
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.sliceEnd = this.system.monotonicMs() + sliceMs;
  }

  /** Pipelines keep their slice over all batches of their cursor; each getMore is an operation of its own. */
  follow(operation: Operation): void {
    this.operation = operation;
    this.sliceEnd = this.system.monotonicMs() + sliceMs;
  }

  /** What is left of the operation's time limit; infinite without one. */
  remainingMs(): number {
    return this.operation?.remainingMs(this.system.monotonicMs()) ?? Number.POSITIVE_INFINITY;
  }

  /** Ends the operation under way: its cursor was killed. */
  kill(): void {
    this.operation?.kill('CursorKilled');
  }

  /** Whether the slice is used up; throws when the command must stop. */
  isOver(): boolean {
    const now = this.system.monotonicMs();
    const failure = this.operation?.failure(now);
    if (failure) throw failure;
    if (this.operation?.gone.aborted) throw new MongoError('ClientDisconnect', 'the client is gone');
    return now > this.sliceEnd;
  }
}
