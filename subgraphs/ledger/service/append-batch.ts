import { isoTime } from '../../../shared/clock/clock.js';
import type { EntryKeys } from './ports/ledger-store.js';
import type { PreparedEvent } from './prepare-event.js';

/** Where an event stands in the ledger: what an answer shows of it. */
export interface Receipt {
  readonly status: 'ACCEPTED' | 'DUPLICATE';
  readonly event_id: string;
  readonly source_system: string;
  readonly sequence: number;
  readonly prev_hash: string;
  readonly entry_hash: string;
  readonly worm_sha256?: string;
  readonly accepted_at: string;
}

/** Events appended that state a known fact otherwise: an exception is opened before the answer. */
export interface Conflict {
  readonly receipt: Receipt;
  /** Ids of events that state the same fact. */
  readonly others: readonly string[];
}

/** The events of one request, on their way through one or more chains. */
export class AppendBatch {
  readonly receipts = new Map<number, Receipt>();
  readonly conflicts: Conflict[] = [];
  readonly done: Promise<void>;
  #open: number;
  #resolve: () => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(events: number) {
    this.#open = events;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(index: number, receipt: Receipt, others: readonly string[]): void {
    this.receipts.set(index, receipt);
    if (receipt.status === 'ACCEPTED' && others.length > 0) this.conflicts.push({ receipt, others });
    if (--this.#open === 0) this.#resolve();
  }

  /** One failed append fails the request: sent again, what was appended answers DUPLICATE. */
  fail(error: Error): void {
    this.#reject(error);
  }
}

/** One event in a chain's queue. */
export class Ticket {
  readonly event: PreparedEvent;
  readonly #batch: AppendBatch;
  readonly #index: number;
  #entry: EntryKeys | null = null;
  #settled = false;
  /** Later ones with the same envelope; they are answered with this one's event. */
  readonly #followers: Ticket[] = [];
  /** Ids of events that state the same fact with other content. */
  readonly conflictsWith: string[] = [];

  constructor(batch: AppendBatch, index: number, event: PreparedEvent) {
    this.#batch = batch;
    this.#index = index;
    this.event = event;
  }

  /** True once the entry is durable in the ledger. */
  get written(): boolean {
    return this.#entry !== null;
  }

  /** The event as it is linked: with the conflicts that were found, so that its row alone can tell them. */
  get linkable(): PreparedEvent {
    return this.conflictsWith.length === 0 ? this.event : { ...this.event, conflicts_with: this.conflictsWith };
  }

  accept(entry: EntryKeys): void {
    this.#entry = entry;
  }

  /** A later ticket with the same envelope: answered with this one's event, or failed with it. */
  followedBy(later: Ticket): void {
    if (this.#settled && this.#entry) later.duplicateOf(this.#entry);
    else this.#followers.push(later);
  }

  /** Ledger and write-once store have it: the answer may go out. */
  acknowledge(): void {
    if (!this.#entry) throw new Error('an event is acknowledged before it is written');
    this.#settle('ACCEPTED', this.#entry);
    for (const follower of this.#followers) follower.duplicateOf(this.#entry);
  }

  /** @param entry the first event with this envelope. */
  duplicateOf(entry: EntryKeys): void {
    // Under its own id it was appended by an earlier attempt of the same request.
    this.#settle(entry.event_id === this.event.event_id ? 'ACCEPTED' : 'DUPLICATE', entry);
    for (const follower of this.#followers) follower.duplicateOf(entry);
  }

  fail(error: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#batch.fail(error);
    for (const follower of this.#followers) follower.fail(error);
  }

  #settle(status: Receipt['status'], entry: EntryKeys): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#batch.settle(this.#index, receiptOf(status, entry), this.conflictsWith);
  }
}

const receiptOf = (status: Receipt['status'], entry: EntryKeys): Receipt => ({
  status,
  event_id: entry.event_id,
  source_system: entry._id.source_system,
  sequence: entry._id.seq,
  prev_hash: entry.prev_hash,
  entry_hash: entry.entry_hash,
  ...(entry.worm_sha256 === undefined ? {} : { worm_sha256: entry.worm_sha256 }),
  accepted_at: isoTime(entry.recorded_at.getTime()),
});
