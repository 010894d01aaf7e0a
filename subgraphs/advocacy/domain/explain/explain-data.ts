import type { AdjustmentGroup, ReasonSystem } from '../event-codes.js';
import type { SentenceName } from './sentences.js';

// The data that explanations are made of, as the files of codes/ hold it; read and checked at the start (adapters/explain-data.ts).

export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** English and Spanish of one text. */
export type Text = Readonly<Record<Language, string>>;

/** What a code of a list means, and what follows from it. */
export interface PlainCode {
  readonly meaning: Text;
  /** Of `why`. */
  readonly category: string;
  /** Of `what_to_do`. */
  readonly path: string;
  /** Set for a code that is no longer in use: the codes in its place, perhaps none. */
  readonly replacedBy: readonly string[] | null;
  /** Informational: stands for no denial by itself. */
  readonly isNote: boolean;
}

/** Where data comes from: what an answer cites it by. */
export interface DataSource {
  readonly id: string;
  readonly revision: number;
  /** Of the file's bytes. */
  readonly sha256: string;
}

export interface CodeList {
  readonly codes: ReadonlyMap<string, PlainCode>;
  readonly sources: readonly DataSource[];
}

export interface Phrases {
  readonly why: ReadonlyMap<string, Text>;
  readonly whatToDo: ReadonlyMap<string, Text>;
  readonly groups: Readonly<Record<AdjustmentGroup, Text>>;
  /** With what is filled in standing in braces. */
  readonly sentences: Readonly<Record<SentenceName, Text>>;
  readonly source: DataSource;
}

export type Span = { readonly days: number } | { readonly months: number };

/** What the time to take a step is counted from. LETTER: only the plan's letter says. NONE: nothing has to be filed. */
export type CountedFrom = 'NOTICE' | 'STEP_BEFORE' | 'LETTER' | 'ANY_TIME' | 'NONE';

export interface AppealLevel {
  readonly level: number;
  readonly name: Text;
  readonly file_within?: Span | undefined;
  readonly counted_from: CountedFrom;
  readonly automatic?: boolean | undefined;
  readonly is_external?: boolean | undefined;
  readonly decided?:
    | {
        readonly standard_days?: number | undefined;
        readonly standard_hours?: number | undefined;
        /** Where the care has been given and money is asked for. */
        readonly payment_days?: number | undefined;
        readonly expedited_hours?: number | undefined;
      }
    | undefined;
  readonly keep_care_days?: number | undefined;
  readonly note?: Text | undefined;
  readonly citation: string;
}

export interface AppealEdition {
  /** Days, YYYY-MM-DD; `effective_to` is the first on which it no longer holds. */
  readonly effective_from: string;
  readonly effective_to?: string | undefined;
  readonly levels: readonly AppealLevel[];
}

export interface AppealProgram {
  readonly program: string;
  readonly title: Text;
  /** Words by which an event names this program and no other. */
  readonly names: readonly string[];
  readonly editions: readonly AppealEdition[];
}

/** A word that stands for several programs, and what else on the event tells which. */
export interface ProgramWord {
  readonly of: readonly string[];
  readonly pharmacy?: readonly string[] | undefined;
  readonly by_code?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** What a state has otherwise than the federal rule. */
export interface StateRule {
  readonly program: string;
  readonly jurisdiction: string;
  readonly level: number;
  readonly effective_from: string;
  readonly file_within: Span;
  readonly note?: Text | undefined;
  readonly citation: string;
}

export interface AppealRightsData {
  readonly programs: readonly AppealProgram[];
  readonly words: ReadonlyMap<string, ProgramWord>;
  readonly stateRules: readonly StateRule[];
  readonly source: DataSource;
}

export interface ExplainData {
  /** Lists that there is a table of; a code of any other is unknown. */
  readonly lists: ReadonlyMap<ReasonSystem, CodeList>;
  readonly phrases: Phrases;
  readonly rights: AppealRightsData;
}
