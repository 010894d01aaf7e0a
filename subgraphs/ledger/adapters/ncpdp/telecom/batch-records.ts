import type { AdapterWarning, Position, WrapperItem } from '../../adapter.js';

/** The record before the transmissions of a batch (Batch Standard: 701 = 00). */
const headerPattern = /^00([TRE])(.{24})(\d{7})(\d{8})(\d{4})([PT])([0-9A-Z]{2})(.{24})/s;
/** The record behind them (701 = 99): batch number, count of records, message. */
const trailerPattern = /^99(\d{7})(\d{10})/;

/** What a batch record's first bytes say it is; null for anything else. */
export function batchRecordOf(text: string): 'header' | 'trailer' | null {
  if (headerPattern.test(text)) return 'header';
  return trailerPattern.test(text) ? 'trailer' : null;
}

/** A batch that stands open. */
export class Batch {
  readonly number: string;
  count = 0;
  /** Records of the batch: its header, transmissions, and its trailer. */
  private records = 1;
  private readonly header: Record<string, string>;
  private readonly position: Position;
  private readonly warnings: AdapterWarning[] = [];
  private declaredCount: string | null = null;
  private complete = false;

  constructor(text: string, position: Position) {
    const [, type = '', sender = '', number = '', date = '', time = '', file = '', version = '', receiver = ''] =
      headerPattern.exec(text) ?? [];
    this.number = number;
    this.position = position;
    this.header = {
      sender: sender.trim(),
      receiver: receiver.trim(),
      control_number: number,
      transmission_type: type,
      date,
      time,
      file_type: file,
      version,
    };
  }

  take(): void {
    this.count += 1;
    this.records += 1;
  }

  /** 751 counts the records; many senders leave header and trailer out of it. */
  trailer(text: string, position: Position): void {
    const [, number = '', count = ''] = trailerPattern.exec(text) ?? [];
    this.complete = true;
    this.records += 1;
    this.declaredCount = count;
    const at = { segment: '99', position };
    if (number !== this.number) {
      this.warnings.push({
        code: 'BATCH_NUMBER_MISMATCH',
        message: '806-5C differs between header and trailer',
        ...at,
      });
    }
    if (Number(count) === this.count || Number(count) === this.records) return;
    const message = `751 does not say the ${this.count} transmissions there are`;
    this.warnings.push({ code: 'BATCH_COUNT_MISMATCH', message, ...at });
  }

  item(): WrapperItem {
    const { header, position, declaredCount, count, complete, warnings } = this;
    if (!complete) warnings.push({ code: 'BATCH_TRAILER_MISSING', message: 'the batch has no trailer', position });
    return { kind: 'wrapper', level: 'group', header, position, declaredCount, count, complete, warnings };
  }
}
