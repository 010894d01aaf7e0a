import type { Clock } from '../../../shared/clock/clock.js';
import { delay } from '../../../shared/clock/timers.js';
import { problem } from '../../../shared/errors/problem.js';
import type { PutOptions, TenantWorm, WormRecord } from '../../../shared/worm/worm-store.js';
import type { Ticket } from './append-batch.js';
import type { CopyLag } from './copy-lag.js';
import type { EntryKeys, TenantLedger } from './ports/ledger-store.js';

const RETRY_AFTER_SECONDS = 1;

interface CopyDeps {
  readonly clock: Clock;
  readonly ledger: TenantLedger;
  readonly worm: TenantWorm;
  readonly sourceSystem: string;
  /** Absent if no answer precedes its copy. */
  readonly lag?: CopyLag;
}

/** Owed copies that are looked up together. */
const OWED_AT_ONCE = 500;
const RETRY_MS = 1_000;

type Stored = Pick<EntryKeys, '_id' | 'worm_sha256'>;

/**
 * The write-once copies of one chain. No entry is answered before its copy exists, also when an earlier attempt stored
 * the row and failed to copy it. Where answers wait for the database alone, copies follow in the background.
 */
export class RecordCopies {
  readonly #deps: CopyDeps;
  /** Rows that this process could not copy. The chain takes no further group until they are copied. */
  readonly #owed = new Map<number, Stored>();
  /** Answered rows with a copy under way, by the time of the answer. */
  readonly #following = new Map<number, number>();
  /** Answered rows without a copy under way, by the time of the answer. */
  readonly #late = new Map<number, number>();
  #isCatchingUp = false;
  /** All rows up to here have their copies (ledger.copy marks it); read again only for later rows. */
  #copiedUpTo = 0;

  constructor(deps: CopyDeps) {
    this.#deps = deps;
  }

  /** Copies records before their rows are stored. Never rejects, because no caller waits for it before the append ends. */
  putEarly(tickets: readonly Ticket[]): Promise<Error | null> {
    return this.#put(tickets.filter(({ event }) => !event.repeatable).map(recordOf), { fresh: true });
  }

  /** Copies the records that the ledger holds, each under the seed of its row: see PreparedEvent.repeatable. */
  async putLate(tickets: readonly Ticket[]): Promise<Error | null> {
    const repeatable = tickets.filter(({ event, written }) => event.repeatable && written);
    const own = repeatable.filter(({ foundAtSeq }) => foundAtSeq === null).map(recordOf);
    const found = repeatable.flatMap(({ foundAtSeq }) => foundAtSeq ?? []);
    if (found.length === 0) return this.#put(own, { fresh: true });
    const rows = await this.#deps.ledger.records(this.#deps.sourceSystem, found).catch(unavailable);
    return rows instanceof Error ? rows : this.#put([...own, ...rows], {});
  }

  /** Notes rows without a copy after a failure. */
  owe(entries: readonly Stored[]): void {
    for (const entry of entries) this.#owed.set(entry._id.seq, entry);
  }

  /** Monotonic time since which the oldest answered row waits for its copy; null without such rows. */
  get owesSinceMs(): number | null {
    let oldest: number | null = null;
    for (const times of [this.#following, this.#late])
      for (const sinceMs of times.values()) if (oldest === null || sinceMs < oldest) oldest = sinceMs;
    return oldest;
  }

  /** Counts answered rows that wait for their copies. */
  get owing(): number {
    return this.#following.size + this.#late.size;
  }

  /** Notes that rows are answered and their copies follow. @param copied null if no copy was begun */
  follow(entries: readonly Stored[], copied: Promise<Error | null> | null): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const { _id } of entries) this.#following.set(_id.seq, nowMs);
    this.#deps.lag?.watch(this);
    void (copied ?? Promise.resolve('not begun')).then((failure) => {
      for (const entry of entries) {
        const sinceMs = this.#following.get(entry._id.seq) ?? nowMs;
        this.#following.delete(entry._id.seq);
        if (failure === null) continue;
        this.#owed.set(entry._id.seq, entry);
        this.#late.set(entry._id.seq, sinceMs);
      }
      if (this.#late.size > 0 && !this.#isCatchingUp) void this.#catchUp();
    });
  }

  /** Copies answered rows until none is left. After a crash, the next start and `ledger.copy` do it from the rows. */
  async #catchUp(): Promise<void> {
    this.#isCatchingUp = true;
    while (this.#late.size > 0 && this.#deps.lag?.isClosed !== true) {
      const entries = [...this.#owed.values()].slice(0, OWED_AT_ONCE);
      await this.#copyMissing(entries).catch(() => delay(RETRY_MS));
    }
    this.#isCatchingUp = false;
  }

  /** Copies what earlier failures left out. @throws UNAVAILABLE */
  async settle(): Promise<void> {
    if (this.#deps.lag?.isAllowed === true) return;
    if (this.#owed.size > 0) await this.#copyMissing([...this.#owed.values()]);
  }

  /** Returns once stored entries have their copies; another process may have stopped before it copied them. @throws UNAVAILABLE */
  async ensure(entries: readonly Stored[]): Promise<void> {
    if (this.#deps.lag?.isAllowed === true) return;
    const isLater = ({ _id }: Stored): boolean => _id.seq > this.#copiedUpTo;
    if (!entries.some(isLater)) return;
    this.#copiedUpTo = await this.#deps.ledger.copiedUpTo(this.#deps.sourceSystem);
    await this.#copyMissing(entries.filter(isLater));
  }

  /** A row that was altered is not copied, and a disposed one has no record: verification tells which it is. */
  async #copyMissing(entries: readonly Stored[]): Promise<void> {
    const { ledger, worm, sourceSystem } = this.#deps;
    try {
      const present = await worm.presentRecords(entries.flatMap(({ worm_sha256 }) => worm_sha256 ?? []));
      const missing = entries.filter(({ worm_sha256 }) => worm_sha256 !== undefined && !present.has(worm_sha256));
      const sequences = missing.map(({ _id }) => _id.seq);
      if (sequences.length > 0) await worm.putRecords(await ledger.records(sourceSystem, sequences));
    } catch (error) {
      throw unavailable(error);
    }
    for (const { _id } of entries) {
      this.#owed.delete(_id.seq);
      this.#late.delete(_id.seq);
    }
  }

  async #put(records: readonly WormRecord[], options: PutOptions): Promise<Error | null> {
    if (records.length === 0) return null;
    return this.#deps.worm.putRecords(records, options).then(() => null, unavailable);
  }
}

const recordOf = ({ event: { worm_sha256, record, seed } }: Ticket): WormRecord => ({
  sha256: worm_sha256,
  bytes: record,
  seed,
});

export const unavailable = (cause: unknown): Error =>
  problem('UNAVAILABLE', { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
