import type { Clock } from '../../../shared/clock/clock.js';
import { delay, nextTurn } from '../../../shared/clock/timers.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantWorm } from '../../../shared/worm/worm-store.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import { type ChainHead, linkRows } from '../domain/link.js';
import { type AppendBatch, Ticket } from './append-batch.js';
import { sortOutDuplicates } from './duplicates.js';
import { InFlight } from './in-flight.js';
import type { EntryKeys, TenantLedger } from './ports/ledger-store.js';
import type { PreparedEvent } from './prepare-event.js';

export const MAX_GROUP_EVENTS = 500;
/** While a write is under way a burst of requests is read over a few turns; looked up together it costs one find. */
const GATHERING_TURNS = 4;
/** One insert stays well under the largest message a server takes (48 MB). */
const MAX_GROUP_BYTES = 8 * 1024 * 1024;
/** A collision costs a read of the tail; with eight appenders on one chain a handful of rounds is the rule. */
const MAX_COLLISIONS = 100;
const LONGEST_BACKOFF_MS = 20;
/** Groups whose write-once copies are still under way. Bounds what a crash can leave uncopied. */
export const MAX_UNCOPIED_GROUPS = 4;
const RETRY_AFTER_SECONDS = 1;

export interface PartitionDeps {
  readonly clock: Clock;
  readonly ledger: TenantLedger;
  readonly worm: TenantWorm;
  readonly tenantId: string;
  readonly sourceSystem: string;
  /** prev of the first entry. */
  readonly genesis: string;
  /** Told of rows of this chain when they are durable. */
  readonly onAppended?: (rows: readonly LedgerRow[]) => void;
}

/**
 * Appends to one chain (evidence.md section 3). Group commit: a group is whatever waits when the write before is
 * acknowledged, with no timer. Duplicates of the next events are looked up while that write is under way. The fork
 * guard is the unique `_id`; `#head` only saves reading the tail, moves from acknowledged writes alone, and is dropped
 * after anything else.
 */
export class PartitionWriter {
  readonly #deps: PartitionDeps;
  readonly #inFlight = new InFlight();
  /** Arrived; duplicates are not looked up yet. */
  #arrived: Ticket[] = [];
  /** Fresh, waiting for the write. */
  #ready: Ticket[] = [];
  #head: ChainHead | null = null;
  #looking = false;
  #writing = false;
  #uncopied: Promise<void>[] = [];

  constructor(deps: PartitionDeps) {
    this.#deps = deps;
  }

  /** Events that wait for a write or its look-up. */
  get waiting(): number {
    return this.#arrived.length + this.#ready.length;
  }

  /** Groups that are in the ledger and not yet in the write-once store. */
  get uncopied(): number {
    return this.#uncopied.length;
  }

  get idle(): boolean {
    return !this.#looking && !this.#writing;
  }

