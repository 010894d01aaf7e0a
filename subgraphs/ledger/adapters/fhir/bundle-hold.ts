import type { Part, Position } from '../adapter.js';
import type { Refusal } from './fhir-items.js';
import { type Fields, textAt } from './json.js';
import { ReferenceIndex } from './references.js';

/** One entry on its way: a resource that may give an event, or the reason why it gives none. */
export interface HeldEntry {
  readonly resource: Fields;
  readonly fullUrl: string;
  readonly refusal: Refusal | null;
  readonly inexact: readonly number[];
  readonly part: Part | null;
  readonly position: Position;
  readonly entryNumber: number;
  readonly sizeBytes: number;
}

/**
 * The entries of a Bundle that wait for what their references may lead to. A Bundle within the limit is mapped when its end
 * is known; of a longer one the oldest entries are given out as it streams in.
 */
export class BundleHold {
  readonly index = new ReferenceIndex();
  readonly start: number;
  /** The Bundle without its entries: first as far as it stands before them, at the end whole. */
  about: Fields | null;
  entryCount = 0;
  /** Da Vinci PAS: a request or answer for an authorization, and what belongs to it. */
  isAuthorization = false;
  accepted = 0;
  refused = 0;
  /** Resources that give no event, by type. */
  readonly withoutEvent = new Map<string, number>();
  private readonly entries: HeldEntry[] = [];
  private first = 0;
  private heldBytes = 0;
  private readonly limitBytes: number;

  constructor(start: number, about: Fields | null, limitBytes: number) {
    this.start = start;
    this.about = about;
    this.limitBytes = limitBytes;
  }

  get type(): string {
    return textAt(this.about, 'type');
  }

  get overflows(): boolean {
    return this.heldBytes > this.limitBytes;
  }

  get anyRefused(): boolean {
    return this.refused > 0 || this.entries.some(({ refusal }) => refusal !== null);
  }

  hold(entry: HeldEntry): void {
    this.entries.push(entry);
    this.heldBytes += entry.sizeBytes;
  }

  countWithoutEvent(type: string): void {
    this.withoutEvent.set(type, (this.withoutEvent.get(type) ?? 0) + 1);
  }

  /** The oldest entry, which is held no longer. */
  release(): HeldEntry | undefined {
    const entry = this.entries[this.first];
    if (entry === undefined) return undefined;
    this.first += 1;
    this.heldBytes -= entry.sizeBytes;
    if (this.first > 1_024) {
      this.entries.splice(0, this.first);
      this.first = 0;
    }
    return entry;
  }
}
