import { isoTime } from '../../../../shared/clock/clock.js';
import type { ErasureRefusal, ErasureRefusalReason } from '../../../../shared/contracts/erasures.js';
import type { HeldKind } from '../../../../shared/contracts/holds.js';

interface Counted {
  readonly kind: HeldKind;
  readonly reason: ErasureRefusalReason;
  count: number;
  readonly holds: Set<string>;
  earliestMs: number;
  latestMs: number;
}

/** Counts what an erasure leaves, by kind and reason; a repeated subject counts once. */
export class ErasureTally {
  readonly #counted = new Map<string, Counted>();
  readonly #met = new Set<string>();

  held(kind: HeldKind, id: string, holdIds: readonly string[]): void {
    const counted = this.#count(kind, id, 'LEGAL_HOLD');
    for (const holdId of holdIds) counted?.holds.add(holdId);
  }

  /** @param freeAtMs time at which its retention ends */
  retained(kind: HeldKind, id: string, freeAtMs: number): void {
    const counted = this.#count(kind, id, 'RETENTION');
    if (counted === undefined) return;
    counted.earliestMs = Math.min(counted.earliestMs, freeAtMs);
    counted.latestMs = Math.max(counted.latestMs, freeAtMs);
  }

  /** Counts a record that also belongs to another member. */
  shared(kind: HeldKind, id: string): void {
    this.#count(kind, id, 'OTHER_MEMBERS');
  }

  /** Counts a record that fails its check: nothing says which holds cover it. */
  damaged(kind: HeldKind, id: string): void {
    this.#count(kind, id, 'DAMAGED');
  }

  /** Counts a record with an open request of the member. */
  requested(kind: HeldKind, id: string): void {
    this.#count(kind, id, 'OPEN_REQUEST');
  }

  refusals(): readonly ErasureRefusal[] {
    return [...this.#counted.values()].map(({ kind, reason, count, holds, earliestMs, latestMs }) => ({
      kind,
      reason,
      count,
      ...(reason === 'LEGAL_HOLD' ? { hold_ids: [...holds].sort() } : {}),
      ...(reason === 'RETENTION' ? { earliest_at: isoTime(earliestMs), latest_at: isoTime(latestMs) } : {}),
    }));
  }

  #count(kind: HeldKind, id: string, reason: ErasureRefusalReason): Counted | undefined {
    if (this.#met.has(id)) return undefined;
    this.#met.add(id);
    const key = `${kind}/${reason}`;
    const fresh = { kind, reason, count: 0, holds: new Set<string>(), earliestMs: Infinity, latestMs: -Infinity };
    const counted = this.#counted.get(key) ?? fresh;
    this.#counted.set(key, counted);
    counted.count++;
    return counted;
  }
}
