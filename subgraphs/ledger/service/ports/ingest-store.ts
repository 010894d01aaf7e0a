import type { JsonObject } from '../../../../shared/json/strict-json.js';

export interface IngestWarning {
  readonly code: string;
  readonly message: string;
  readonly position?: JsonObject;
}

/** What became of one part of a raw message. */
export interface IngestRow {
  readonly index: number;
  readonly status: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED';
  readonly event_id?: string;
  readonly source_record_id?: string;
  readonly source_system?: string;
  readonly sequence?: number;
  readonly entry_hash?: string;
  readonly worm_sha256?: string;
  readonly item?: string;
  readonly segment?: string;
  readonly position?: JsonObject;
  readonly warnings?: readonly IngestWarning[];
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly errors?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  };
}

/** The sender's own kind of answer: 999 and TA1, ACK, OperationOutcome, NCPDP response. */
export type IngestAcknowledgement = {
  readonly format: string;
  readonly media_type: string;
  readonly content: string;
};

/** The answer to a raw message, kept as it was given. */
export interface IngestAnswer {
  readonly ingest_id: string;
  readonly format: string;
  readonly raw_sha256: string;
  readonly transactions: number;
  readonly accepted: number;
  readonly duplicated: number;
  readonly rejected: number;
  readonly exceptions: readonly {
    readonly exception_id: string;
    readonly kind: string;
    readonly subject: JsonObject;
    readonly detail: JsonObject;
  }[];
  readonly results: readonly IngestRow[];
  readonly results_truncated: boolean;
  readonly warnings: readonly IngestWarning[];
  readonly provider_level: readonly JsonObject[];
  /** Null where the sender waits for none. */
  readonly acknowledgement: IngestAcknowledgement | null;
  readonly received_at: string;
}

/** One page of the rows of an ingest. */
export interface IngestPage {
  readonly ingest_id: string;
  readonly page: number;
  readonly rows: readonly IngestRow[];
}

/** Raw ingests of one tenant. */
export interface IngestStore {
  /** Rows of one page, in the order they were read. What an earlier attempt of the same request saved, stands. */
  savePage(ingestId: string, page: number, rows: readonly IngestRow[]): Promise<void>;
  /** Returns what stands: an earlier attempt's answer, where there was one. */
  save(answer: IngestAnswer): Promise<IngestAnswer>;
  /** Several under fresh identifiers, in one round of writes. */
  saveMany(answers: readonly IngestAnswer[], pages: readonly IngestPage[]): Promise<void>;
  find(ingestId: string): Promise<IngestAnswer | null>;
  page(ingestId: string, page: number): Promise<readonly IngestRow[] | null>;
}
