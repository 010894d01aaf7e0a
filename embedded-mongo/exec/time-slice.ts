import { MongoError } from '../errors.js';
import type { System } from '../system.js';

/** A read gives the event loop back after this time; writers and other readers take their turn. */
const sliceMs = 10;

/** Watches the clock for one command: when to let others run, and when its own `maxTimeMS` is over. */
export class TimeSlice {
  private sliceEnd: number;
  private deadline: number;

  constructor(
    private readonly system: Pick<System, 'monotonicMs'>,
    maxTimeMs: number,
  ) {
    const now = system.monotonicMs();
    this.sliceEnd = now + sliceMs;
    this.deadline = maxTimeMs > 0 ? now + maxTimeMs : Number.POSITIVE_INFINITY;
  }

  /** Call at every `again`; `pause` closes what must not stay open across event turns. */
  async breathe(pause: () => void): Promise<void> {
    if (!this.isOver()) return;
    pause();
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.sliceEnd = this.system.monotonicMs() + sliceMs;
  }

  /** The command is answered; what goes on in its cursor has no such limit. */
  liftDeadline(): void {
    this.deadline = Number.POSITIVE_INFINITY;
  }

  /** Whether the slice is used up; throws when the command's whole time is. */
  isOver(): boolean {
    const now = this.system.monotonicMs();
    if (now > this.deadline) throw new MongoError('MaxTimeMSExpired', 'operation exceeded time limit');
    return now > this.sliceEnd;
  }
}
