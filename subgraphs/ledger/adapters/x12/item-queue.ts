import type { AdapterItem } from '../adapter.js';

/** What an item came from; strict reading refuses a transaction, group or interchange as a whole. */
export interface Scope {
  transaction: object | null;
  group: object | null;
}

const noScope: Scope = { transaction: null, group: null };

/**
 * Items on their way out. Lenient reading passes them on at once; strict reading holds an interchange's until its
 * trailer was checked, and withdraws those of what was refused.
 */
export class ItemQueue {
  private ready: AdapterItem[] = [];
  private held: { item: AdapterItem; scope: Scope }[] = [];
  private holding = false;
  private nextIndex = 0;

  /** The items that may go out now. */
  drain(): AdapterItem[] {
    const out = this.ready;
    if (out.length > 0) this.ready = [];
    return out;
  }

  takeIndex(): number {
    const index = this.nextIndex;
    this.nextIndex += 1;
    return index;
  }

  push(item: AdapterItem, scope: Scope = noScope): void {
    if (this.holding) this.held.push({ item, scope });
    else this.ready.push(item);
  }

  hold(): void {
    this.holding = true;
  }

  release(): void {
    this.holding = false;
    for (const { item } of this.held) this.ready.push(item);
    this.held = [];
  }

  /** Drops the held events and exceptions that `matches` names; what was refused, and the counts, stay. */
  withdraw(matches: (scope: Scope) => boolean): void {
    this.held = this.held.flatMap(({ item, scope }) => {
      if (!matches(scope)) return [{ item, scope }];
      if (item.kind === 'event' || item.kind === 'exception') return [];
      if (item.kind !== 'transaction') return [{ item, scope }];
      return [{ item: { ...item, refused: item.refused + item.accepted, accepted: 0 }, scope }];
    });
  }
}
