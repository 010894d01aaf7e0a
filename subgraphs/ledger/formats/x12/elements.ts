import { dottedCode, healthCodeKind } from '../values/codes.js';
import { formatCents, parseCents } from '../values/money.js';
import { compact, filled, unique } from '../values/payload.js';
import type { Segment } from './envelope/segment.js';
import type { TransactionRun } from './envelope/transaction-run.js';
import type { Item } from './item.js';

const POSSIBLE_SEPARATORS = /[:><\\|^]/;

/**
 * Splits composite elements. Some senders declare one component separator in ISA16 and write another. If a composite
 * element lacks the declared separator, the character after its qualifier is used, with one warning.
 */
export class Composites {
  readonly #declared: string;
  readonly #reserved: string;
  readonly #repetition: string;
  readonly #context: TransactionRun;
  #warned = false;

  constructor(context: TransactionRun) {
    const { component, element, segment, repetition } = context.header.separators;
    this.#declared = component;
    this.#reserved = element + segment + repetition;
    this.#repetition = repetition || '^';
    this.#context = context;
  }

  /** The components of an element; index 0 is the first. */
  split(value: string): string[] {
    const first = value.indexOf(this.#declared);
    if (first !== -1) return splitAt(value, this.#declared, first);
    if (value.length < 3) return [value];
    const other = POSSIBLE_SEPARATORS.exec(value);
    if (other === null || this.#reserved.includes(other[0])) return [value];
    this.#warnOnce();
    return splitAt(value, other[0], other.index);
  }

  /** The repetitions of an element. Below 00402 ISA11 names no separator; a caret is used there too. */
  repetitions(value: string): string[] {
    return value.split(this.#repetition).filter((one) => one !== '');
  }

  #warnOnce(): void {
    if (this.#warned) return;
    this.#warned = true;
    const message = 'composites use a component separator that differs from ISA16';
    this.#context.warn({ code: 'COMPONENT_SEPARATOR_DIFFERS', message, segment: 'ISA', element: 16 });
  }
}

/** `split` by a single character, faster than the engine's general case on short texts. */
function splitAt(value: string, separator: string, first: number): string[] {
  const parts = [value.slice(0, first)];
  let start = first + 1;
  for (let at = value.indexOf(separator, start); at !== -1; at = value.indexOf(separator, start)) {
    parts.push(value.slice(start, at));
    start = at + 1;
  }
  parts.push(value.slice(start));
  return parts;
}

/** One reason of a CAS. */
export interface Adjustment {
  group: string;
  reason: string;
  cents: number;
  quantity: string;
}

/** A CAS holds up to six triplets of reason, amount and quantity from element 2 on. */
const FIRST_TRIPLET = 2;
const LAST_TRIPLET = 17;

/**
 * Reads the adjustments of a CAS, skipping empty reasons. Returns the number of the malformed amount element, if there
 * is one.
 */
export function readAdjustments(segment: Segment): Adjustment[] | number {
  const group = segment.value(1);
  const found: Adjustment[] = [];
  const count = Math.min(segment.elementCount, LAST_TRIPLET + 2);
  for (let at = FIRST_TRIPLET; at <= count; at += 3) {
    const reason = segment.value(at);
    if (reason === '') continue;
    const amount = segment.value(at + 1);
    const cents = amount === '' ? 0 : parseCents(amount);
    if (cents === null) return at + 1;
    found.push({ group, reason, cents, quantity: segment.value(at + 2) });
  }
  return found;
}

export function sumCents(adjustments: readonly Adjustment[]): number {
  let sum = 0;
  for (const { cents } of adjustments) sum += cents;
  return sum;
}

/** An adjustment in a payload. */
export function describeAdjustment(
  { group, reason, cents, quantity }: Adjustment,
  level?: 'claim' | 'line',
  line?: number,
): Record<string, unknown> {
  const described: Record<string, unknown> = group === '' ? {} : { group };
  described.reason = reason;
  described.amount = formatCents(cents);
  if (quantity !== '') described.quantity = quantity;
  if (level !== undefined) described.level = level;
  if (line !== undefined) described.line = line;
  return described;
}

/** The reason codes (CARC) alone, unique, in order of first appearance. */
export function reasonCodes(adjustments: readonly Adjustment[]): string[] {
  return unique(adjustments.map(({ reason }) => reason));
}

/** A coded diagnosis or procedure of an HI. */
interface HealthCode {
  qualifier: string;
  code: string;
  raw: string;
}

export class HealthCodes {
  readonly diagnoses: HealthCode[] = [];
  readonly procedures: HealthCode[] = [];

  /** HI: every element is a qualifier and a code. Some senders separate the two by the element separator. */
  read(item: Item, segment: Segment, composites: Composites): void {
    const count = segment.elementCount;
    for (let at = 1; at <= count; at += 1) {
      const value = segment.value(at);
      if (value === '') continue;
      const parts = composites.split(value);
      const qualifier = parts[0] ?? '';
      const kind = healthCodeKind(qualifier);
      if (kind === null) continue;
      let raw = (parts[1] ?? '').trim();
      if (parts.length === 1) {
        raw = segment.value(at + 1);
        if (raw === '' || healthCodeKind(composites.split(raw)[0] ?? '') !== null) continue;
        at += 1;
        item.warn(segment, 'COMPOSITE_BROKEN', 'a code is in the element after its qualifier', at);
      }
      if (raw === '') continue;
      const code = { qualifier, code: dottedCode(qualifier, raw), raw };
      (kind === 'diagnosis' ? this.diagnoses : this.procedures).push(code);
    }
  }
}

const modifiersIn = (components: readonly string[]): string[] => filled(components.slice(2, 6));

/** C003 of a service: qualifier, code, up to four modifiers, description. */
export function readProcedure(composite: string, composites: Composites) {
  const parts = composites.split(composite);
  const [qualifier = '', code = '', , , , , description = ''] = parts;
  return { qualifier, procedureCode: code.trim(), modifiers: modifiersIn(parts), description };
}

/** SVC01: a procedure, or with the qualifier NU a revenue code, which is else in SVC04. */
export function readPaidService(segment: Segment, composites: Composites) {
  const parts = composites.split(segment.value(1));
  const [qualifier = '', code = ''] = parts;
  const isRevenue = qualifier === 'NU';
  const procedureCode = isRevenue ? '' : code.trim();
  const modifiers = modifiersIn(parts);
  return { qualifier, code, procedureCode, modifiers, revenueCode: isRevenue ? code : segment.value(4) };
}

/** The numbers of REF segments by qualifier. */
export class References {
  readonly #list: { qualifier: string; value: string }[] = [];

  get isEmpty(): boolean {
    return this.#list.length === 0;
  }

  read(segment: Segment): void {
    const value = segment.value(2);
    if (value !== '') this.#list.push({ qualifier: segment.value(1), value });
  }

  /** The numbers with one of the qualifiers, in order. */
  all(...qualifiers: readonly string[]): string[] {
    return this.#list.filter(({ qualifier }) => qualifiers.includes(qualifier)).map(({ value }) => value);
  }

  first(...qualifiers: readonly string[]): string | undefined {
    return this.#list.find(({ qualifier }) => qualifiers.includes(qualifier))?.value;
  }
}

/** PWK: an attachment in a payload. */
export const readAttachment = (segment: Segment, line?: number): Record<string, unknown> =>
  compact({
    report_type: segment.value(1),
    transmission: segment.value(2),
    control_number: segment.value(6),
    line,
  });
