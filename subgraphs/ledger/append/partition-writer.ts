import type { Clock } from '../../../shared/clock/clock.js';
import { delay, nextTurn } from '../../../shared/clock/timers.js';
import type { TenantWorm } from '../../../shared/worm/worm-store.js';
import { type AppendBatch, Ticket } from './append-batch.js';
import type { CopyLag } from './copy-lag.js';
import type { LedgerRow } from './domain/ledger-row.js';
import { type ChainHead, linkRows } from './domain/link.js';
import { sortOutDuplicates } from './duplicates.js';
import { InFlight } from './in-flight.js';
import type { AppendOutcome, EntryKeys, TenantLedger } from './ports/ledger-store.js';
import type { PreparedEvent } from './prepare-event.js';
import { RecordCopies, unavailable } from './record-copies.js';

export const MAX_GROUP_EVENTS = 500;
/** Turns that a burst of requests may take to arrive while a write runs; one look-up then serves all of them. */
const GATHERING_TURNS = 4;
/** Keeps one insert well below the largest message of a server (48 MB). */
const MAX_GROUP_BYTES = 8 * 1024 * 1024;
/** Each collision costs a read of the tail. With eight appenders on one chain, a few rounds are normal. */
const MAX_ATTEMPTS = 100;
/** A majority may take its time to confirm the row of another appender, and only then does the tail include it. */
const LONGEST_BACKOFF_MS = 100;
/** Time in ms to settle a write with an unknown outcome before the caller must retry. */
const SETTLE_MS = 20_000;
/** Groups with unfinished write-once copies. Bounds the number of groups that a crash can leave uncopied. */
export const MAX_UNCOPIED_GROUPS = 4;

export interface PartitionDeps {
  readonly clock: Clock;
  readonly ledger: TenantLedger;
  readonly worm: TenantWorm;
  readonly tenantId: string;
  readonly sourceSystem: string;
  /** `prev` of the first entry. */
  readonly genesis: string;
  /** Absent if no answer precedes its write-once copy. */
  readonly lag?: CopyLag;
  /** Called with rows of this chain when they are durable. */
  readonly onAppended?: (rows: readonly LedgerRow[]) => void;
}

/**
 * Appends to one chain (evidence.md section 3) with group commit: a group is everything that waits when the previous
 * write is acknowledged, without a timer. The look-up of the next group's duplicates overlaps that write. The unique
 * `_id` guards against forks. `#head` only saves reading the tail: it moves only on acknowledged writes, and any other
 * outcome clears it.
 */
export class PartitionWriter {
  readonly #deps: PartitionDeps;
  readonly #copies: RecordCopies;
  readonly #inFlight = new InFlight();
  /** Arrived; their duplicates are not looked up yet. */
  #arrived: Ticket[] = [];
  /** Looked up and new; waiting for the write. */
  #ready: Ticket[] = [];
  #head: ChainHead | null = null;
  #looking = false;
  #writing = false;
  #uncopied: Promise<void>[] = [];

  constructor(deps: PartitionDeps) {
    this.#deps = deps;
    this.#copies = new RecordCopies(deps);
  }

  /** Counts the events that wait for a write or a look-up. */
  get waiting(): number {
    return this.#arrived.length + this.#ready.length;
  }

  /** Counts the groups that the ledger holds and the write-once store does not yet. */
  get uncopied(): number {
    return this.#uncopied.length;
  }

  /** Counts the answered events that wait for their copies. */
  get answeredAhead(): number {
    return this.#copies.owing;
  }

  get idle(): boolean {
    return !this.#looking && !this.#writing;
  }

  /** Queues events of one request; the batch receives their outcomes. */
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
        await this.#copies.settle();
        const { ledger, sourceSystem } = this.#deps;
        const ensureCopied = (entries: readonly EntryKeys[]) => this.#copies.ensure(entries);
        const fresh = await sortOutDuplicates({ ledger, sourceSystem, ensureCopied }, group, this.#inFlight);
        // Read after the wait, because the writer replaces the list meanwhile.
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

  /** Acknowledges the writes before the fault, once their copy exists. */
  #fail(group: readonly Ticket[], error: unknown): void {
    const failure = unavailable(error);
    for (const ticket of group) {
      if (ticket.written) continue;
      this.#inFlight.forget(ticket);
      ticket.fail(failure);
    }
  }

  async #appendGroup(fresh: readonly Ticket[]): Promise<void> {
    if (this.#deps.lag?.isAllowed === true) return this.#appendAhead(fresh, this.#deps.lag);
    while (this.#uncopied.length >= MAX_UNCOPIED_GROUPS) await this.#uncopied[0];
    await this.#copies.settle();
    const early = this.#copies.putEarly(fresh);
    try {
      await this.#appendAll(fresh);
    } finally {
      const late = this.#copies.putLate(fresh);
      this.#settleWhenCopied(
        fresh,
        Promise.all([early, late]).then(([first, second]) => first ?? second),
      );
    }
  }

