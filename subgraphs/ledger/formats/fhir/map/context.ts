import type { AttachedDocument } from '../../format-adapter.js';
import { type Fields, fieldsAt, numberAt } from '../json/objects.js';
import type { TimeSource } from './moments.js';
import type { References } from './references.js';

/** What the mapping of one resource needs. */
export interface MappingContext {
  readonly references: References;
  readonly amounts: Amounts;
  /** The documents that the resource holds, for the vault. */
  readonly documents: AttachedDocument[];
  /** Reports an irregularity; `element` is a FHIRPath of the resource. */
  warn(code: string, message: string, element?: string): void;
}

/** The content of an event before its envelope. */
export interface Mapped {
  readonly family: string;
  readonly type: string;
  readonly outcome: string;
  readonly memberId: string;
  readonly times: readonly TimeSource[];
  readonly payload: Record<string, unknown>;
}

export type ResourceMapper = (resource: Fields, context: MappingContext) => Mapped;

/** Reads amounts as decimal strings with at least two places, exactly as sent. */
export class Amounts {
  /** True after an amount that cannot be kept exactly. */
  unreadable = false;
  readonly #inexact: ReadonlySet<number>;

  /** `inexact`: numbers of the resource that a double cannot keep. */
  constructor(inexact: readonly number[]) {
    this.#inexact = new Set(inexact);
  }

  /** `75.7` as `75.70`; fractions of a cent as sent; undefined if absent or not exact. */
  decimal(value: number | undefined): string | undefined {
    if (value === undefined) return undefined;
    const text = String(value);
    if (this.#inexact.has(value) || !/^-?\d+(?:\.\d+)?$/.test(text)) {
      this.unreadable = true;
      return undefined;
    }
    const places = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
    if (places >= 2) return text;
    return places === 1 ? `${text}0` : `${text}.00`;
  }

  /** A Money's value. */
  money(value: unknown): string | undefined {
    return this.decimal(numberAt(value, 'value'));
  }

  /** A plain number (a quantity, a factor) as a decimal string. */
  plain(value: number | undefined): string | undefined {
    if (value === undefined) return undefined;
    if (!this.#inexact.has(value)) return String(value);
    this.unreadable = true;
    return undefined;
  }
}

/** The number of a Money, for comparisons only; payloads use `Amounts`. */
export const moneyIn = (element: Fields, name: string): number | undefined =>
  numberAt(fieldsAt(element, name), 'value');
