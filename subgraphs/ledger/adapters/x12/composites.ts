import type { TransactionContext } from './transaction-context.js';

const possibleSeparators = /[:><\\|^]/;

/**
 * Splits composite elements. Some senders name one component separator in ISA16 and write another; where an element that
 * must be composite holds none of the declared kind, the one that follows its qualifier is taken, with one warning.
 */
export class Composites {
  private readonly declared: string;
  private readonly reserved: string;
  private readonly repetition: string;
  private readonly context: TransactionContext;
  private warned = false;

  constructor(context: TransactionContext) {
    const { component, element, segment, repetition } = context.header.separators;
    this.declared = component;
    this.reserved = element + segment + repetition;
    this.repetition = repetition || '^';
    this.context = context;
  }

  /** The components of an element, index 0 being the first. */
  split(value: string): string[] {
    const first = value.indexOf(this.declared);
    if (first !== -1) return splitAt(value, this.declared, first);
    if (value.length < 3) return [value];
    const other = possibleSeparators.exec(value);
    if (other === null || this.reserved.includes(other[0])) return [value];
    this.warnOnce();
    return splitAt(value, other[0], other.index);
  }

  /** The repetitions of an element; below 00402 ISA11 names no separator, and a caret is taken for one all the same. */
  repetitions(value: string): string[] {
    return value.split(this.repetition).filter((one) => one !== '');
  }

  private warnOnce(): void {
    if (this.warned) return;
    this.warned = true;
    const message = 'composites use another component separator than ISA16 names';
    this.context.warn({ code: 'COMPONENT_SEPARATOR_DIFFERS', message, segment: 'ISA', element: 16 });
  }
}

/** `split` for a short text and a single character, without the engine's detour for the general case. */
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
