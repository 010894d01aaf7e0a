import type { JsonObject } from '../../../shared/json/strict-json.js';
import { validateEnvelope } from '../append/domain/index.js';
import { validationError } from '../append/index.js';
import type { AdapterItem, EventItem, ExceptionItem, RefusedItem } from '../formats/index.js';
import { positionView, warningViews } from './message-parts.js';
import { checkSourceSystem, type MessageDeps, type MessageStatements, openMessage } from './open-message.js';
import type { IngestWarning } from './ports.js';
import type { RawPreview, RawPreviewRow } from './schema/preview.js';

const MAX_ROWS = 1_000;
/** Events whose fields are shown. */
const MAX_EVENTS_SHOWN = 50;
const MAX_WARNINGS_A_ROW = 20;

interface PreviewInput extends MessageStatements {
  readonly content: Buffer;
}

/**
 * Reads a raw message as an ingest does and says what it would become. Writes nothing, so it does not know which events
 * the ledger has already.
 *
 * @throws VALIDATION_ERROR for a wrong source system; the errors of chooseFormat
 */
export async function previewRaw(deps: MessageDeps, tenantId: string, input: PreviewInput): Promise<RawPreview> {
  checkSourceSystem(deps, input.source_system);
  const message = await openMessage(deps, tenantId, input, inOnePiece(input.content));
  const preview = new Preview(deps, tenantId);
  for await (const item of message.items) preview.take(item);
  return { format: message.format, ...preview.answer(message.warnings()) };
}

async function* inOnePiece(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

/** Counts and lists the items of one message. */
class Preview {
  readonly #deps: Pick<MessageDeps, 'contractCheck'>;
  readonly #tenantId: string;
  readonly #rows: RawPreviewRow[] = [];
  readonly #exceptions: RawPreview['exceptions'][number][] = [];
  readonly #warnings: IngestWarning[] = [];
  readonly #counts = { transactions: 0, valid: 0, rejected: 0 };

  constructor(deps: Pick<MessageDeps, 'contractCheck'>, tenantId: string) {
    this.#deps = deps;
    this.#tenantId = tenantId;
  }

  take(item: AdapterItem): void {
    if (item.kind === 'event') this.#takeEvent(item);
    else if (item.kind === 'refused') this.#takeRefused(item);
    else if (item.kind === 'exception') this.#takeException(item);
    else {
      this.#warnings.push(...warningViews(item.warnings, MAX_ROWS - this.#warnings.length));
      if (item.kind === 'transaction') this.#counts.transactions++;
    }
  }

  answer(ofBody: readonly IngestWarning[]): Omit<RawPreview, 'format'> {
    const { transactions, valid, rejected } = this.#counts;
    return {
      transactions,
      valid,
      rejected,
      results: this.#rows,
      results_truncated: valid + rejected > this.#rows.length,
      exceptions: this.#exceptions,
      warnings: [...ofBody, ...this.#warnings],
    };
  }

  #takeEvent(item: EventItem): void {
    // Adapters make payloads of JSON values only.
    const envelope = { ...item.envelope } as unknown as JsonObject;
    const { faults } = validateEnvelope(envelope, this.#tenantId, this.#deps.contractCheck);
    const warnings = warningViews(item.warnings, MAX_WARNINGS_A_ROW);
    const about = {
      index: item.index,
      source_record_id: item.envelope.source_record_id,
      source_system: item.envelope.source_system,
      position: positionView(item),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    const shown = this.#counts.valid < MAX_EVENTS_SHOWN ? { event: envelope } : {};
    this.#add(
      faults.length > 0
        ? { ...about, status: 'REJECTED', error: validationError(faults) }
        : { ...about, status: 'VALID', ...shown },
    );
  }

  #takeRefused(item: RefusedItem): void {
    const { index, code, message, segment } = item;
    this.#add({
      index,
      status: 'REJECTED',
      item: item.item,
      ...(segment === undefined ? {} : { segment }),
      position: positionView(item),
      error: { code, message },
    });
  }

  #takeException(item: ExceptionItem): void {
    if (this.#exceptions.length >= MAX_ROWS) return;
    const detail = { code: item.code, message: item.message, ...positionView(item) };
    this.#exceptions.push({ kind: item.exceptionKind, detail });
  }

  #add(row: RawPreviewRow): void {
    if (row.status === 'VALID') this.#counts.valid++;
    else this.#counts.rejected++;
    if (this.#rows.length < MAX_ROWS) this.#rows.push(row);
  }
}
