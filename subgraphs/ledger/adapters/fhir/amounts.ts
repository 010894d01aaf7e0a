import { type Fields, fieldsAt, numberAt } from './json.js';

/** Reads amounts: decimal strings with cents at least, exactly as the text wrote them. */
export class Amounts {
  /** True once an amount could not be kept. */
  unreadable = false;
  private readonly inexact: ReadonlySet<number>;

  /** `inexact`: numbers of the resource whose text a double does not keep. */
  constructor(inexact: readonly number[]) {
    this.inexact = new Set(inexact);
  }

  /** `75.7` as `75.70`; parts of a cent as they are; undefined when there is no amount or it cannot be kept exactly. */
  decimal(value: number | undefined): string | undefined {
    if (value === undefined) return undefined;
    const text = String(value);
    if (this.inexact.has(value) || !/^-?\d+(?:\.\d+)?$/.test(text)) {
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
    if (!this.inexact.has(value)) return String(value);
    this.unreadable = true;
    return undefined;
  }
}

/** The number of a Money, for comparisons alone: amounts are shown by `Amounts`. */
export const moneyIn = (element: Fields, name: string): number | undefined =>
  numberAt(fieldsAt(element, name), 'value');
