import type { FactPlace } from '../facts/fact.js';
import type { TenantId } from '../ids/tenant.js';

// The stored row of a record derives from the class of its graph type: only the differences are written down.

/** Names of times: shown as RFC 3339 text, stored as a Date. */
type TimeName = 'at' | `${string}_at`;

/** Free JSON is stored as it is; its keys are not known. */
type IsFreeJson<Value> = string extends keyof Value ? true : false;

type StoredValue<Name, Value> = Value extends string
  ? Name extends TimeName
    ? Date
    : Value
  : Value extends Date | Uint8Array
    ? Value
    : Value extends readonly (infer Item)[]
      ? readonly StoredValue<'', Item>[]
      : Value extends object
        ? IsFreeJson<Value> extends true
          ? Value
          : StoredMembers<Value>
        : Value;

/** The members of a shown type as they are stored: times are dates, everything is read-only. */
export type StoredMembers<Shown> = { readonly [Name in keyof Shown]: StoredValue<Name, Shown[Name]> };

/**
 * The stored row of a record.
 *
 * @typeParam Shown the class of the graph type.
 * @typeParam Own members that only the row has, or that it stores in another form.
 * @typeParam Omitted members that are computed or stored inside another member; `allowed_actions` is always one.
 */
export type Stored<Shown, Own extends object = object, Omitted extends keyof Shown = never> = StoredMembers<
  Omit<Shown, keyof Own | Omitted | 'allowed_actions' | 'tenant_id'>
> &
  Readonly<Own> & { readonly tenant_id: TenantId };

/** One line of a record's history. */
export interface StepLine<Status extends string = string, Action extends string = string> {
  readonly revision: number;
  readonly action: Action;
  readonly from: Status | null;
  readonly to: Status;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  /** Work id of the request that took the step; the same request run again finds the step done. */
  readonly work_id: string | null;
}

/** What every record with steps has. */
export interface SteppedRow {
  readonly tenant_id: TenantId;
  readonly status: string;
  readonly revision: number;
  readonly created_at: Date;
  /** Absent where the service alone creates records. */
  readonly created_by?: string;
  readonly updated_at: Date;
  /** Place of its latest fact, for a kind with facts. */
  readonly fact?: FactPlace;
  /** Oldest first. */
  readonly history: readonly Omit<StepLine, 'actor_id'>[];
}

/** A row without its history, which a write appends to. */
export type MembersOf<Row> = Omit<Row, 'history'>;

export type LineOf<Row extends SteppedRow> = Row['history'][number];
export type ActionOf<Row extends SteppedRow> = LineOf<Row>['action'];
