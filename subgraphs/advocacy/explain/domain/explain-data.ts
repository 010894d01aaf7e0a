import type { AdjustmentGroup, ReasonSystem } from '../../facts/domain/index.js';
import type { PhrasesFile, RightsFile } from '../schema/data-files.js';
import type { Language } from './sentences.js';

// The data of explanations, from corpus/tables/. adapters/explain-data.ts reads and checks it at start.

/** English and Spanish of one text. */
type Text = Readonly<Record<Language, string>>;

/** The meaning and consequences of a code. */
export interface PlainCode {
  readonly meaning: Text;
  /** Key in `why`. */
  readonly category: string;
  /** Key in `what_to_do`. */
  readonly path: string;
  /** Replacement codes of a retired code, possibly none; null for a code in use. */
  readonly replacedBy: readonly string[] | null;
  /** Informational: no denial by itself. */
  readonly isNote: boolean;
}

/** A data source that answers cite. */
export interface DataSource {
  readonly id: string;
  readonly revision: number;
  /** SHA-256 of the file. */
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
  /** Sentences with placeholders in braces. */
  readonly sentences: PhrasesFile['sentences'];
  readonly source: DataSource;
}

export type AppealProgram = RightsFile['programs'][number];
/** `effective_from` and `effective_to` are days; `effective_to` is the first day out of force. */
export type AppealEdition = AppealProgram['editions'][number];
export type AppealLevel = AppealEdition['levels'][number];
export type Span = NonNullable<AppealLevel['file_within']>;

export interface AppealRightsData {
  readonly programs: readonly AppealProgram[];
  /** Words that name several programs, and how other event data narrows them. */
  readonly words: ReadonlyMap<string, RightsFile['words'][string]>;
  /** State rules that override the federal rule. */
  readonly stateRules: RightsFile['state_rules'];
  readonly source: DataSource;
}

export interface ExplainData {
  /** Code lists with a table; codes of other lists are unknown. */
  readonly lists: ReadonlyMap<ReasonSystem, CodeList>;
  readonly phrases: Phrases;
  readonly rights: AppealRightsData;
}
