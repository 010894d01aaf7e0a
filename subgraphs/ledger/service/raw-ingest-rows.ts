import type { IngestAnswer, IngestRow, IngestStore } from './ports/ingest-store.js';

/** The rest of the rows is at GET /v1/ingest/{ingest_id}/results. */
export const MAX_ROWS_ANSWERED = 1_000;
const PAGE_ROWS = 500;

type Told = Pick<IngestAnswer, 'accepted' | 'duplicated' | 'rejected' | 'results' | 'results_truncated'>;

/** What became of each part of a raw message: all of it goes to pages in the order read, the first of each sort to the answer. */
export class IngestRows {
  readonly #store: IngestStore;
  readonly #ingestId: string;
  readonly #refused: IngestRow[] = [];
  readonly #taken: IngestRow[] = [];
  #page: IngestRow[] = [];
  #pages = 0;
  readonly #counts = { accepted: 0, duplicated: 0, rejected: 0 };

  constructor(store: IngestStore, ingestId: string) {
    this.#store = store;
    this.#ingestId = ingestId;
  }

  /** Rows of a stretch of the message, in any order. */
  async keep(rows: readonly IngestRow[]): Promise<void> {
    for (const row of [...rows].sort((a, b) => a.index - b.index)) {
      if (row.status === 'REJECTED') this.#counts.rejected++;
      else if (row.status === 'DUPLICATE') this.#counts.duplicated++;
      else this.#counts.accepted++;
      const list = row.status === 'REJECTED' ? this.#refused : this.#taken;
      if (list.length < MAX_ROWS_ANSWERED) list.push(row);
      this.#page.push(row);
      if (this.#page.length >= PAGE_ROWS) await this.#savePage();
    }
  }

  async finish(): Promise<Told> {
    // Rows that all stand in the answer need no page beside it.
    if (this.#pages > 0 && this.#page.length > 0) await this.#savePage();
    const results = [...this.#refused, ...this.#taken].slice(0, MAX_ROWS_ANSWERED);
    const { accepted, duplicated, rejected } = this.#counts;
    const results_truncated = accepted + duplicated + rejected > results.length;
    return { accepted, duplicated, rejected, results, results_truncated };
  }

  async #savePage(): Promise<void> {
    const rows = this.#page;
    this.#page = [];
    await this.#store.savePage(this.#ingestId, this.#pages++, rows);
  }
}