  /** Queues events of one request; their outcomes go to its batch. */
  enqueue(batch: AppendBatch, events: readonly { readonly event: PreparedEvent; readonly index: number }[]): void {
    for (const { event, index } of events) this.#arrived.push(new Ticket(batch, index, event));
    if (!this.#looking) void this.#look();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    while (this.#arrived.length > 0) {
      for (let turn = 0; this.#writing && turn < GATHERING_TURNS; turn++) await nextTurn();
      const [group, rest] = groupOf(this.#arrived);
      this.#arrived = rest;
      try {
        const { ledger, sourceSystem } = this.#deps;
        const fresh = await sortOutDuplicates(ledger, sourceSystem, group, this.#inFlight);
        // Read after the wait: the writer puts another list in its place meanwhile.
        this.#ready.push(...fresh);
      } catch (error) {
        this.#fail(group, error);
      }
      if (!this.#writing && this.#ready.length > 0) void this.#write();
    }
    this.#looking = false;
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#ready.length > 0) {
      const [group, rest] = groupOf(this.#ready);
      this.#ready = rest;
      try {
        await this.#appendGroup(group);
      } catch (error) {
        this.#head = null;
        this.#fail(group, error);
      }
    }
    this.#writing = false;
  }

  /** What was written before the fault is acknowledged when its copy is there. */
  #fail(group: readonly Ticket[], error: unknown): void {
    const failure = unavailable(error);
    for (const ticket of group) {
      if (ticket.written) continue;
      this.#inFlight.forget(ticket);
      ticket.fail(failure);
    }
  }

  async #appendGroup(fresh: readonly Ticket[]): Promise<void> {
    while (this.#uncopied.length >= MAX_UNCOPIED_GROUPS) await this.#uncopied[0];
    const copies = fresh.map(({ event }) => ({ sha256: event.worm_sha256, bytes: event.record }));
    const copied = this.#deps.worm.putRecords(copies, { fresh: true });
    // Observed at once, so that a failure before the append ends is no unhandled rejection.
    const settled = copied.then(
      () => null,
      (error: unknown) => unavailable(error),
    );
    try {
      await this.#appendAll(fresh);
    } finally {
      this.#settleWhenCopied(fresh, settled);
    }
  }

  /** The answer waits for ledger and write-once store both; the next group does not. */
  #settleWhenCopied(tickets: readonly Ticket[], copied: Promise<Error | null>): void {
    const written = tickets.filter((ticket) => ticket.written);
    const done = copied.then((failure) => {
      this.#uncopied = this.#uncopied.filter((pending) => pending !== done);
      for (const ticket of written) {
        if (failure) ticket.fail(failure);
        else ticket.acknowledge();
      }
    });
    this.#uncopied.push(done);
  }

  async #appendAll(tickets: readonly Ticket[]): Promise<void> {
    let rest = tickets;
    for (let collisions = 0; rest.length > 0; collisions++) {
      if (collisions > MAX_COLLISIONS) throw new Error('too many appenders on one chain');
      if (collisions > 1) await delay(Math.min(collisions, LONGEST_BACKOFF_MS));
      this.#head ??= await this.#readHead();
      const { tenantId, sourceSystem, clock, ledger } = this.#deps;
      const events = rest.map((ticket) => ticket.linkable);
      const rows = linkRows(tenantId, sourceSystem, this.#head, clock.nowMs(), events);
      const { written, conflict } = await ledger.append(rows);
      this.#accept(rest, rows.slice(0, written));
      rest = rest.slice(written);
      if (conflict === null) continue;
      this.#head = null;
      if (conflict === 'DUPLICATE') rest = await this.#withoutDuplicate(rest);
    }
  }

  #accept(tickets: readonly Ticket[], rows: readonly LedgerRow[]): void {
    rows.forEach((row, i) => {
      const ticket = tickets[i];
      if (!ticket) return;
      ticket.accept(row);
      this.#inFlight.written(ticket);
    });
    const last = rows.at(-1);
    if (!last) return;
    this.#head = { seq: last._id.seq, entryHash: last.entry_hash, recordedAtMs: last.recorded_at.getTime() };
    this.#deps.onAppended?.(rows);
  }

  /** The first of `tickets` was refused as a duplicate: its first event is looked up, and answered. */
  async #withoutDuplicate(tickets: readonly Ticket[]): Promise<readonly Ticket[]> {
    const [refused, ...others] = tickets;
    if (!refused) return [];
    const { fact_key, duplicate_key } = refused.event;
    const entries = await this.#deps.ledger.entriesByFact(this.#deps.sourceSystem, [fact_key], MAX_GROUP_EVENTS);
    const first = entries.find((entry: EntryKeys) => entry.duplicate_key === duplicate_key);
    // Not visible to a majority read yet: the next round asks again.
    if (!first) return tickets;
    // Its own row: the server had written it and the answer was lost.
    if (first.event_id === refused.event.event_id) refused.accept(first);
    else refused.duplicateOf(first);
    this.#inFlight.written(refused);
    return others;
  }

  async #readHead(): Promise<ChainHead> {
    const { ledger, sourceSystem, genesis } = this.#deps;
    return (await ledger.tail(sourceSystem)) ?? { seq: 0, entryHash: genesis, recordedAtMs: Number.NEGATIVE_INFINITY };
  }
}

/** What goes into one write, and what is left. */
function groupOf(tickets: readonly Ticket[]): [Ticket[], Ticket[]] {
  let bytes = 0;
  let count = 0;
  for (const { event } of tickets) {
    bytes += event.record.length;
    if (count > 0 && (count >= MAX_GROUP_EVENTS || bytes > MAX_GROUP_BYTES)) break;
    count++;
  }
  return [tickets.slice(0, count), tickets.slice(count)];
}

const unavailable = (cause: unknown): Error =>
  problem('UNAVAILABLE', { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
