import type { ControlLevel, NumberState } from './domain.js';
import type { RawIngestResult, RawIngestRow } from './schema/index.js';
import type { IngestWarning } from './schema/message-part.js';

export type { IngestWarning };
/** The result of one part of a raw message. */
export type IngestRow = Readonly<RawIngestRow>;
/** The answer to a raw message, as given. */
export type IngestAnswer = Readonly<RawIngestResult> & { readonly raw_sha256: string };

/** One page of the rows of an ingest. */
export interface IngestPage {
  readonly ingest_id: string;
  readonly page: number;
  readonly rows: readonly IngestRow[];
}

/** Raw ingests of one tenant. */
export interface IngestStore {
  /** Saves the rows of one page in reading order. Rows of an earlier attempt of the same request stay. */
  savePage(ingestId: string, page: number, rows: readonly IngestRow[]): Promise<void>;
  /** Returns the stored answer: that of an earlier attempt, if there is one. */
  save(answer: IngestAnswer): Promise<IngestAnswer>;
  /** Saves several answers with new identifiers in one round of writes. */
  saveMany(answers: readonly IngestAnswer[], pages: readonly IngestPage[]): Promise<void>;
  find(ingestId: string): Promise<IngestAnswer | null>;
  page(ingestId: string, page: number): Promise<readonly IngestRow[] | null>;
}

/** Control numbers of one tenant's acknowledgements, gapless and unique, so that receivers can check them. */
export interface AcknowledgementNumbers {
  /** Reserves `count` consecutive numbers and returns the first; from 1 to HIGHEST_NUMBER, then from 1 again. */
  take(format: string, count: number): Promise<number>;
}

/** X12 control numbers have nine digits. */
export const HIGHEST_NUMBER = 999_999_999;

/** A stream of numbers: each sender counts separately for each receiver. */
export interface NumberStream {
  readonly format: string;
  readonly level: ControlLevel;
  readonly source_system: string;
  readonly sender: string;
  readonly receiver: string;
}

/** The control numbers of one tenant's senders. */
interface TenantControlNumbers {
  find(stream: NumberStream): Promise<{ readonly state: NumberState; readonly revision: number } | null>;
  /** False if the stream has another revision; `null` requires that it does not exist. */
  save(stream: NumberStream, state: NumberState, revision: number | null): Promise<boolean>;
}

export type ControlNumberStore = (tenantId: string) => TenantControlNumbers;
