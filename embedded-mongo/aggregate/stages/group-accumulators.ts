import { Int32 } from 'bson';
import { isNumber, toInteger } from '../../bson/number.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import type { Collation } from '../../compare/collation.js';
import { MongoError } from '../../errors.js';
import { ValueMap } from '../../keystring/value-map.js';
import type { Accumulator } from '../expr/accumulate.js';
import { elementOrder } from '../expr/array.js';
import type { ExpressionCompiler } from '../expr/compiler.js';
import { type Expression, type Frame, isNullish } from '../expr/frame.js';
import { parsePercentile } from '../expr/percentile.js';

/** How a new group's accumulator is made, and what each document adds to it. */
export interface Accumulation {
  readonly input: Expression;
  readonly make: () => Accumulator;
}

class Collect implements Accumulator {
  private readonly values: BsonValue[] = [];
  add(value: BsonValue | undefined): void {
    if (value !== undefined) this.values.push(value);
  }
  result(): BsonValue {
    return this.values;
  }
}

class CollectSet implements Accumulator {
  private readonly values: ValueMap<BsonValue>;
  constructor(collation: Collation | undefined) {
    this.values = new ValueMap(collation);
  }
  add(value: BsonValue | undefined): void {
    if (value !== undefined) this.values.entry(value, (one) => one);
  }
  result(): BsonValue {
    return [...this.values.items];
  }
}

class Edge implements Accumulator {
  private value: BsonValue | undefined;
  private seen = false;
  constructor(private readonly first: boolean) {}
  add(value: BsonValue | undefined): void {
    if (this.first && this.seen) return;
    this.seen = true;
    this.value = value;
  }
  result(): BsonValue {
    return this.value ?? null;
  }
}

class Merge implements Accumulator {
  private readonly merged = new BsonDoc();
  add(value: BsonValue | undefined): void {
    if (isNullish(value)) return;
    if (!isDoc(value)) throw new MongoError(40_400, '$mergeObjects requires object inputs');
    for (const [key, item] of value) this.merged.set(key, item);
  }
  result(): BsonValue {
    return this.merged;
  }
}

class Count implements Accumulator {
  private count = 0;
  add(): void {
    this.count++;
  }
  result(): BsonValue {
    return new Int32(this.count);
  }
}

export const plainAccumulators: Readonly<Record<string, (collation: Collation | undefined) => Accumulator>> = {
  $push: () => new Collect(),
  $addToSet: (collation) => new CollectSet(collation),
  $first: () => new Edge(true),
  $last: () => new Edge(false),
  $mergeObjects: () => new Merge(),
  $count: () => new Count(),
};

/** Keeps the best `n` pairs of order value and output; equal ones in order of arrival. */
class Ranked implements Accumulator {
  private readonly kept: BsonValue[][] = [];
  constructor(
    private readonly n: number,
    private readonly order: (a: BsonValue, b: BsonValue) => number,
    private readonly finish: (outputs: BsonValue[]) => BsonValue,
  ) {}
  add(pair: BsonValue | undefined): void {
    if (!Array.isArray(pair)) return;
    this.kept.push(pair);
    if (this.kept.length > 2 * this.n + 64) this.settle();
  }
  private settle(): void {
    this.kept.sort((a, b) => this.order(a[0] as BsonValue, b[0] as BsonValue));
    this.kept.splice(this.n);
  }
  result(): BsonValue {
    this.settle();
    return this.finish(this.kept.map((pair) => pair[1] ?? null));
  }
}

type RankCompiler = (argument: BsonValue, compiler: ExpressionCompiler, operator: string) => Accumulation;

/** `$top` and its kin order whole documents by `sortBy`; the pair is [document, output]. */
function ranked(sign: 1 | -1, many: boolean): RankCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, many ? ['sortBy', 'output', 'n'] : ['sortBy', 'output']);
    const output = named.get('output');
    const order = elementOrder(named.raw('sortBy') ?? null, compiler.order);
    const n = many ? constantCount(named.raw('n'), operator) : 1;
    return {
      input: (frame: Frame) => [frame.document(), output(frame) ?? null],
      make: () =>
        new Ranked(
          n,
          (a, b) => order(a, b) * sign,
          (outputs) => (many ? outputs : (outputs[0] ?? null)),
        ),
    };
  };
}

/** `$minN`, `$maxN` order the values themselves, `$firstN`, `$lastN` keep the order of arrival. */
function takeN(sign: 1 | -1 | 0, nullable: boolean): RankCompiler {
  return (argument, compiler, operator) => {
    const order = (a: BsonValue, b: BsonValue): number => (sign === 0 ? 0 : compiler.order(a, b) * sign);
    const named = compiler.named(argument, operator, ['input', 'n']);
    const input = named.get('input');
    const n = constantCount(named.raw('n'), operator);
    return {
      input: (frame) => {
        const value = input(frame);
        return isNullish(value) && !nullable ? undefined : [value ?? null, value ?? null];
      },
      make: () => new Ranked(n, order, (outputs) => outputs),
    };
  };
}

class LastN implements Accumulator {
  private values: BsonValue[] = [];
  constructor(private readonly n: number) {}
  add(value: BsonValue | undefined): void {
    this.values.push(value ?? null);
    if (this.values.length > 2 * this.n + 64) this.values = this.values.slice(-this.n);
  }
  result(): BsonValue {
    return this.values.slice(-this.n);
  }
}

function constantCount(value: BsonValue | undefined, operator: string): number {
  const whole = isNumber(value) ? toInteger(value) : undefined;
  if (whole === undefined || whole < 1n)
    throw new MongoError(5_787_908, `'n' of ${operator} must be a constant above 0`);
  return Number(whole);
}

export const rankAccumulators: Readonly<Record<string, RankCompiler>> = {
  $percentile: parsePercentile,
  $median: parsePercentile,
  $top: ranked(1, false),
  $bottom: ranked(-1, false),
  $topN: ranked(1, true),
  $bottomN: ranked(-1, true),
  $minN: takeN(1, false),
  $maxN: takeN(-1, false),
  $firstN: takeN(0, true),
  $lastN: (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['input', 'n']);
    const n = constantCount(named.raw('n'), operator);
    return { input: named.get('input'), make: () => new LastN(n) };
  },
};
