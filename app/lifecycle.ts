import type { Server } from 'node:http';
import { type LameDuck, lameDuckOf } from '../shared/http/lame-duck.js';
import type { Closing } from './closing.js';

export interface StopOptions {
  /**
   * Longest wait for clients to close their connections; each answer carries `Connection: close`. 0 cuts idle connections
   * at once, for a caller that has the only client.
   */
  readonly drainMs: number;
}

/** Whether this process may be sent work, and the way out of it. */
export class Lifecycle {
  readonly #closing: Closing;
  readonly #ducks: LameDuck[] = [];
  #stopping: Promise<void> | undefined;
  #started = false;

  constructor(closing: Closing) {
    this.#closing = closing;
  }

  /** True from the end of the start to the beginning of the stop. */
  get takesWork(): boolean {
    return this.#started && this.#stopping === undefined;
  }

  /** The start is complete. */
  started(): void {
    this.#started = true;
  }

  /** Adds a server: its connections drain before it closes. */
  watch(server: Server): void {
    this.#ducks.push(lameDuckOf(server));
  }

  /** Readiness turns 503; then connections are drained; then everything is closed in the reverse order of its making. */
  stop({ drainMs }: StopOptions): Promise<void> {
    this.#stopping ??= this.#run(drainMs);
    return this.#stopping;
  }

  async #run(drainMs: number): Promise<void> {
    if (drainMs > 0) await Promise.all(this.#ducks.map((duck) => duck.drain(drainMs)));
    await this.#closing.run();
  }
}
