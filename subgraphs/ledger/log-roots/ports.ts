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
  /** Returns the newest rows whose entries are in the operator's ledger. */
  appended(limit: number): Promise<readonly LogRootsRow[]>;
  /** Returns what is stored of the period: of concurrent writers the first one's. */
  save(row: LogRootsRow): Promise<LogRootsRow>;
  appendedNow(period: string): Promise<void>;
}