  /** The answer waits for the database alone. With many copies under way, the rows serve for the copy later. */
  async #appendAhead(fresh: readonly Ticket[], lag: CopyLag): Promise<void> {
    lag.requireInBound();
    const isBehind = this.#uncopied.length >= MAX_UNCOPIED_GROUPS;
    const early = isBehind ? null : this.#copies.putEarly(fresh);
    try {
      await this.#appendAll(fresh);
    } finally {
      const written = fresh.filter((ticket) => ticket.written);
      const copied = early === null ? null : this.#copiedAhead(early, fresh);
      this.#copies.follow(
        written.flatMap(({ entry }) => entry ?? []),
        copied,
      );
      for (const ticket of written) ticket.acknowledge();
    }
  }

  #copiedAhead(early: Promise<Error | null>, fresh: readonly Ticket[]): Promise<Error | null> {
    const copied = Promise.all([early, this.#copies.putLate(fresh)]).then(([first, second]) => first ?? second);
    const done = copied.then(() => {
      this.#uncopied = this.#uncopied.filter((pending) => pending !== done);
    });
    this.#uncopied.push(done);
    return copied;
  }

  /** The answer waits for both ledger and write-once store; the next group does not. */
  #settleWhenCopied(tickets: readonly Ticket[], copied: Promise<Error | null>): void {
    const written = tickets.filter((ticket) => ticket.written);
    const done = copied.then((failure) => {
      this.#uncopied = this.#uncopied.filter((pending) => pending !== done);
      if (failure) this.#copies.owe(written.flatMap(({ entry }) => entry ?? []));
      for (const ticket of written) {
        if (failure) ticket.fail(failure);
        else ticket.acknowledge();
      }
    });
    this.#uncopied.push(done);
  }

  /**
   * Appends until every ticket has its row. A write with an unknown outcome is repeated from the majority's tail: its rows
   * are found by their duplicate keys if they were stored after all, and a late one finds its place taken.
   */
  async #appendAll(tickets: readonly Ticket[]): Promise<void> {
    const { clock } = this.#deps;
    let rest = tickets;
    let unknownSinceMs: number | null = null;
    for (let attempts = 0; rest.length > 0; attempts++) {
      if (attempts > MAX_ATTEMPTS) throw new Error('too many appenders on one chain');
      if (attempts > 1) await delay(Math.min(attempts, LONGEST_BACKOFF_MS));
      const outcome = await this.#appendOnce(rest).catch((error: unknown) => {
        if (unknownSinceMs === null) throw error;
        return { written: 0, conflict: 'UNKNOWN', cause: error } as const;
      });
      rest = rest.slice(outcome.written);
      if (outcome.conflict === null) continue;
      this.#head = null;
      if (outcome.conflict === 'DUPLICATE') rest = await this.#withoutDuplicates(rest);
      if (outcome.conflict !== 'UNKNOWN') continue;
      unknownSinceMs ??= clock.monotonicMs();
      if (clock.monotonicMs() - unknownSinceMs > SETTLE_MS) throw outcome.cause;
    }
  }

  async #appendOnce(tickets: readonly Ticket[]): Promise<AppendOutcome> {
    this.#head ??= await this.#readHead();
    const { tenantId, sourceSystem, clock, ledger } = this.#deps;
    const events = tickets.map((ticket) => ticket.linkable);
    const rows = linkRows(tenantId, sourceSystem, this.#head, clock.nowMs(), events);
    const outcome = await ledger.append(rows);
    this.#accept(tickets, rows.slice(0, outcome.written));
    return outcome;
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

  /**
   * Resolves the tickets that have their entry already. The unique index rejected the first of them; another appender of
   * the same batch may have written many more.
   */
  async #withoutDuplicates(tickets: readonly Ticket[]): Promise<readonly Ticket[]> {
    const [refused, ...others] = tickets.map(({ event }) => event.fact_key);
    if (refused === undefined) return [];
    const found = [...(await this.#entriesOf([refused])), ...(await this.#entriesOf(others))];
    const first = new Map(found.map((entry) => [entry.duplicate_key, entry]));
    await this.#copies.ensure(tickets.flatMap(({ event }) => first.get(event.duplicate_key) ?? []));
    // A majority read may not see an entry yet: the next round asks again.
    return tickets.filter((ticket) => {
      const entry = first.get(ticket.event.duplicate_key);
      if (!entry) return true;
      if (entry.event_id === ticket.event.event_id) ticket.acceptFound(entry);
      else ticket.duplicateOf(entry);
      this.#inFlight.written(ticket);
      return false;
    });
  }

  async #entriesOf(factKeys: readonly string[]): Promise<readonly EntryKeys[]> {
    if (factKeys.length === 0) return [];
    const { ledger, sourceSystem } = this.#deps;
    return ledger.entriesByFact(sourceSystem, [...new Set(factKeys)], MAX_GROUP_EVENTS);
  }

  async #readHead(): Promise<ChainHead> {
    const { ledger, sourceSystem, genesis } = this.#deps;
    return (await ledger.tail(sourceSystem)) ?? { seq: 0, entryHash: genesis, recordedAtMs: Number.NEGATIVE_INFINITY };
  }
}

/** Splits the tickets into those of the next write and the rest. */
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
