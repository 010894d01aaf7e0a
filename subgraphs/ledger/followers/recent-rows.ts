import type { Clock } from '../../../shared/clock/clock.js';
import type { LedgerRow } from '../append/domain/index.js';

/** Bytes of records; rows with hashes and keys take about three times as much memory. */
const MOST_BYTES = 16 * 1024 * 1024;
/**
 * Time a row is kept, in ms; followers look within seconds. Disposal may remove the content of old events meanwhile;
 * see `forget`.
 */
const KEPT_MS = 10_000;

/** Rows of one write. */
interface Stretch {
  readonly chain: string;
  readonly rows: readonly LedgerRow[];
  readonly firstSeq: number;
  readonly bytes: number;
  readonly untilMs: number;
}

/** Gapless stretches of one chain, oldest first. */
interface Kept {
  readonly stretches: Set<Stretch>;
  nextSeq: number;
}

/**
 * Keeps the rows that this process appended recently, so that its followers need not read them from the database. Rows
 * are added when they are durable and are the objects that were written: callers must not change them. All other rows
 * are read from the ledger.
 */
export class RecentRows {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #mostBytes: number;
  /** Of all chains, oldest first. */
  readonly #all = new Set<Stretch>();
  readonly #chains = new Map<string, Kept>();
  #bytes = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>, mostBytes = MOST_BYTES) {
    this.#clock = clock;
    this.#mostBytes = mostBytes;
  }

  /** Adds rows that became durable, in sequence. */
  add(tenantId: string, sourceSystem: string, rows: readonly LedgerRow[]): void {
    const firstSeq = rows[0]?._id.seq;
    if (firstSeq === undefined) return;
    const chain = keyOf(tenantId, sourceSystem);
    // Another process appended in between: start the chain again.
    if (this.#chains.get(chain)?.nextSeq !== firstSeq) this.#forget(chain);
    const bytes = rows.reduce((sum, { record }) => sum + (record?.length ?? 0), 0);
    const stretch = { chain, rows, firstSeq, bytes, untilMs: this.#clock.monotonicMs() + KEPT_MS };
    const kept = this.#chains.get(chain) ?? { stretches: new Set(), nextSeq: firstSeq };
    kept.stretches.add(stretch);
    kept.nextSeq = firstSeq + rows.length;
    this.#chains.set(chain, kept);
    this.#all.add(stretch);
    this.#bytes += bytes;
    this.#tidy();
  }

  /** Returns the gapless rows of a chain from a sequence on; none if the first is not kept. */
  from(tenantId: string, sourceSystem: string, fromSeq: number, limit: number): readonly LedgerRow[] {
    this.#tidy();
    const found: LedgerRow[] = [];
    for (const { rows, firstSeq } of this.#chains.get(keyOf(tenantId, sourceSystem))?.stretches ?? []) {
      const next = fromSeq + found.length;
      if (firstSeq > next || found.length >= limit) break;
      found.push(...rows.slice(next - firstSeq, next - firstSeq + limit - found.length));
    }
    return found;
  }

  /** Drops a chain when disposal removes its content, so that its rows are read from the ledger. */
  forget(tenantId: string, sourceSystem: string): void {
    this.#forget(keyOf(tenantId, sourceSystem));
  }

  #tidy(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const oldest of this.#all) {
      if (this.#bytes <= this.#mostBytes && oldest.untilMs > nowMs) return;
      this.#drop(oldest);
    }
  }

  #forget(chain: string): void {
    for (const stretch of this.#chains.get(chain)?.stretches ?? []) this.#drop(stretch);
  }

  #drop(stretch: Stretch): void {
    this.#all.delete(stretch);
    this.#bytes -= stretch.bytes;
    const kept = this.#chains.get(stretch.chain);
    kept?.stretches.delete(stretch);
    if (kept?.stretches.size === 0) this.#chains.delete(stretch.chain);
  }
}

/** Tenant ids hold no spaces. */
const keyOf = (tenantId: string, sourceSystem: string): string => `${tenantId} ${sourceSystem}`;
