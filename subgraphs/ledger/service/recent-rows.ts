import type { Clock } from '../../../shared/clock/clock.js';
import type { LedgerRow } from '../domain/ledger-row.js';

/** Of records; a row with its hashes and keys is about three times as large in memory. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Whoever follows looks within some seconds. Disposal may take a row's content meanwhile, of an event long past; see `forget`. */
const KEPT_MS = 10_000;

/** Rows of one write. */
interface Stretch {
  readonly chain: string;
  readonly rows: readonly LedgerRow[];
  readonly firstSeq: number;
  readonly bytes: number;
  readonly untilMs: number;
}

/** Stretches of one chain, without a gap between them, the oldest first. */
interface Kept {
  readonly stretches: Set<Stretch>;
  nextSeq: number;
}

/**
 * What this process has appended just now, for those who follow the ledger in it: they would read the same rows from the
 * database, one after the other, a moment later. Rows stand here when they are durable, and are the very objects that were
 * written: nothing may change them. What is not here is read from the ledger.
 */
export class RecentRows {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #mostBytes: number;
  /** Of all chains, the longest kept first. */
  readonly #all = new Set<Stretch>();
  readonly #chains = new Map<string, Kept>();
  #bytes = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>, mostBytes = MOST_BYTES) {
    this.#clock = clock;
    this.#mostBytes = mostBytes;
  }

  /** These have become durable, in sequence. */
  add(tenantId: string, sourceSystem: string, rows: readonly LedgerRow[]): void {
    const firstSeq = rows[0]?._id.seq;
    if (firstSeq === undefined) return;
    const chain = keyOf(tenantId, sourceSystem);
    // Where another process has appended in between, the chain begins anew.
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

  /** Rows of a chain from there on, without a gap; none where the first of them is not here. */
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

  /** Content of a chain is taken away: its rows are read from the ledger from now on. */
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
