import type { CodeLine } from '../../domain/codes/code-line.js';
import type { CodeEdition } from './code-tables.js';

/** Where an edition is written before it is read by anybody. */
export interface CodeImport {
  current(system: string): Promise<CodeEdition | null>;
  /** Again changes nothing: the rows of an edition are named by its content. */
  insert(system: string, edition: string, lines: readonly CodeLine[]): Promise<void>;
  /** From now on this edition is read, as a whole. The one before it stays for those who are reading it. */
  publish(edition: CodeEdition): Promise<void>;
}
