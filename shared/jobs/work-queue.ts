// Work is a row of a domain's own collection; the queue adds when it is due and who holds it (design.md decision 4).
// A row waits (`next_attempt_at`), is held (`lease_*`), or is at rest (neither): the three exclude each other, so that each
// has its own small index. Handlers run at least once and are idempotent.

/** The queue's fields of a row. All other fields are the domain's; outcomes or the domain's own writes change them. */
export interface WorkRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** Due from then on. Absent while the row is held, and when it is at rest. */
  readonly next_attempt_at?: Date;
  /** The holder must have finished or renewed by then; a lease that is over makes the row due again. */
  readonly lease_until?: Date;
  /** The fence: another for every claim, named by each write of the holder. */
  readonly lease_token?: string;
  /** The process that holds it. */
  readonly lease_owner?: string;
  /** Claims since the last outcome: crashes and thrown errors, not the domain's own retries. */
  readonly claims?: number;
  /** Given up: see QueueSpec.poison. */
  readonly poisoned_at?: Date;
}

/** A change of the domain's own members, written together with the queue's. */
export interface RowChange {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
  readonly push?: Readonly<Record<string, unknown>>;
  readonly inc?: Readonly<Record<string, number>>;
}

/** What became of one handling. A handler that throws has no outcome: the row comes again by `retryThrownMs`. */
export type Outcome =
  /** The row is at rest; its status is in the change. */
  | { readonly kind: 'done'; readonly change: RowChange }
  /** It was tried and is tried again by the row's own schedule. */
  | { readonly kind: 'again'; readonly atMs: number; readonly change: RowChange }
  /** Nothing was tried: it is not yet its turn. */
  | { readonly kind: 'postponed'; readonly atMs: number };

/** One claim on one row. */
export interface Lease {
  readonly token: string;
  /** Aborted when the lease is lost, and when the process stops and will wait no longer. */
  readonly signal: AbortSignal;
  /**
   * Writes while the row is held, under the fence. @returns false when the lease is lost: then nothing was written, and the
   * handler stops.
   */
  write(change: RowChange): Promise<boolean>;
}

/** How much of one group may be under way. */
export interface GroupLimits {
  /** Rows in flight, over all processes together. */
  readonly maxInFlight: number;
  /** Rows begun in a second by one process. */
  readonly perSecond?: number;
}

export interface QueueSpec<Row extends WorkRow> {
  /** `area.verb`: in metrics, in `GET /v1/jobs`, in wake-ups. */
  readonly name: string;
  /** For operators: what a row of it is. */
  readonly description: string;
  readonly collection: string;
  /** Rows take turns by this member (the webhook, the tenant), so that no group holds up another. */
  readonly groupField: keyof Row & string;
  /** Rows in flight in one process. */
  readonly concurrency: number;
  /** By group; asked again after 5 s at the earliest. */
  readonly limits: GroupLimits | ((group: string) => Promise<GroupLimits>);
  /**
   * Whether a wake-up goes to other processes although this one works on the queue and has room: true by default. Where rows
   * are small work that one process does as fast as several, the others' look a second is enough, should this one die.
   */
  readonly wakesOthers?: boolean;
  /** A handling that takes longer is renewed; one that died is due again after it. 30 s by default. */
  readonly leaseMs?: number;
  /** These rows were claimed together and are handled soon: what their handlings need may be fetched at once. Never fails. */
  readonly foresee?: (rows: readonly Row[]) => void;
  /** `row` is as it was when it was claimed. */
  readonly handle: (row: Row, lease: Lease) => Promise<Outcome>;
  /**
   * Delay before a row is retried after it threw or its holder died; null gives it up. Default: 1 s, doubled up to
   * 5 minutes, eight claims. Failures that the domain expects are outcomes and do not come here.
   */
  readonly retryThrownMs?: (claims: number) => number | null;
  /** What a row that is given up becomes; JOB_POISONED is opened before it is written. */
  readonly poison: (row: Row) => RowChange | Promise<RowChange>;
}

/** What producers hold. */
export interface WorkQueue {
  readonly name: string;
  /** Rows of these groups have just become due: the queue looks at once, here and in other processes. Never fails. */
  wake(groups: Iterable<string>): void;
  /**
   * Handles due rows by the clock, and rows that become due meanwhile, until none is left. For tests with their own
   * clock, and only where the queue is not started. @returns the number of handled rows.
   */
  runDue(): Promise<number>;
}

/** Members of a new row that is due at once. */
export const dueAt = (atMs: number): Pick<Required<WorkRow>, 'next_attempt_at' | 'claims'> => ({
  next_attempt_at: new Date(atMs),
  claims: 0,
});

/**
 * Change that makes a row due again, or for the first time, by a write outside any lease. It fences out the current
 * holder.
 */
export const dueAgain = (atMs: number): Required<Pick<RowChange, 'set' | 'unset'>> => ({
  set: dueAt(atMs),
  unset: ['lease_until', 'lease_token', 'lease_owner', 'poisoned_at'],
});

/** Members to take away from a row that is never to be done (cancelled), by a write outside any lease. */
export const QUEUE_MEMBERS = ['next_attempt_at', 'lease_until', 'lease_token', 'lease_owner', 'claims'] as const;
