import { OpenWrapper } from '../../emit.js';
import type { WrapperItem } from '../../format-adapter.js';
import { fieldTable } from '../../values/payload.js';
import type { Segment } from './segment.js';

const placeOf = ({ byteOffset, number }: Segment) => ({ byteOffset, segmentNumber: number });

const NAMES = fieldTable('sender=3 sender_facility=4 receiver=5 receiver_facility=6 date=7 name=9 control_number=11');

/** An open file (FHS … FTS) or batch (BHS … BTS). */
class Wrapper extends OpenWrapper {
  constructor(level: 'group' | 'interchange', segment: Segment) {
    const header = Object.fromEntries(NAMES.map(([name, field]) => [name, segment.value(Number(field))]));
    super(level, header, placeOf(segment));
  }

  get number(): string {
    return this.header['control_number'] || this.header['name'] || '';
  }

  trailer(segment: Segment): void {
    const declared = segment.value(1);
    this.complete = true;
    this.declaredCount = declared;
    // BTS-1 and FTS-1 are optional in 2.x: an absent count is no fault.
    if (declared === '' || Number(declared) === this.count) return;
    const [what, parts] = this.level === 'group' ? ['BATCH', 'messages'] : ['FILE', 'batches'];
    const message = `${segment.id}-1 differs from the ${this.count} ${parts} found`;
    const code = `${what}_COUNT_MISMATCH`;
    this.warnings.push({ code, message, segment: segment.id, element: 1, position: placeOf(segment) });
  }

  override item(): WrapperItem {
    const [id, what] = this.level === 'group' ? ['BTS', 'batch'] : ['FTS', 'file'];
    const { position } = this;
    if (!this.complete) this.warnings.push({ code: `${id}_MISSING`, message: `the ${what} has no ${id}`, position });
    return super.item();
  }
}

/** The files and batches around the messages of a body. */
export class Batches {
  #file: Wrapper | null = null;
  #batch: Wrapper | null = null;
  readonly #give: (item: WrapperItem) => void;

  constructor(give: (item: WrapperItem) => void) {
    this.#give = give;
  }

  /** True inside a file or batch before its trailer. */
  get open(): boolean {
    return this.#file !== null || this.#batch !== null;
  }

  get controlNumbers(): Record<string, string> {
    const numbers: Record<string, string> = {};
    if (this.#file !== null) numbers['file'] = this.#file.number;
    if (this.#batch !== null) numbers['batch'] = this.#batch.number;
    return numbers;
  }

  countMessage(): void {
    if (this.#batch !== null) this.#batch.count += 1;
  }

  /** Takes FHS, BHS, BTS or FTS. */
  take(segment: Segment): void {
    if (segment.id === 'BTS') {
      this.#batch?.trailer(segment);
      this.#closeBatch();
    } else if (segment.id === 'FTS') {
      this.#closeBatch();
      this.#file?.trailer(segment);
      this.#closeFile();
    } else if (segment.id === 'BHS') {
      this.#closeBatch();
      this.#batch = new Wrapper('group', segment);
    } else {
      this.closeAll();
      this.#file = new Wrapper('interchange', segment);
    }
  }

  closeAll(): void {
    this.#closeBatch();
    this.#closeFile();
  }

  #closeBatch(): void {
    if (this.#batch === null) return;
    if (this.#file !== null) this.#file.count += 1;
    this.#give(this.#batch.item());
    this.#batch = null;
  }

  #closeFile(): void {
    if (this.#file === null) return;
    this.#give(this.#file.item());
    this.#file = null;
  }
}
