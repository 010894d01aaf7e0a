import type { ListWindow } from '../db/keyset.js';
import type { TenantId } from '../ids/tenant.js';
import type { Effect, PendingEffect } from '../outbox/pending-effect.js';
import type { Page } from '../pagination/cursor.js';
import type { FactStep } from './row-facts.js';
import type { LineOf, MembersOf, SteppedRow } from './stored.js';

/** One write of a record: its members after the step, the step's line of history, and the effects that follow. */
export interface RecordWrite<Row extends SteppedRow, E extends Effect = PendingEffect> {
  readonly members: MembersOf<Row>;
  /** Lines before `line`, of an adopted row that is written again. */
  readonly earlier?: readonly LineOf<Row>[];
  readonly line: LineOf<Row>;
  readonly pending: readonly E[];
  /** The fact that commits the step, for a kind with facts. */
  readonly fact?: FactStep;
  /** Members that the step sets; a replacement writes them also where they are as before. */
  readonly set?: readonly string[];
}

/** A write, and the row that it was made from. */
export interface WriteAfter<Row extends SteppedRow, E extends Effect> {
  readonly write: RecordWrite<Row, E>;
  readonly before: Row | null;
}

/** What a member is compared with: a list fits by any of its items. */
type Compared<Value> = Value extends readonly (infer Item)[] ? Item : Value;

/** Members that a list compares: a value, or a list of values of which any fits. Undefined compares nothing. */
export type Where<Row> = {
  readonly [Name in keyof Row]?: Compared<Row[Name]> | readonly Compared<Row[Name]>[] | undefined;
};

export interface ListQuery<Row> extends ListWindow {
  readonly where: Where<Row>;
}

/** Records of one kind, of one tenant. */
export interface Records<Row extends SteppedRow, E extends Effect = PendingEffect> {
  readonly tenantId: TenantId;
  get(id: string): Promise<Row | null>;
  /** The records with these identifiers, in no promised order; unknown identifiers have none. */
  among(ids: readonly string[]): Promise<readonly Row[]>;
  /** Writes the row of a record that a crash left behind its facts. */
  catchUp(id: string): Promise<void>;
  /** One page in the order of the collection's time. */
  page(query: ListQuery<Row>): Promise<Page<Row>>;
  /** Null when the identifier or another unique key is taken. Durable when it resolves. */
  insert(write: RecordWrite<Row, E>): Promise<Row | null>;
  /** `moved` when the record changed since `before` was read, `taken` when a unique key is taken. */
  replace(write: RecordWrite<Row, E>, before: Row): Promise<Row | 'moved' | 'taken'>;
  /** Performs the effects of a write. */
  relay(write: RecordWrite<Row, E>): Promise<void>;
}

export type RecordsByTenant<Row extends SteppedRow, E extends Effect = PendingEffect> = (
  tenantId: TenantId,
) => Records<Row, E>;
