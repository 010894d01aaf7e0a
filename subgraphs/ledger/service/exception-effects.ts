import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { ExceptionWrite } from './ports/exception-store.js';

/** Performs what exceptions leave behind: at once for a step that somebody waits for, in turn behind the answer otherwise. */
export class ExceptionEffects {
  readonly #outbox: EffectRelay;
  readonly #collection: string;
  #behind: Promise<void> = Promise.resolve();

  constructor(outbox: EffectRelay, collection: string) {
    this.#outbox = outbox;
    this.#collection = collection;
  }

  /** Never fails: what cannot be performed now is found by the sweep. */
  now({ exception, pending }: ExceptionWrite): Promise<void> {
    return this.#outbox.relay(this.#collection, exception.exception_id, pending);
  }

  later(writes: readonly ExceptionWrite[]): void {
    for (const write of writes) this.#behind = this.#behind.then(() => this.now(write));
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.#behind;
  }
}
