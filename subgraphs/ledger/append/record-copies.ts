import { problem } from '../../../shared/errors/problem.js';
import type { PutOptions, TenantWorm, WormRecord } from '../../../shared/worm/worm-store.js';
import type { Ticket } from './append-batch.js';
import type { EntryKeys, TenantLedger } from './ports/ledger-store.js';

const RETRY_AFTER_SECONDS = 1;

interface CopyDeps {
  readonly ledger: TenantLedger;
  readonly worm: TenantWorm;
  readonly sourceSystem: string;
}

type Stored = Pick<EntryKeys, '_id' | 'worm_sha256'>;

/**
 * The write-once copies of one chain. No entry is answered before its copy exists, also when an earlier attempt stored
 * the row and failed to copy it.
 */
export class RecordCopies {
  readonly #deps: CopyDeps;
  /** Rows that this process could not copy. The chain takes no further group until they are copied. */
  readonly #owed = new Map<number, Stored>();
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

  /** Copies what earlier failures left out. @throws UNAVAILABLE */
  async settle(): Promise<void> {
    if (this.#owed.size > 0) await this.#copyMissing([...this.#owed.values()]);
  }

  /** Returns once stored entries have their copies; another process may have stopped before it copied them. @throws UNAVAILABLE */
  async ensure(entries: readonly Stored[]): Promise<void> {
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
    for (const { _id } of entries) this.#owed.delete(_id.seq);
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
