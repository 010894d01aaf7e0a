import type { AdapterWarning, Position, WrapperItem } from '../adapter.js';
import type { Segment } from './segment.js';
import { positionOf } from './transaction-context.js';

/** A fault that a lenient reading warns of and a strict one refuses for. */
export interface Fault {
  code: string;
  message: string;
  segment: string;
  element?: number;
}

const isaFields = [
  [5, 'sender_qualifier'],
  [6, 'sender'],
  [7, 'receiver_qualifier'],
  [8, 'receiver'],
  [9, 'date'],
  [10, 'time'],
  [12, 'version'],
  [13, 'control_number'],
  [14, 'acknowledgement_requested'],
  [15, 'usage'],
] as const;

const gsFields = [
  [1, 'functional_id'],
  [2, 'sender'],
  [3, 'receiver'],
  [4, 'date'],
  [5, 'time'],
  [6, 'control_number'],
  [8, 'version'],
] as const;

/** An interchange (ISA … IEA) or a group (GS … GE): what its header says, and whether its trailer agrees. */
export class Wrapper {
  /** Groups in an interchange, transactions in a group. */
  count = 0;
  readonly header: Record<string, string>;
  readonly position: Position;
  private readonly level: 'group' | 'interchange';
  private readonly implied: boolean;
  private readonly warnings: AdapterWarning[] = [];
  private readonly faults: Fault[] = [];
  private declaredCount: string | null = null;
  private ended = false;

  private constructor(level: Wrapper['level'], header: Record<string, string>, position: Position, implied: boolean) {
    this.level = level;
    this.header = header;
    this.position = position;
    this.implied = implied;
  }

  /** Without a segment: the interchange that a body beginning at GS or ST stands in. */
  static interchange(segment: Segment | null, position: Position): Wrapper {
    return new Wrapper(
      'interchange',
      segment === null ? {} : readFields(segment, isaFields),
      position,
      segment === null,
    );
  }

  static group(segment: Segment, position: Position): Wrapper {
    return new Wrapper('group', readFields(segment, gsFields), position, false);
  }

  warn(code: string, message: string, segment: string | undefined, position: Position): void {
    this.warnings.push({ code, message, position, ...(segment !== undefined && { segment }) });
  }

  /** Checks IEA or GE against the header. */
  trailer(segment: Segment): void {
    this.ended = true;
    const [id, header, what] =
      this.level === 'interchange' ? ['IEA', 'ISA13', 'groups'] : ['GE', 'GS06', 'transactions'];
    this.declaredCount = segment.value(1);
    const found: Fault[] = [];
    if (this.declaredCount === '' || Number(this.declaredCount) !== this.count) {
      const message = `${id}01 does not say the ${this.count} ${what} there are`;
      found.push({ code: `${this.level.toUpperCase()}_COUNT_MISMATCH`, message, segment: id, element: 1 });
    }
    if (!this.implied && segment.value(2) !== this.header['control_number']) {
      found.push({
        code: 'CONTROL_NUMBER_MISMATCH',
        message: `${id}02 differs from ${header}`,
        segment: id,
        element: 2,
      });
    }
    for (const fault of found) this.add(fault, positionOf(segment));
  }

  /** The faults to refuse for, the missing trailer among them. */
  close(): Fault[] {
    if (!this.ended && !this.implied) {
      const id = this.level === 'interchange' ? 'IEA' : 'GE';
      this.add({ code: `${id}_MISSING`, message: `the ${this.level} has no ${id}`, segment: id }, this.position);
    }
    return this.faults;
  }

  item(): WrapperItem {
    const { level, header, position, declaredCount, count, warnings } = this;
    return { kind: 'wrapper', level, header, position, declaredCount, count, complete: this.ended, warnings };
  }

  private add(fault: Fault, position: Position): void {
    this.faults.push(fault);
    this.warnings.push({ ...fault, position });
  }
}

function readFields(segment: Segment, fields: readonly (readonly [number, string])[]): Record<string, string> {
  return Object.fromEntries(fields.map(([element, name]) => [name, segment.value(element)]));
}
