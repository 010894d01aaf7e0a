/** Successes of one subscription are written this often at most: a busy one has hundreds a second. */
const SUCCESS_NOTE_MS = 1_000;
/** Beyond so many subscriptions the memory begins anew, at the price of one write each. */
const MOST_REMEMBERED = 10_000;

/**
 * Which successes this process need not write, since it wrote one less than a second ago and has seen no failure since.
 * A failure that another process noted meanwhile is ended by the next success that is written.
 */
export class HealthNotes {
  readonly #writtenMs = new Map<string, number>();

  /** Whether this success is to be written. */
  success(webhookId: string, atMs: number): boolean {
    const writtenMs = this.#writtenMs.get(webhookId);
    if (writtenMs !== undefined && Math.abs(atMs - writtenMs) < SUCCESS_NOTE_MS) return false;
    if (this.#writtenMs.size >= MOST_REMEMBERED) this.#writtenMs.clear();
    this.#writtenMs.set(webhookId, atMs);
    return true;
  }

  failure(webhookId: string): void {
    this.#writtenMs.delete(webhookId);
  }
}
