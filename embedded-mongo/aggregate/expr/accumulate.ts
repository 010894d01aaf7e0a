import { Double, Int32 } from 'bson';
import { addNumbers, isNumber, toNumber } from '../../bson/number.js';
import type { BsonNumber, BsonValue } from '../../bson/value.js';
import { divideNumbers } from './arithmetic.js';
import type { ValueOrder } from './compiler.js';
import { isNullish } from './frame.js';

/** A running accumulator; shared by `$group` and by the expressions of the same names. */
export interface Accumulator {
  add(value: BsonValue | undefined): void;
  result(): BsonValue | undefined;
}

/** Sum typed as MongoDB types it; what is no number does not count. */
class Sum implements Accumulator {
  private total: BsonNumber = new Int32(0);
  add(value: BsonValue | undefined): void {
    if (isNumber(value)) this.total = addNumbers(this.total, value, 'double');
  }
  result(): BsonNumber {
    return this.total;
  }
}

class Average implements Accumulator {
  private readonly sum = new Sum();
  private count = 0;
  add(value: BsonValue | undefined): void {
    if (!isNumber(value)) return;
    this.sum.add(value);
    this.count++;
  }
  result(): BsonValue {
    return this.count === 0 ? null : divideNumbers(this.sum.result(), new Int32(this.count));
  }
}

/** Null and missing do not take part. */
class Extreme implements Accumulator {
  private best: BsonValue | undefined;
  constructor(
    private readonly sign: 1 | -1,
    private readonly order: ValueOrder,
  ) {}
  add(value: BsonValue | undefined): void {
    if (isNullish(value)) return;
    if (this.best === undefined || this.order(value, this.best) * this.sign > 0) this.best = value;
  }
  result(): BsonValue {
    return this.best ?? null;
  }
}

/** Welford's running variance, which does not cancel for large means. */
class Deviation implements Accumulator {
  private count = 0;
  private mean = 0;
  private squares = 0;
  constructor(private readonly sample: boolean) {}
  add(value: BsonValue | undefined): void {
    if (!isNumber(value)) return;
    const number = toNumber(value);
    this.count++;
    const delta = number - this.mean;
    this.mean += delta / this.count;
    this.squares += delta * (number - this.mean);
  }
  result(): BsonValue {
    const divisor = this.sample ? this.count - 1 : this.count;
    return divisor < 1 ? null : new Double(Math.sqrt(this.squares / divisor));
  }
}

export const numericAccumulators: Readonly<Record<string, (order: ValueOrder) => Accumulator>> = {
  $sum: () => new Sum(),
  $avg: () => new Average(),
  $min: (order) => new Extreme(-1, order),
  $max: (order) => new Extreme(1, order),
  $stdDevPop: () => new Deviation(false),
  $stdDevSamp: () => new Deviation(true),
};
