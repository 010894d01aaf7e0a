/** One code of a table that was imported. */
export interface CodeEntry {
  readonly system: string;
  readonly code: string;
  readonly description: string;
  /** Whether a claim may carry it as it is: a heading of ICD-10-CM may not. */
  readonly is_valid: boolean;
  readonly effective_from?: Date;
  /** The first moment at which it is no longer valid. */
  readonly effective_to?: Date;
  /** The edition of the table that it was read from. */
  readonly edition: string;
}

/** The edition of a table that is read now. */
export interface CodeEdition {
  readonly system: string;
  readonly edition: string;
  readonly codes: number;
  readonly source_sha256: string;
  readonly imported_at: Date;
}

/** Tables of codes that an operator has imported (`npm run codes:import`): without one, nothing is said of its codes. */
export interface CodeTables {
  /** Whether there is a table of this system at all: without one, `find` knows no code and says nothing by that. */
  has(system: string): Promise<boolean>;
  find(system: string, code: string): Promise<CodeEntry | null>;
  /** Those of these codes that the table has. */
  known(system: string, codes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Valid codes that begin so, in order of code. */
  alternatives(system: string, prefix: string, limit: number): Promise<readonly CodeEntry[]>;
  editions(): Promise<readonly CodeEdition[]>;
}
