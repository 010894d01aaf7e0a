import { isoTime } from '../../../shared/clock/clock.js';
import { nextTurn } from '../../../shared/clock/timers.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { MAX_RECORD_BYTES } from '../../../shared/worm/worm-store.js';
import { validateEnvelope } from '../append/domain/index.js';
import {
  appendEvents,
  type IngestDeps,
  type Receipt,
  SLICE_EVENTS,
  type TenantContext,
  validationError,
} from '../append/index.js';
import type { ExceptionDraft, ExceptionRow } from '../exceptions/index.js';
import type {
  Acknowledger,
  AdapterItem,
  EventItem,
  ExceptionItem,
  RefusedItem,
  TransactionItem,
} from '../formats/index.js';
import { AcknowledgementFeed } from './acknowledge.js';
import { AttachedDocuments } from './attached-documents.js';
import type { CodeWatch } from './code-watch.js';
import { KnownContent } from './known-content.js';
import {
  IngestRows,
  positionView,
  Slice,
  type WaitingDraft,
  type WaitingEvent,
  type WarningSource,
  warningViews,
} from './message-parts.js';
import type { AcknowledgementNumbers, IngestAnswer, IngestRow, IngestStore, IngestWarning } from './ports.js';

/**
 * Appends in flight: the next events are read and hashed while these are written. Reading waits for the oldest append,
 * so memory stays bounded.
 */
const MAX_SLICES = 6;
const MAX_LISTED = 1_000;
/** Limit of items without a row (ends of empty transactions) that wait for the acknowledgement. */
const MAX_WAITING = 8 * SLICE_EVENTS;
/** JSON is seldom more than eight times its source bytes, so only large parts are measured. */
const MEASURED_OVER_BYTES = MAX_RECORD_BYTES / 16;

interface RunDeps extends IngestDeps {
  readonly documents: Pick<Documents, 'file'>;
  readonly codeWatch: Pick<CodeWatch, 'mark'>;
  readonly ingests: IngestStore;
  readonly acknowledgements: AcknowledgementNumbers;
}

interface RunInput {
  readonly ingestId: string;
  readonly rawSha256: string;
  readonly ids: Ids | undefined;
  /** Null for a format without acknowledgements. */
  readonly acknowledger: Acknowledger | null;
}

/** One raw message on its way into the ledger: takes the adapter's items in order and counts the results. */
export class RawIngestRun {
  readonly #deps: RunDeps;
  readonly #tenant: TenantContext;
  readonly #input: RunInput;
  #slice = new Slice();
  /** Slices in reading order, each settled after the previous one. */
  readonly #underWay: Promise<void>[] = [];
  /** Events of the last settled slice: an item about an event may follow in the next slice. */
  #settled: ReadonlyMap<number, Receipt> = new Map();
  readonly #rows: IngestRows;
  readonly #exceptions = new Map<string, ExceptionRow>();
  readonly #repeated = new Set<string>();
  readonly #warnings: IngestWarning[] = [];
  readonly #providerLevel: JsonObject[] = [];
  readonly #acknowledgement: AcknowledgementFeed;
  readonly #known: KnownContent;
  readonly #attached: AttachedDocuments;
  /** Slices are compared with known contents and code tables one after another, so that their appends begin in reading order. */
  #marking: Promise<readonly WaitingEvent[]> = Promise.resolve([]);
  #transactions = 0;

