import type { RawRef } from '../bson/raw.js';
import type { BsonValue } from '../bson/value.js';
import { itemAt } from '../checked-access.js';
import type { Collation } from '../compare/collation.js';
import { compareValues } from '../compare/compare.js';
import { encodeKey, encodeRefs } from './encode.js';

/** Maps values to items; equal values of other types, and equal texts under a collation, are one key. */
export class ValueMap<V> {
  readonly #byKey = new Map<string, V>();
  readonly #list: V[] = [];
  /** Under a collation: one value of each class, in its order. */
  readonly #classes: { readonly value: BsonValue; readonly item: V }[] = [];
  readonly #collation: Collation | undefined;

  constructor(collation?: Collation) {
    this.#collation = collation;
  }

  /** In order of first occurrence. */
  get items(): readonly V[] {
    return this.#list;
  }

  entry(value: BsonValue, make: (value: BsonValue) => V): V {
    return this.#find(encodeKey([value], [1]), () => value, make);
  }

  entryOf(ref: RawRef, decode: () => BsonValue, make: (value: BsonValue) => V): V {
    return this.#find(encodeRefs([ref], [1]), decode, make);
  }

  #find(keyBytes: Buffer, decode: () => BsonValue, make: (value: BsonValue) => V): V {
    const key = keyBytes.toString('latin1');
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const item = this.#collation ? this.#findClass(decode(), this.#collation, make) : this.#add(make(decode()));
    this.#byKey.set(key, item);
    return item;
  }

  #add(item: V): V {
    this.#list.push(item);
    return item;
  }

  /** Intl.Collator only compares, so the class of a text is found by bisection. */
  #findClass(value: BsonValue, collation: Collation, make: (value: BsonValue) => V): V {
    let low = 0;
    let high = this.#classes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = itemAt(this.#classes, middle);
      const order = compareValues(entry.value, value, collation.compare);
      if (order === 0) return entry.item;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    const item = this.#add(make(value));
    this.#classes.splice(low, 0, { value, item });
    return item;
  }
}
