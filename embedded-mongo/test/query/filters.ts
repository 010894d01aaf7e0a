import { BSONRegExp } from 'bson';
import { BsonDoc, type BsonValue, toBson } from '../../bson/value.js';
import { pick, randomValue } from '../values/generator.js';
import { PATHS } from './plan-worlds.js';

/** Random filters over the values of a world. */
export class FilterGenerator {
  constructor(
    private readonly random: () => number,
    private readonly pool: readonly BsonValue[],
  ) {}

  filter(depth = 2): BsonDoc {
    const { random } = this;
    const kind = random();
    if (depth > 0 && kind < 0.15) return this.#list('$or', depth);
    if (depth > 0 && kind < 0.2) return this.#list('$and', depth);
    if (depth > 0 && kind < 0.23) return this.#list('$nor', depth);
    const filter = new BsonDoc();
    const count = pick(random, [0, 1, 1, 1, 2, 2, 3]);
    for (let n = 0; n < count; n++) {
      const path = pick(random, PATHS);
      if (!filter.has(path)) filter.append(path, this.#condition());
    }
    if (depth > 0 && random() < 0.1) filter.append('$or', [this.filter(depth - 1), this.filter(depth - 1)]);
    return filter;
  }

  #list(operator: string, depth: number): BsonDoc {
    const count = 1 + Math.floor(this.random() * 3);
    return new BsonDoc([operator], [Array.from({ length: count }, () => this.filter(depth - 1))]);
  }

  /** Undefined is no operand; its kin elsewhere in the pool are left out. */
  #value(): BsonValue {
    for (;;) {
      const value =
        this.random() < 0.8 && this.pool.length > 0 ? pick(this.random, this.pool) : randomValue(this.random, 1);
      if (!mentionsUndefined(value)) return value;
    }
  }

  /** A value that is not a pattern, for operators that take none. */
  #plain(): BsonValue {
    for (;;) {
      const value = this.#value();
      if (!(value instanceof BSONRegExp)) return value;
    }
  }

  #condition(): BsonValue {
    const { random } = this;
    const doc = (operator: string, value: unknown) => new BsonDoc([operator], [toBson(value)]);
    switch (Math.floor(random() * 18)) {
      case 0:
      case 1:
      case 2:
        return new BsonDoc(['$eq'], [this.#plain()]);
      case 3:
      case 4:
        return new BsonDoc(
          ['$in'],
          [[this.#value(), this.#value(), this.#value()].filter((value) => !isOperators(value))],
        );
      case 5:
      case 6:
        return new BsonDoc([pick(random, ['$gt', '$gte', '$lt', '$lte'])], [this.#plain()]);
      case 7:
      case 8:
        return this.#range();
      case 9:
        return doc('$exists', random() < 0.5);
      case 10:
        return new BsonDoc(['$ne'], [this.#plain()]);
      case 11:
        return new BSONRegExp(pick(random, ['^a', '^b', '^ab', 'a', '^', 'b$', '^1']), pick(random, ['', '', 'i']));
      case 12:
        return new BsonDoc(['$elemMatch'], [this.#range()]);
      case 13:
        return new BsonDoc(['$not'], [this.#range()]);
      case 14:
        return doc('$type', pick(random, ['number', 'string', 'object', 'array', 'null', 'bool']));
      case 15:
        return new BsonDoc(['$all'], [[this.#plain(), this.#plain()].filter((value) => !isOperators(value))]);
      case 16:
        return new BsonDoc(['$elemMatch'], [new BsonDoc([pick(random, ['a', 'b'])], [this.#range()])]);
      default:
        return doc('$size', Math.floor(random() * 3));
    }
  }

  #range(): BsonDoc {
    const { random } = this;
    const low = this.#plain();
    const doc = new BsonDoc([pick(random, ['$gt', '$gte'])], [low]);
    if (random() < 0.7) doc.append(pick(random, ['$lt', '$lte']), this.#plain());
    return doc;
  }

  sort(): BsonDoc | undefined {
    const { random } = this;
    if (random() < 0.35) return undefined;
    const sort = new BsonDoc();
    const count = 1 + Math.floor(random() * 3);
    for (let n = 0; n < count; n++) sort.set(pick(random, PATHS.slice(0, 8)), toBson(random() < 0.5 ? 1 : -1));
    return sort;
  }
}

function isOperators(value: BsonValue): boolean {
  return value instanceof BsonDoc && value.keys[0]?.startsWith('$') === true;
}

function mentionsUndefined(value: BsonValue): boolean {
  if (Array.isArray(value)) return value.some(mentionsUndefined);
  if (value instanceof BsonDoc) return isOperators(value) || value.values.some(mentionsUndefined);
  return value !== null && typeof value === 'object' && value._bsontype === 'BsonUndefined';
}
