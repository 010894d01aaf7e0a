/** One code as a file says it. */
export interface CodeLine {
  readonly code: string;
  readonly description: string;
  readonly is_valid: boolean;
  readonly effective_from?: Date;
  /** The first moment at which it is no longer valid. */
  readonly effective_to?: Date;
}

/** What a line of a file came to. */
export type ReadLine =
  | { readonly kind: 'code'; readonly line: CodeLine }
  /** Says nothing by itself, or is of a list that is not taken. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'passed-over'; readonly why: string }
  | { readonly kind: 'bad'; readonly why: string };

/** Reads one file, line by line. */
export interface CodeFileReader {
  readonly system: string;
  read(text: string): ReadLine;
  /** What the last lines have left. */
  end(): ReadLine;
}

export const NOTHING: ReadLine = { kind: 'nothing' };
export const bad = (why: string): ReadLine => ({ kind: 'bad', why });
export const MAX_DESCRIPTION_CHARACTERS = 4_000;
