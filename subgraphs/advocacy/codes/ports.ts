import type { CodeLine } from './domain/code-files.js';

/** A file of codes, as an importer reads it. */
export interface CodeFile {
  /** Hash of the file. */
  readonly sha256: string;
  readonly lines: AsyncIterable<string>;
  /** Returns how many bytes of the file the reader of `lines` has read, and how many the file has. */
  readonly progress?: () => readonly [readBytes: number, sizeBytes: number];
}

/** One code of an imported table. `is_valid` is false for a code that claims may not carry, such as a heading of ICD-10-CM. */
export interface CodeEntry extends CodeLine {
  readonly system: string;
  /** Edition of the table. */
  readonly edition: string;
}

/** The current edition of a table. */
export interface CodeEdition {
  readonly system: string;
  readonly edition: string;
  readonly codes: number;
  readonly source_sha256: string;
  readonly imported_at: Date;
}

/** Writes editions of tables. */
export interface CodeImport {
  current(system: string): Promise<CodeEdition | null>;
  /** Inserts rows. Repeating it changes nothing: the content names the rows of an edition. */
  insert(system: string, edition: string, lines: readonly CodeLine[]): Promise<void>;
  /** Makes this edition the current one. The former one stays for its present readers. */
  publish(edition: CodeEdition): Promise<void>;
}

/** Code tables that an operator has imported (`npm run codes:import`). Codes of a system without a table are not checked. */
export interface CodeTables {
  /** Returns whether the system has a table; without one, `find` finds nothing. */
  has(system: string): Promise<boolean>;
  find(system: string, code: string): Promise<CodeEntry | null>;
  /** Returns the entries of the given codes, by code. */
  entries(system: string, codes: readonly string[]): Promise<ReadonlyMap<string, CodeEntry>>;
  /** Returns valid codes with this prefix, in order. */
  alternatives(system: string, prefix: string, limit: number): Promise<readonly CodeEntry[]>;
  editions(): Promise<readonly CodeEdition[]>;
}
