import { isoTime } from '../../../shared/clock/clock.js';
import type { EntryKeys } from './ports/ledger-store.js';
import type { PreparedEvent } from './prepare-event.js';

/** The place of an event in the ledger, as answers show it. */
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

/** Opens exceptions for appended events that contradict a known fact, before the answer. */
export interface Conflict {
  readonly receipt: Receipt;
  /** Ids of events that state the same fact. */
  readonly others: readonly string[];
}

/** The events of one request on their way through one or more chains. */
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

  /** One failed append fails the request. When the client retries, the events that were appended answer DUPLICATE. */
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
  #foundAtSeq: number | null = null;
  #settled = false;
  #failure: Error | null = null;
  /** Later tickets with the same envelope; they get the answer of this event. */
  readonly #followers: Ticket[] = [];
  /** Ids of events that state the same fact with different content. */
  readonly conflictsWith: string[] = [];

  constructor(batch: AppendBatch, index: number, event: PreparedEvent) {
    this.#batch = batch;
    this.#index = index;
    this.event = event;
  }

  /** The entry of this event once it is durable in the ledger. */
  get entry(): EntryKeys | null {
    return this.#entry;
  }

  /** True once the entry is durable in the ledger. */
  get written(): boolean {
    return this.#entry !== null;
  }

  /** The event as linked, with the conflicts that were found: the row alone can reopen their exceptions. */
  get linkable(): PreparedEvent {
    return this.conflictsWith.length === 0 ? this.event : { ...this.event, conflicts_with: this.conflictsWith };
  }

  accept(entry: EntryKeys): void {
    this.#entry = entry;
  }

  /** Its entry was stored before: an answer was lost, or another attempt with the same identifier was first. */
  acceptFound(entry: EntryKeys): void {
    this.#entry = entry;
    this.#foundAtSeq = entry._id.seq;
  }

  /** Sequence of an entry whose record and seed may be another attempt's; null if this ticket's own are stored. */
  get foundAtSeq(): number | null {
    return this.#foundAtSeq;
  }

  /** Adds a later ticket with the same envelope: it gets this event's answer or its failure. */
  followedBy(later: Ticket): void {
    if (this.#failure) later.fail(this.#failure);
    else if (this.#settled && this.#entry) later.duplicateOf(this.#entry);
    else this.#followers.push(later);
  }

  /** Ledger and write-once store both hold the event; the answer may be sent. */
  acknowledge(): void {
    if (!this.#entry) throw new Error('an event is acknowledged before it is written');
    this.#settle('ACCEPTED', this.#entry);
    for (const follower of this.#followers) follower.duplicateOf(this.#entry);
  }

  /** @param entry the first event with this envelope. */
  duplicateOf(entry: EntryKeys): void {
    // The same id: an earlier attempt of this request appended it.
    this.#settle(entry.event_id === this.event.event_id ? 'ACCEPTED' : 'DUPLICATE', entry);
    for (const follower of this.#followers) follower.duplicateOf(entry);
  }

  fail(error: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#failure = error;
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
