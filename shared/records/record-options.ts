import type { Db } from 'mongodb';
import type { FactGuard } from '../facts/guard.js';
import type { EffectRelay } from '../outbox/outbox.js';
import type { Effect, PendingEffect } from '../outbox/pending-effect.js';
import type { DeclaredCollection } from './collections.js';
import type { RowCheck } from './row-check.js';
import type { Follows, RowFacts } from './row-facts.js';
import type { SteppedRow } from './stored.js';

export interface RecordStoreOptions<Row extends SteppedRow, E extends Effect = PendingEffect> {
  readonly collection: DeclaredCollection;
  /** Name of the identifier in the row: `lead_id`. */
  readonly id: keyof Row & string;
  /** Refuses a row that does not fit its class before it is written. */
  readonly check?: RowCheck;
  /** Time that lists are ordered by; `created_at` by default. */
  readonly listedBy?: keyof Row & string;
  /** Lines of history that stay with the row; all of them by default. */
  readonly keptLines?: number;
  /** Members that only the document has: rows lack them, and writes of rows leave them as they are. */
  readonly hidden?: readonly string[];
  /** Members that a replacement compares besides the revision. */
  readonly compared?: readonly (keyof Row & string)[];
  /** Members that other writes change without a new revision; a replacement leaves them as they are. */
  readonly counted?: readonly (keyof Row & string)[];
  /** Rows carry `active: true` until this holds; reads find active rows only, unless `endedStay`. */
  readonly endsWhen?: (members: Omit<Row, 'history'>) => boolean;
  readonly endedStay?: boolean;
  /** The steps of these records are facts; each read compares the rows with them. */
  readonly facts?: RowFacts<Row>;
  /** Another subject with facts that a row follows before it is shown. */
  readonly follows?: Follows<Row, E>;
  /** A step after which this holds makes the row due work of a queue (shared/jobs). */
  readonly dueWhen?: (members: Omit<Row, 'history'>) => boolean;
}

export interface RecordStoreDeps {
  readonly db: Db;
  readonly outbox: EffectRelay;
  /** For kinds with facts. */
  readonly guard?: FactGuard;
}

/** How a page of a list is read. */
export interface PageOptions<Row> {
  /** Time that orders the list. */
  readonly listedBy?: keyof Row & string;
  /** The records that facts name for a condition of the list; null where it has no such condition. */
  readonly named?: readonly string[] | null;
}
