import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { type AppendItem, SLICE_EVENTS } from '../append/index.js';
import type { ExceptionDraft } from '../exceptions/index.js';
import type { EventItem, Position } from '../formats/index.js';
import type { IngestAnswer, IngestRow, IngestStore, IngestWarning } from './ports.js';

// The parts of a raw message between reading and answering: slices to append, rows to store, positions to show.

/** Source bytes of the events in one append. */
const SLICE_BYTES = 1_048_576;

export interface WaitingEvent {
  readonly item: EventItem;
  readonly append: AppendItem;
}

/** The event with further warnings, in its answer and in its payload. */
export function withWarnings(
  event: WaitingEvent,
  added: readonly Pick<IngestWarning, 'code' | 'message'>[],
): WaitingEvent {
  if (added.length === 0) return event;
  const { item, append } = event;
  const { payload, ...rest } = append.envelope;
  const content = isJsonObject(payload) ? payload : {};
  const raw = isJsonObject(content['raw']) ? content['raw'] : {};
  const before = Array.isArray(raw['warnings']) ? raw['warnings'] : [];
  const warnings = [...before, ...added.map(({ code, message }) => ({ code, message }))];
  const envelope: JsonObject = { ...rest, payload: { ...content, raw: { ...raw, warnings } } };
  return { item: { ...item, warnings: [...item.warnings, ...added] }, append: { ...append, envelope } };
}

export interface WaitingDraft {
  /** Of the event that the exception concerns, which gets its identifier at the append. */
  readonly index: number | undefined;
  readonly draft: ExceptionDraft;
}

/** The items of a raw message since the last append: at most what one hash batch takes. */
export class Slice {
  readonly events: WaitingEvent[] = [];
  readonly rows: IngestRow[] = [];
  readonly drafts: WaitingDraft[] = [];
  bytes = 0;

  add(event: WaitingEvent): void {
    this.events.push(event);
    this.bytes += event.item.part.length;
  }

  get full(): boolean {
    return this.events.length >= SLICE_EVENTS || this.bytes >= SLICE_BYTES || this.rows.length >= SLICE_EVENTS;
  }
}

/** The other rows are at GET /v1/ingest/{ingest_id}/results. */
const MAX_ROWS_ANSWERED = 1_000;
const PAGE_ROWS = 500;

type CountedRows = Pick<IngestAnswer, 'accepted' | 'duplicated' | 'rejected' | 'results' | 'results_truncated'>;

/**
 * Collects the result of each part of a raw message: all rows go to pages in reading order, the first of each kind to
 * the answer.
 */
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

  /** Takes the rows of a slice, in any order. */
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

  async finish(): Promise<CountedRows> {
    // Rows that fit in the answer need no page.
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

/** An item with a place. */
interface Placed {
  readonly segment?: string;
  readonly element?: number;
  readonly position?: Position;
}

export interface WarningSource extends Placed {
  readonly code: string;
  readonly message: string;
  readonly agreedBy?: string;
}

/** A place in the body as answers show it, without personal data. */
export function positionView({ segment, element, position }: Placed): JsonObject {
  return {
    ...(segment === undefined ? {} : { segment }),
    ...(element === undefined ? {} : { element }),
    ...(position === undefined ? {} : { byte_offset: position.byteOffset, segment_number: position.segmentNumber }),
    ...(position?.transactionPosition === undefined ? {} : { transaction_position: position.transactionPosition }),
  };
}

export const warningViews = (warnings: readonly WarningSource[], limit: number): IngestWarning[] =>
  warnings.slice(0, Math.max(0, limit)).map((warning) => {
    const position = positionView(warning);
    const { code, message, agreedBy } = warning;
    return {
      code,
      message,
      ...(Object.keys(position).length > 0 && { position }),
      ...(agreedBy !== undefined && { agreed_by: agreedBy }),
    };
  });
