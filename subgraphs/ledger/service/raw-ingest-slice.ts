import { type AppendItem, SLICE_EVENTS } from './append-events.js';
import type { ExceptionDraft } from './ports/exception-store.js';
import type { EventItem } from './ports/format-adapter.js';
import type { IngestRow } from './ports/ingest-store.js';

/** Of the bytes that the events of one append were read from. */
const SLICE_BYTES = 1_048_576;

export interface WaitingEvent {
  readonly item: EventItem;
  readonly append: AppendItem;
}

export interface WaitingDraft {
  /** Of the event that it is about, which has its identifier when it is appended. */
  readonly index: number | undefined;
  readonly draft: ExceptionDraft;
}

/** What was read of a raw message since the last append: no more than is hashed in one go. */
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
