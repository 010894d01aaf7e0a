import type { AdapterWarning, Position, WrapperItem } from '../adapter.js';
import type { Segment } from './segment.js';

/** A file (FHS … FTS) or a batch (BHS … BTS) that stands open. */
class Wrapper {
  readonly header: Record<string, string>;
  count = 0;
  private readonly level: 'group' | 'interchange';
  private readonly position: Position;
  private readonly warnings: AdapterWarning[] = [];
  private declaredCount: string | null = null;
  private complete = false;

  constructor(level: 'group' | 'interchange', segment: Segment) {
    this.level = level;
    this.position = { byteOffset: segment.byteOffset, segmentNumber: segment.number };
    this.header = {
      sender: segment.value(3),
      sender_facility: segment.value(4),
      receiver: segment.value(5),
      receiver_facility: segment.value(6),
      date: segment.value(7),
      name: segment.value(9),
      control_number: segment.value(11),
    };
  }

  trailer(segment: Segment): void {
    this.complete = true;
    this.declaredCount = segment.value(1);
    if (this.declaredCount !== '' && Number(this.declaredCount) === this.count) return;
    // BTS-1 and FTS-1 are optional in 2.x: left out they contradict nothing.
    if (this.declaredCount === '') return;
    const what = this.level === 'group' ? 'messages' : 'batches';
    this.warnings.push({
      code: this.level === 'group' ? 'BATCH_COUNT_MISMATCH' : 'FILE_COUNT_MISMATCH',
      message: `${segment.id}-1 does not say the ${this.count} ${what} there are`,
      segment: segment.id,
      element: 1,
      position: { byteOffset: segment.byteOffset, segmentNumber: segment.number },
    });
  }

  item(): WrapperItem {
    const { level, header, position, declaredCount, count, complete, warnings } = this;
    if (!complete) {
      const id = level === 'group' ? 'BTS' : 'FTS';
      warnings.push({
        code: `${id}_MISSING`,
        message: `the ${level === 'group' ? 'batch' : 'file'} has no ${id}`,
        position,
      });
    }
    return { kind: 'wrapper', level, header, position, declaredCount, count, complete, warnings };
  }
}

/** The files and batches around the messages of a body. */
export class Batches {
  private file: Wrapper | null = null;
  private batch: Wrapper | null = null;
  private readonly give: (item: WrapperItem) => void;

  constructor(give: (item: WrapperItem) => void) {
    this.give = give;
  }

  /** True inside a file or batch whose trailer is still to come. */
  get open(): boolean {
    return this.file !== null || this.batch !== null;
  }

  get controlNumbers(): Record<string, string> {
    const numbers: Record<string, string> = {};
    if (this.file !== null) numbers['file'] = this.file.header['control_number'] || this.file.header['name'] || '';
    if (this.batch !== null) numbers['batch'] = this.batch.header['control_number'] || this.batch.header['name'] || '';
    return numbers;
  }

  countMessage(): void {
    if (this.batch !== null) this.batch.count += 1;
  }

  /** Takes FHS, BHS, BTS or FTS. */
  take(segment: Segment): void {
    if (segment.id === 'BTS') {
      this.batch?.trailer(segment);
      this.closeBatch();
    } else if (segment.id === 'FTS') {
      this.closeBatch();
      this.file?.trailer(segment);
      this.closeFile();
    } else if (segment.id === 'BHS') {
      this.closeBatch();
      this.batch = new Wrapper('group', segment);
    } else {
      this.closeAll();
      this.file = new Wrapper('interchange', segment);
    }
  }

  closeAll(): void {
    this.closeBatch();
    this.closeFile();
  }

  private closeBatch(): void {
    if (this.batch === null) return;
    if (this.file !== null) this.file.count += 1;
    this.give(this.batch.item());
    this.batch = null;
  }

  private closeFile(): void {
    if (this.file === null) return;
    this.give(this.file.item());
    this.file = null;
  }
}
