/** Outcomes of rows of one queue in this process since its start. */
const NO_FATES = {
  claimed: 0,
  // Outcomes.
  done: 0,
  again: 0,
  postponed: 0,
  // Handlings without an outcome.
  thrown: 0,
  poisoned: 0,
  // Leases that ended under their holder, and leases of holders that had died.
  lost: 0,
  died: 0,
  // Returned when the process stops.
  released: 0,
};

type RowFate = keyof typeof NO_FATES;

export interface QueueFigures {
  readonly queue: string;
  readonly fates: Readonly<Record<RowFate, number>>;
  readonly handlings: number;
  readonly handlingSeconds: number;
  readonly held: number;
  readonly running: number;
}

/** The last time that something ran, and what last went wrong; by class, never by message. */
export interface LastRun {
  readonly last_run_at?: Date;
  readonly last_error_at?: Date;
  readonly last_error_class?: string;
}

export class QueueCounts {
  readonly #fates: Record<RowFate, number> = { ...NO_FATES };
  #handlings = 0;
  #handlingMs = 0;
  #news: LastRun | undefined;

  add(fate: RowFate, count: number): void {
    this.#fates[fate] += count;
  }

  took(ms: number): void {
    this.#handlings += 1;
    this.#handlingMs += ms;
  }

  ran(atMs: number): void {
    this.#news = { ...this.#news, last_run_at: new Date(atMs) };
  }

  failed(atMs: number, errorClass: string): void {
    const at = new Date(atMs);
    this.#news = { ...this.#news, last_run_at: at, last_error_at: at, last_error_class: errorClass };
  }

  get handlings(): number {
    return this.#handlings;
  }

  /** Returns the news since the last call. */
  takeNews(): LastRun | undefined {
    const news = this.#news;
    this.#news = undefined;
    return news;
  }

  figures(queue: string, depth: Pick<QueueFigures, 'held' | 'running'>): QueueFigures {
    const handlingSeconds = this.#handlingMs / 1_000;
    return { queue, fates: { ...this.#fates }, handlings: this.#handlings, handlingSeconds, ...depth };
  }
}
