import type { TransactionContext } from './transaction-context.js';

const possibleSeparators = /[:><\\|^]/;

/**
 * Splits composite elements. Some senders name one component separator in ISA16 and write another; where an element that
 * must be composite holds none of the declared kind, the one that follows its qualifier is taken, with one warning.
 */
export class Composites {
  private readonly declared: string;
  private readonly reserved: string;
  private readonly context: TransactionContext;
  private warned = false;

  constructor(context: TransactionContext) {
    const { component, element, segment, repetition } = context.header.separators;
    this.declared = component;
    this.reserved = element + segment + repetition;
    this.context = context;
  }

  /** The components of an element, index 0 being the first. */
  split(value: string): string[] {
    if (value.includes(this.declared)) return value.split(this.declared);
    const other = possibleSeparators.exec(value)?.[0];
    if (other === undefined || this.reserved.includes(other)) return [value];
    this.warnOnce();
    return value.split(other);
  }

  private warnOnce(): void {
    if (this.warned) return;
    this.warned = true;
    const message = 'composites use another component separator than ISA16 names';
    this.context.warn({ code: 'COMPONENT_SEPARATOR_DIFFERS', message, segment: 'ISA', element: 16 });
  }
}
