import { isoTime } from '../../../shared/clock/clock.js';
import type { ErasureRefusal, ErasureRefusalReason } from '../../../shared/contracts/erasures.js';
import type { HeldKind } from '../../../shared/contracts/holds.js';

interface Counted {
  readonly kind: HeldKind;
  readonly reason: ErasureRefusalReason;
  count: number;
  readonly holds: Set<string>;
  earliestMs: number;
  latestMs: number;
}

/** What an erasure has left, by kind and reason; a thing that is met twice counts once. */
export class ErasureTally {
  readonly #counted = new Map<string, Counted>();
  readonly #met = new Set<string>();

  held(kind: HeldKind, id: string, holdIds: readonly string[]): void {
    const counted = this.#count(kind, id, 'LEGAL_HOLD');
    for (const holdId of holdIds) counted?.holds.add(holdId);
  }

  /** @param freeAtMs when it is past its age. */
  retained(kind: HeldKind, id: string, freeAtMs: number): void {
    const counted = this.#count(kind, id, 'RETENTION');
    if (counted === undefined) return;
    counted.earliestMs = Math.min(counted.earliestMs, freeAtMs);
    counted.latestMs = Math.max(counted.latestMs, freeAtMs);
  }

  /** It is another member's record too. */
  shared(kind: HeldKind, id: string): void {
    this.#count(kind, id, 'OTHER_MEMBERS');
  }

  /** Somebody waits for an answer about it. */
  asked(kind: HeldKind, id: string): void {
    this.#count(kind, id, 'OPEN_REQUEST');
  }

  told(): readonly ErasureRefusal[] {
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
