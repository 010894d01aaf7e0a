import type { Clock } from '../../../shared/clock/clock.js';
import { keysOf } from '../../../shared/json/keys.js';
import type { ConnectorConfig } from './domain/kinds.js';
import {
  type ConnectorCounts,
  type ConnectorFailure,
  type ConnectorRow,
  type ConnectorTrouble,
  type Listening,
  NO_COUNTS,
} from './ports.js';

/** A running connector in this process. */
export interface ConnectorRunner {
  /** Accepts nothing new, and resolves when the work in progress is finished. */
  stop(): Promise<void>;
}

/** The inputs of a runner and its progress reports. */
export interface RunnerContext<C extends ConnectorConfig = ConnectorConfig> {
  readonly connector: ConnectorRow;
  readonly config: C;
  /** The last run: a listener's port, a poller's position. */
  readonly lastPort: number | null;
  readonly cursor: Readonly<Record<string, string>>;
  readonly journal: RunJournal;
  /** Aborted when the lease is lost or the runner must stop. */
  readonly signal: AbortSignal;
  /** True if the lease is certainly held, by the clock: a delayed process does not learn of its loss from others. */
  readonly holds: () => boolean;
}

const COUNTERS = keysOf(NO_COUNTS);

/** Batches progress reports: one write per message would cost as much as the message. */
export class RunJournal {
  readonly #clock: Clock;
  #counts: { -readonly [Name in keyof ConnectorCounts]?: number } = {};
  #lastMessageAt: Date | null = null;
  #lastError: ConnectorTrouble | null = null;
  #listening: Listening | null | undefined;
  #cursor: Record<string, string> = {};
  #failure: ConnectorFailure | null = null;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts messages and their results. */
  count(counts: Partial<ConnectorCounts>): void {
    for (const name of COUNTERS) {
      const n = counts[name];
      if (n !== undefined) this.#counts[name] = (this.#counts[name] ?? 0) + n;
    }
    if ((counts.messages ?? 0) > 0) this.#lastMessageAt = new Date(this.#clock.nowMs());
  }

  /** Records a fault of a message. */
  trouble(trouble: Omit<ConnectorTrouble, 'at'>): void {
    this.#lastError = { ...trouble, at: new Date(this.#clock.nowMs()) };
  }

  listens(listening: Listening | null): void {
    this.#listening = listening;
  }

  /** Saves a poller's position with the next report; everything before it is durable. */
  reached(type: string, place: string): void {
    this.#cursor[type] = place;
  }

  /** Records that the connector failed and will retry. */
  fails(failure: ConnectorFailure): void {
    this.#failure = failure;
    this.#failures += 1;
    this.count({ failures: 1 });
    this.trouble({ code: failure.code, message: failure.message });
  }

  /** Records that the connector works. */
  works(): void {
    this.#failure = null;
    this.#failures = 0;
  }

  get failure(): ConnectorFailure | null {
    return this.#failure;
  }

  /** Consecutive failures. */
  get failures(): number {
    return this.#failures;
  }

  /** The changes since the last call; null if there are none. */
  take() {
    const [counts, listening, cursor] = [this.#counts, this.#listening, this.#cursor];
    const note = {
      ...(Object.keys(counts).length > 0 ? { counts } : {}),
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

/** The delay before a retry after consecutive failures; honours the other side's delay up to a day. */
export function retryMs(failures: number, asked?: number): number {
  const own = Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1), LONGEST_RETRY_MS);
  return Math.max(own, Math.min(asked ?? 0, LONGEST_ASKED_MS));
}

const LONGEST_ASKED_MS = 86_400_000;
