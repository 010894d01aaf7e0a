import type { Clock } from '../../../shared/clock/clock.js';
import type { ConnectorConfig } from '../domain/connector-kinds.js';
import type { ConnectorFailure } from './ports/connector-io.js';
import type { ConnectorCounts, ConnectorRow, ConnectorTrouble, Listening } from './ports/connector-store.js';

/** One connector at work in this process. */
export interface ConnectorRunner {
  /** Takes nothing new, and resolves when what was begun is finished. */
  stop(): Promise<void>;
}

/** What a runner stands on, and whom it tells how it fares. */
export interface RunnerContext<C extends ConnectorConfig = ConnectorConfig> {
  readonly connector: ConnectorRow;
  readonly config: C;
  /** Of the last run: where a listener was, how far a poller had come. */
  readonly lastPort: number | null;
  readonly cursor: Readonly<Record<string, string>>;
  readonly journal: RunJournal;
  /** Aborted when the lease is lost and when it is to stop. */
  readonly signal: AbortSignal;
  /**
   * Whether the lease is surely still ours, by the clock: a process that was held up learns of its loss from nobody before
   * it has looked.
   */
  readonly holds: () => boolean;
}

/** What was taken, told together: a note for each message would cost as much as the message. */
export class RunJournal {
  readonly #clock: Clock;
  #counts: Record<string, number> = {};
  #lastMessageAt: Date | null = null;
  #lastError: ConnectorTrouble | null = null;
  #listening: Listening | null | undefined;
  #cursor: Record<string, string> = {};
  #failure: ConnectorFailure | null = null;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Messages and what became of them. */
  count(counts: Partial<ConnectorCounts>): void {
    for (const [name, n] of Object.entries(counts)) this.#counts[name] = (this.#counts[name] ?? 0) + n;
    if ((counts.messages ?? 0) > 0) this.#lastMessageAt = new Date(this.#clock.nowMs());
  }

  /** Something was wrong with a message. */
  trouble(trouble: Omit<ConnectorTrouble, 'at'>): void {
    this.#lastError = { ...trouble, at: new Date(this.#clock.nowMs()) };
  }

  listens(listening: Listening | null): void {
    this.#listening = listening;
  }

  /** Kept with the next note; what was read before it is durable already. */
  reached(type: string, place: string): void {
    this.#cursor[type] = place;
  }

  /** It cannot do its work now, and will try again. */
  fails(failure: ConnectorFailure): void {
    this.#failure = failure;
    this.#failures += 1;
    this.count({ failures: 1 });
    this.trouble({ code: failure.code, message: failure.message });
  }

  /** It does its work. */
  works(): void {
    this.#failure = null;
    this.#failures = 0;
  }

  get failure(): ConnectorFailure | null {
    return this.#failure;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** What is new since the last call; null when nothing is. */
  take() {
    const [counts, listening, cursor] = [this.#counts, this.#listening, this.#cursor];
    const note = {
      ...(Object.keys(counts).length > 0 ? { counts: counts as Partial<ConnectorCounts> } : {}),
      ...(listening === undefined ? {} : { listening }),
      ...(listening ? { last_port: listening.port } : {}),
      ...(this.#lastMessageAt ? { last_message_at: this.#lastMessageAt } : {}),
      ...(this.#lastError ? { last_error: this.#lastError } : {}),
      ...(Object.keys(cursor).length > 0 ? { cursor } : {}),
    };
    this.#counts = {};
    this.#listening = undefined;
    this.#cursor = {};
    this.#lastMessageAt = null;
    this.#lastError = null;
    return Object.keys(note).length > 0 ? note : null;
  }
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;

/** How long after so many failures in a row it is tried again; what the other side asks for is heeded up to a day. */
export function retryMs(failures: number, asked?: number): number {
  const own = Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1), LONGEST_RETRY_MS);
  return Math.max(own, Math.min(asked ?? 0, LONGEST_ASKED_MS));
}

const LONGEST_ASKED_MS = 86_400_000;
