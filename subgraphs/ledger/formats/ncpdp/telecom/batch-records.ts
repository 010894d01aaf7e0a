import { OpenWrapper } from '../../emit.js';
import type { Position, WrapperItem } from '../../format-adapter.js';

/** The record before the transmissions of a batch (Batch Standard: 701 = 00). */
const HEADER_PATTERN = /^00([TRE])(.{24})(\d{7})(\d{8})(\d{4})([PT])([0-9A-Z]{2})(.{24})/s;
/** The record after them (701 = 99): batch number, count of records, message. */
const TRAILER_PATTERN = /^99(\d{7})(\d{10})/;

/** Recognises a batch record by its first bytes; null for anything else. */
export function batchRecordOf(text: string): 'header' | 'trailer' | null {
  if (HEADER_PATTERN.test(text)) return 'header';
  return TRAILER_PATTERN.test(text) ? 'trailer' : null;
}

/** An open batch. */
export class Batch extends OpenWrapper {
  readonly number: string;
  /** Records of the batch: header, transmissions and trailer. */
  #records = 1;

  constructor(text: string, position: Position) {
    const [, type = '', sender = '', number = '', date = '', time = '', file = '', version = '', receiver = ''] =
      HEADER_PATTERN.exec(text) ?? [];
    const names = { sender: sender.trim(), receiver: receiver.trim(), control_number: number };
    super('group', { ...names, transmission_type: type, date, time, file_type: file, version }, position);
    this.number = number;
  }

  take(): void {
    this.count += 1;
    this.#records += 1;
  }

  /** 751 counts the records; many senders leave out header and trailer. */
  trailer(text: string, position: Position): void {
    const [, number = '', count = ''] = TRAILER_PATTERN.exec(text) ?? [];
    this.complete = true;
    this.#records += 1;
    this.declaredCount = count;
    const warn = (code: string, message: string) => this.warnings.push({ code, message, segment: '99', position });
    if (number !== this.number) warn('BATCH_NUMBER_MISMATCH', '806-5C differs between header and trailer');
    if (Number(count) === this.count || Number(count) === this.#records) return;
    warn('BATCH_COUNT_MISMATCH', `751 differs from the ${this.count} transmissions found`);
  }

  override item(): WrapperItem {
    const { position } = this;
    const missing = { code: 'BATCH_TRAILER_MISSING', message: 'the batch has no trailer', position };
    if (!this.complete) this.warnings.push(missing);
    return super.item();
  }
}
