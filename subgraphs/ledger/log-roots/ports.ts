/** What one leaf of the operator's log covers. */
export interface LogRootsRow {
  /** Start of the period, ISO. */
  readonly _id: string;
  readonly recorded_at: Date;
  /** Lower-case hex. */
  readonly root_hash: string;
  /** The leaf hashes, 32 bytes each, in the order of their origins. */
  readonly leaves: Buffer;
  /** Set once the operator's ledger has the entry. */
  readonly is_appended: boolean;
}

export interface LogRoots {
  get(period: string): Promise<LogRootsRow | null>;
  newest(): Promise<LogRootsRow | null>;
  /** Returns the newest rows with an entry in the operator's ledger. */
  appended(limit: number): Promise<readonly LogRootsRow[]>;
  /** Returns the stored row of the period: the first one of concurrent writers. */
  save(row: LogRootsRow): Promise<LogRootsRow>;
  appendedNow(period: string): Promise<void>;
}
