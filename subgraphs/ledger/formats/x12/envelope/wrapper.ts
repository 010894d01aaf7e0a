import { type Agreement, withAgreement } from '../../agreed-faults.js';
import { OpenWrapper } from '../../emit.js';
import type { AdapterWarning, Position } from '../../format-adapter.js';
import { type FieldTable, fieldTable } from '../../values/payload.js';
import { positionOf, type Segment } from './segment.js';

/** A fault: lenient reading warns, strict reading rejects. */
export interface Fault {
  code: string;
  message: string;
  segment: string;
  element?: number;
}

const ISA_FIELDS = fieldTable(
  'sender_qualifier=5 sender=6 receiver_qualifier=7 receiver=8 date=9 time=10 version=12 control_number=13 ' +
    'acknowledgement_requested=14 usage=15',
);
const GS_FIELDS = fieldTable('functional_id=1 sender=2 receiver=3 date=4 time=5 control_number=6 version=8');

/** An interchange (ISA … IEA) or a group (GS … GE): its header, and whether its trailer agrees. */
export class Wrapper extends OpenWrapper {
  /** What its sender is allowed. */
  agreement: Agreement | null = null;
  readonly #implied: boolean;
  readonly #faults: Fault[] = [];

  /** `segment`: null for the implied interchange of a body that begins at GS or ST. */
  constructor(level: 'group' | 'interchange', segment: Segment | null, position: Position) {
    super(level, segment === null ? {} : readFields(segment, level === 'group' ? GS_FIELDS : ISA_FIELDS), position);
    this.#implied = segment === null;
  }

  warn(code: string, message: string, segment: string | undefined, position: Position): void {
    this.warnings.push({ code, message, position, ...(segment !== undefined && { segment }) });
  }

  /** Checks IEA or GE against the header. */
  trailer(segment: Segment): void {
    this.complete = true;
    const [id, header, what] =
      this.level === 'interchange' ? ['IEA', 'ISA13', 'groups'] : ['GE', 'GS06', 'transactions'];
    this.declaredCount = segment.value(1);
    const found: Fault[] = [];
    if (this.declaredCount === '' || Number(this.declaredCount) !== this.count) {
      const message = `${id}01 differs from the ${this.count} ${what} found`;
      found.push({ code: `${this.level.toUpperCase()}_COUNT_MISMATCH`, message, segment: id, element: 1 });
    }
    if (!this.#implied && segment.value(2) !== this.header['control_number']) {
      const message = `${id}02 differs from ${header}`;
      found.push({ code: 'CONTROL_NUMBER_MISMATCH', message, segment: id, element: 2 });
    }
    for (const fault of found) this.addFault(fault, positionOf(segment));
  }

  /** The faults to reject for, including a missing trailer. */
  close(): Fault[] {
    if (!this.complete && !this.#implied) {
      const id = this.level === 'interchange' ? 'IEA' : 'GE';
      this.addFault({ code: `${id}_MISSING`, message: `the ${this.level} has no ${id}`, segment: id }, this.position);
    }
    return this.#faults;
  }

  /** Adds a fault for which strict reading rejects. */
  addFault(fault: Fault, position: Position): void {
    const warning = withAgreement<AdapterWarning>({ ...fault, position }, this.agreement);
    if (warning.agreedBy === undefined) this.#faults.push(fault);
    this.warnings.push(warning);
  }
}

const readFields = (segment: Segment, fields: FieldTable): Record<string, string> =>
  Object.fromEntries(fields.map(([name, element]) => [name, segment.value(Number(element))]));
