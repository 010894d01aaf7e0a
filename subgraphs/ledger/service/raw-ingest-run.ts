import { isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { MAX_RECORD_BYTES } from '../../../shared/worm/worm-store.js';
import { validateEnvelope } from '../domain/validate-envelope.js';
import { AcknowledgementFeed } from './acknowledge-ingest.js';
import type { Receipt } from './append-batch.js';
import { type AppendItem, appendEvents } from './append-events.js';
import { type IngestDeps, validationError } from './ingest-events.js';
import { positionView, type WarningSource, warningViews } from './ingest-views.js';
import type { AcknowledgementNumbers } from './ports/acknowledgement-numbers.js';
import type { ExceptionDraft, ExceptionRow } from './ports/exception-store.js';
import type {
  Acknowledger,
  AdapterItem,
  EventItem,
  ExceptionItem,
  RefusedItem,
  TransactionItem,
} from './ports/format-adapter.js';
import type { IngestAnswer, IngestRow, IngestStore, IngestWarning } from './ports/ingest-store.js';
import type { TenantContext } from './tenant-context.js';

/** Events of one append; the message is read on only when they are durable, so memory stays bounded. */
const BATCH_EVENTS = 500;
/** The rest of the rows is at GET /v1/ingest/{ingest_id}/results. */
export const MAX_ROWS_ANSWERED = 1_000;
const MAX_LISTED = 1_000;
/** Items without a row (ends of empty transactions) wait for the acknowledgement too. */
const MAX_WAITING = 2 * BATCH_EVENTS;
const PAGE_ROWS = 500;
/** JSON is seldom over eight times the bytes it was read from; only parts that might be too large are measured. */
const MEASURED_OVER_BYTES = MAX_RECORD_BYTES / 16;

export interface RunDeps extends IngestDeps {
  readonly ingests: IngestStore;
  readonly acknowledgements: AcknowledgementNumbers;
}

export interface RunInput {
  readonly ingestId: string;
  readonly rawSha256: string;
  readonly ids: Ids | undefined;
  /** Null for a format that knows no acknowledgement. */
  readonly acknowledger: Acknowledger | null;
}

/** One raw message on its way into the ledger: takes the adapter's items in order, and keeps the tally. */
export class RawIngestRun {
  readonly #deps: RunDeps;
  readonly #tenant: TenantContext;
  readonly #input: RunInput;
  #events: { readonly item: EventItem; readonly append: AppendItem }[] = [];
  #rows: IngestRow[] = [];
  #drafts: { readonly index: number | undefined; readonly draft: ExceptionDraft }[] = [];
  #pageRows: IngestRow[] = [];
  #pages = 0;
  #total = 0;
  readonly #refused: IngestRow[] = [];
  readonly #taken: IngestRow[] = [];
  readonly #exceptions = new Map<string, ExceptionRow>();
  readonly #repeated = new Set<string>();
  readonly #warnings: IngestWarning[] = [];
  readonly #providerLevel: JsonObject[] = [];
  readonly #acknowledgement: AcknowledgementFeed;
  readonly #counts = { transactions: 0, accepted: 0, duplicated: 0, rejected: 0 };

  constructor(deps: RunDeps, tenant: TenantContext, input: RunInput) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#input = input;
    this.#acknowledgement = new AcknowledgementFeed(input.acknowledger);
  }

  async take(item: AdapterItem): Promise<void> {
    this.#acknowledgement.take(item);
    if (item.kind === 'event') this.#takeEvent(item);
    else if (item.kind === 'refused') this.#takeRefused(item);
    else if (item.kind === 'exception') this.#takeException(item);
    else this.#takeEnd(item);
    if (this.#events.length >= BATCH_EVENTS || this.#rows.length >= BATCH_EVENTS) await this.#flush();
    else if (this.#acknowledgement.waiting >= MAX_WAITING) await this.#flush();
  }

  /** Writes what is left and answers. */
  async finish(about: Pick<IngestAnswer, 'format' | 'received_at'>): Promise<IngestAnswer> {
    await this.#flush();
    // Rows that all stand in the answer need no page beside it.
    if (this.#pages > 0 && this.#pageRows.length > 0) await this.#savePage(this.#pageRows);
    if (this.#repeated.size > 0) {
      await this.#deps.tellDuplicates(this.#tenant.tenantId, this.#repeated, this.#input.ids);
    }
    const acknowledgement = await this.#acknowledgement.finish(this.#deps.acknowledgements, {
      format: about.format,
      nowIso: isoTime(this.#deps.clock.nowMs()),
    });
    const results = [...this.#refused, ...this.#taken].slice(0, MAX_ROWS_ANSWERED);
    const answer: IngestAnswer = {
      ingest_id: this.#input.ingestId,
      format: about.format,
      raw_sha256: this.#input.rawSha256,
      ...this.#counts,
      exceptions: [...this.#exceptions.values()].map(({ exception_id, kind, subject, detail }) => ({
        exception_id,
        kind,
        subject,
        detail,
      })),
      results,
      results_truncated: this.#total > results.length,
      warnings: this.#warnings,
      provider_level: this.#providerLevel,
      acknowledgement,
      received_at: about.received_at,
    };
    return this.#deps.ingests.save(answer);
  }

  #takeEvent(item: EventItem): void {
    const { rawSha256 } = this.#input;
    const draft = item.envelope;
    const envelope = { ...draft, payload: { ...draft.payload, raw_sha256: rawSha256 } } as unknown as JsonObject;
    const { faults } = validateEnvelope(envelope, this.#tenant.tenantId, this.#deps.contractCheck);
    if (faults.length > 0) {
      this.#reject(item, validationError(faults), 'VALIDATION_FAILED', {
        faults: faults.map(({ path, code }) => ({ path, code })),
      });
    } else if (item.part.length > MEASURED_OVER_BYTES && tooLarge(envelope)) {
      const error = { code: 'PAYLOAD_TOO_LARGE', message: `A record may be ${MAX_RECORD_BYTES} bytes at most.` };
      this.#reject(item, error, 'VALIDATION_FAILED', { code: error.code });
    } else {
      this.#events.push({
        item,
        append: { index: item.index, envelope, omitTime: item.duplicateKeyOmitsTime, fromRaw: true },
      });
    }
  }

  #reject(
    item: EventItem,
    error: NonNullable<IngestRow['error']>,
    kind: ExceptionDraft['kind'],
    detail: JsonObject,
  ): void {
    const position = positionView(item);
    this.#acknowledgement.settle(item.index, { status: 'REJECTED', code: error.code, message: error.message });
    const row = {
      index: item.index,
      status: 'REJECTED',
      source_record_id: item.envelope.source_record_id,
      position,
      error,
    } as const;
    this.#rows.push(row);
    this.#drafts.push({ index: undefined, draft: this.#partException(kind, item.index, { ...detail, ...position }) });
  }

  #takeRefused(item: RefusedItem): void {
    const { index, code, message, segment } = item;
    const position = positionView(item);
    const error = { code, message };
    this.#rows.push({ index, status: 'REJECTED', item: item.item, ...(segment ? { segment } : {}), position, error });
    if (!item.exceptionKind) return;
    const detail = { code, message, item: item.item, ...position };
    this.#drafts.push({ index: undefined, draft: this.#partException(item.exceptionKind, index, detail) });
  }

  #takeException(item: ExceptionItem): void {
    const detail = {
      code: item.code,
      message: item.message,
      ...positionView(item),
      ...((item.detail as JsonObject) ?? {}),
    };
    const subject = { kind: 'RAW_BODY', raw_sha256: this.#input.rawSha256, at: item.position?.byteOffset ?? 0 };
    const draft: ExceptionDraft = {
      kind: item.exceptionKind,
      source: 'INGEST',
      subject,
      detail,
      raw_sha256: this.#input.rawSha256,
    };
    this.#drafts.push({ index: item.index, draft });
  }

  #takeEnd(item: Exclude<AdapterItem, EventItem | RefusedItem | ExceptionItem>): void {
    this.#warn(item.warnings);
    if (item.kind === 'transaction') this.#takeTransaction(item);
  }

  #takeTransaction(item: TransactionItem): void {
    this.#counts.transactions++;
    const adjustments = item.detail?.['provider_adjustments'];
    if (!Array.isArray(adjustments) || adjustments.length === 0 || this.#providerLevel.length >= MAX_LISTED) return;
    const control_numbers = item.controlNumbers;
    this.#providerLevel.push({ transaction: item.transaction, control_numbers, adjustments } as JsonObject);
  }

  #warn(warnings: readonly WarningSource[]): void {
    this.#warnings.push(...warningViews(warnings, MAX_LISTED - this.#warnings.length));
  }

  #partException(kind: ExceptionDraft['kind'], index: number, detail: JsonObject): ExceptionDraft {
    const raw_sha256 = this.#input.rawSha256;
    return { kind, source: 'INGEST', subject: { kind: 'RAW_PART', raw_sha256, index }, detail, raw_sha256 };
  }

  async #flush(): Promise<void> {
    const events = this.#events;
    this.#events = [];
    const receipts = await appendEvents(
      this.#deps,
      this.#tenant,
      events.map((event) => event.append),
      this.#input.ids,
    );
    for (const { item } of events) {
      const receipt = receipts.get(item.index);
      if (!receipt) throw new Error('an appended event has no receipt');
      if (receipt.status === 'DUPLICATE') this.#repeated.add(receipt.event_id);
      this.#rows.push(eventRow(item, receipt));
      this.#acknowledgement.settle(item.index, { status: receipt.status });
    }
    this.#acknowledgement.release();
    await this.#openExceptions(receipts);
    await this.#keepRows();
  }

  async #openExceptions(receipts: ReadonlyMap<number, Receipt>): Promise<void> {
    const drafts = this.#drafts.map(({ index, draft }) => {
      const receipt = index === undefined ? undefined : receipts.get(index);
      return receipt ? { ...draft, subject: { kind: 'EVENT', id: receipt.event_id } } : draft;
    });
    this.#drafts = [];
    for (const row of await this.#deps.openExceptions(this.#tenant.tenantId, drafts)) {
      if (this.#exceptions.size < MAX_LISTED) this.#exceptions.set(row.exception_id, row);
    }
  }

  /** Rows go to their pages in the order read, and the first of each sort to the answer. */
  async #keepRows(): Promise<void> {
    const rows = this.#rows.sort((a, b) => a.index - b.index);
    this.#rows = [];
    for (const row of rows) {
      this.#total++;
      if (row.status === 'REJECTED') this.#counts.rejected++;
      else if (row.status === 'DUPLICATE') this.#counts.duplicated++;
      else this.#counts.accepted++;
      const list = row.status === 'REJECTED' ? this.#refused : this.#taken;
      if (list.length < MAX_ROWS_ANSWERED) list.push(row);
      this.#pageRows.push(row);
      if (this.#pageRows.length >= PAGE_ROWS) await this.#savePage(this.#pageRows.splice(0));
    }
  }

  async #savePage(rows: readonly IngestRow[]): Promise<void> {
    await this.#deps.ingests.savePage(this.#input.ingestId, this.#pages++, rows);
  }
}

function eventRow(item: EventItem, receipt: Receipt): IngestRow {
  const warnings = warningViews(item.warnings, MAX_WARNINGS_A_ROW);
  return {
    index: item.index,
    status: receipt.status,
    event_id: receipt.event_id,
    source_record_id: item.envelope.source_record_id,
    source_system: receipt.source_system,
    sequence: receipt.sequence,
    entry_hash: receipt.entry_hash,
    ...(receipt.worm_sha256 === undefined ? {} : { worm_sha256: receipt.worm_sha256 }),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** The event's own payload holds them all. */
const MAX_WARNINGS_A_ROW = 20;

const tooLarge = (envelope: JsonObject): boolean =>
  Buffer.byteLength(JSON.stringify(envelope)) > MAX_RECORD_BYTES - 1024;