  constructor(deps: RunDeps, tenant: TenantContext, input: RunInput) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#input = input;
    this.#rows = new IngestRows(deps.ingests, input.ingestId);
    this.#acknowledgement = new AcknowledgementFeed(input.acknowledger);
    this.#known = new KnownContent(tenant.ledger);
    this.#attached = new AttachedDocuments(tenant, deps.documents);
  }

  async take(item: AdapterItem): Promise<void> {
    this.#acknowledgement.take(item);
    if (item.kind === 'event') await this.#attached.store(item);
    if (item.kind === 'event') this.#takeEvent(item);
    else if (item.kind === 'refused') this.#takeRefused(item);
    else if (item.kind === 'exception') this.#takeException(item);
    else this.#takeEnd(item);
    if (!this.#slice.full && this.#acknowledgement.waiting < MAX_WAITING) return;
    this.#append();
    if (this.#underWay.length >= MAX_SLICES) await this.#underWay.shift();
    // Let other requests run and waiting appends start before the next read.
    await nextTurn();
  }

  /** Writes the rest and builds the answer. */
  async finish(about: Pick<IngestAnswer, 'format' | 'received_at' | 'warnings'>): Promise<IngestAnswer> {
    this.#append();
    await this.#underWay.at(-1);
    const rows = await this.#rows.finish();
    if (this.#repeated.size > 0) {
      await this.#deps.reportDuplicates(this.#tenant.tenantId, this.#repeated, this.#input.ids);
    }
    const acknowledgement = await this.#acknowledgement.finish(this.#deps.acknowledgements, {
      format: about.format,
      nowIso: isoTime(this.#deps.clock.nowMs()),
    });
    const answer: IngestAnswer = {
      ingest_id: this.#input.ingestId,
      format: about.format,
      raw_sha256: this.#input.rawSha256,
      transactions: this.#transactions,
      ...rows,
      exceptions: [...this.#exceptions.values()].map(({ exception_id, kind, subject, detail }) => ({
        exception_id,
        kind,
        subject,
        detail,
      })),
      warnings: [...about.warnings, ...this.#warnings],
      provider_level: this.#providerLevel,
      acknowledgement,
      received_at: about.received_at,
    };
    return this.#deps.ingests.save(answer);
  }

  #takeEvent(item: EventItem): void {
    const { rawSha256 } = this.#input;
    const draft = item.envelope;
    // Adapters make payloads of JSON values only.
    const payload = { ...draft.payload, raw_sha256: rawSha256 } as JsonObject;
    const envelope: JsonObject = { ...draft, payload };
    const { faults } = validateEnvelope(envelope, this.#tenant.tenantId, this.#deps.contractCheck);
    if (faults.length > 0) {
      this.#reject(item, validationError(faults), 'VALIDATION_FAILED', {
        faults: faults.map(({ path, code }) => ({ path, code })),
      });
    } else if (item.part.length > MEASURED_OVER_BYTES && tooLarge(envelope)) {
      const error = { code: 'PAYLOAD_TOO_LARGE', message: `A record must not exceed ${MAX_RECORD_BYTES} bytes.` };
      this.#reject(item, error, 'VALIDATION_FAILED', { code: error.code });
    } else {
      const append = { index: item.index, envelope, omitTime: item.duplicateKeyOmitsTime, fromRaw: true };
      this.#slice.add({ item, append });
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
    this.#slice.rows.push(row);
    this.#slice.drafts.push({
      index: undefined,
      draft: this.#partException(kind, item.index, { ...detail, ...position }),
    });
  }

  #takeRefused(item: RefusedItem): void {
    const { index, code, message, segment } = item;
    const position = positionView(item);
    const error = { code, message };
    this.#slice.rows.push({
      index,
      status: 'REJECTED',
      item: item.item,
      ...(segment ? { segment } : {}),
      position,
      error,
    });
    if (!item.exceptionKind) return;
    const detail = { code, message, item: item.item, ...position };
    this.#slice.drafts.push({ index: undefined, draft: this.#partException(item.exceptionKind, index, detail) });
  }

  #takeException(item: ExceptionItem): void {
    const detail = {
      code: item.code,
      message: item.message,
      ...positionView(item),
      // Adapters make details of JSON values only.
      ...(item.detail as JsonObject | undefined),
    };
    const subject = { kind: 'RAW_BODY', raw_sha256: this.#input.rawSha256, at: item.position?.byteOffset ?? 0 };
    const draft: ExceptionDraft = {
      kind: item.exceptionKind,
      source: 'INGEST',
      subject,
      detail,
      raw_sha256: this.#input.rawSha256,
    };
    this.#slice.drafts.push({ index: item.index, draft });
  }

  #takeEnd(item: Exclude<AdapterItem, EventItem | RefusedItem | ExceptionItem>): void {
    this.#warn(item.warnings);
    if (item.kind === 'transaction') this.#takeTransaction(item);
  }

  #takeTransaction(item: TransactionItem): void {
    this.#transactions++;
    const adjustments = item.detail?.['provider_adjustments'];
    if (!Array.isArray(adjustments) || adjustments.length === 0 || this.#providerLevel.length >= MAX_LISTED) return;
    const control_numbers = item.controlNumbers;
    this.#providerLevel.push({ transaction: item.transaction, control_numbers, adjustments });
  }

  #warn(warnings: readonly WarningSource[]): void {
    this.#warnings.push(...warningViews(warnings, MAX_LISTED - this.#warnings.length));
  }

  #partException(kind: ExceptionDraft['kind'], index: number, detail: JsonObject): ExceptionDraft {
    const raw_sha256 = this.#input.rawSha256;
    return { kind, source: 'INGEST', subject: { kind: 'RAW_PART', raw_sha256, index }, detail, raw_sha256 };
  }

  /** Starts the append of the items since the last one. */
  #append(): void {
    const slice = this.#slice;
    this.#slice = new Slice();
    const waiting = this.#acknowledgement.cut();
    this.#marking = this.#marking.then(() => this.#marked(slice));
    const appending = this.#marking.then(async (events) => {
      const items = events.map(({ append }) => append);
      return { events, receipts: await appendEvents(this.#deps, this.#tenant, items, this.#input.ids) };
    });
    const before = this.#underWay.at(-1);
    const settled = this.#settle(slice, waiting, appending, before);
    // Handle the rejection at once: it may occur during reading.
    settled.catch(() => {});
    this.#underWay.push(settled);
  }

  async #marked({ events }: Slice): Promise<readonly WaitingEvent[]> {
    return this.#deps.codeWatch.mark(this.#tenant.tenantId, await this.#known.mark(events));
  }

  async #settle(
    slice: Slice,
    waiting: readonly AdapterItem[],
    appending: Promise<{ readonly events: readonly WaitingEvent[]; readonly receipts: ReadonlyMap<number, Receipt> }>,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const [{ events, receipts }] = await Promise.all([appending, before]);
    for (const { item } of events) {
      const receipt = receipts.get(item.index);
      if (!receipt) throw new Error('an appended event has no receipt');
      if (receipt.status === 'DUPLICATE') this.#repeated.add(receipt.event_id);
      await this.#attached.file(item, receipt.event_id);
      slice.rows.push(eventRow(item, receipt));
      this.#acknowledgement.settle(item.index, { status: receipt.status });
    }
    this.#acknowledgement.release(waiting);
    await this.#openExceptions(slice.drafts, receipts);
    this.#settled = receipts;
    await this.#rows.keep(slice.rows);
  }

  async #openExceptions(waiting: readonly WaitingDraft[], receipts: ReadonlyMap<number, Receipt>): Promise<void> {
    const drafts = waiting.map(({ index, draft }) => {
      const receipt = index === undefined ? undefined : (receipts.get(index) ?? this.#settled.get(index));
      return receipt ? { ...draft, subject: { kind: 'EVENT', id: receipt.event_id } } : draft;
    });
    for (const row of await this.#deps.openExceptions(this.#tenant.tenantId, drafts)) {
      if (this.#exceptions.size < MAX_LISTED) this.#exceptions.set(row.exception_id, row);
    }
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

/** The warnings of an event are in its payload. */
const MAX_WARNINGS_A_ROW = 20;

const tooLarge = (envelope: JsonObject): boolean =>
  Buffer.byteLength(JSON.stringify(envelope)) > MAX_RECORD_BYTES - 1024;
