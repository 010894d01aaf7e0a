import type { Document } from 'mongodb';
import { seeded } from '../seeded.js';

const TYPES = ['int', 'string', 'double', 'null', 'array', 'date', 'object', 'bool', 'number'];

/** Documents in one window: `w` has the same value in this many consecutive documents. */
const WINDOW_DOCUMENTS = 100;
/** The share of filters that read one window along the index of `w`. The others read the whole collection. */
const WINDOWED_SHARE = 0.9;

/** Makes documents, filters, updates and pipelines. A seed always gives the same ones. */
export class Generator {
  readonly #random: () => number;
  readonly #windows: number;

  constructor(seed: number, documents: number) {
    this.#random = seeded(seed);
    this.#windows = Math.ceil(documents / WINDOW_DOCUMENTS);
  }

  upTo(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #of<T>(...values: readonly T[]): T {
    return values[this.upTo(values.length)] as T;
  }

  #scalar(): unknown {
    const date = new Date(1_700_000_000_000 + this.upTo(1_000) * 86_400_000);
    return this.#of<unknown>(this.upTo(20), this.upTo(20) / 2, `t${this.upTo(9)}`, null, true, false, date, '');
  }

  document(_id: number): Document {
    return {
      _id,
      w: Math.floor(_id / WINDOW_DOCUMENTS),
      a: this.upTo(20),
      b: this.#scalar(),
      c: { d: this.upTo(9), e: `x${this.upTo(9)}` },
      list: Array.from({ length: this.upTo(4) }, () => this.upTo(9)),
      docs: Array.from({ length: this.upTo(3) }, () => ({ k: this.upTo(9), v: `v${this.upTo(4)}` })),
      at: new Date(1_700_000_000_000 + this.upTo(100_000_000) * 1_000),
      text: this.#of('alpha beta', 'Beta', 'gamma-Delta', 'äöü ß', '', ' padded '),
      ...(this.#random() < 0.5 ? { some: this.#scalar() } : {}),
    };
  }

  #condition(): Document {
    const value = this.#scalar();
    return this.#of<Document>(
      { $eq: value },
      { $ne: value },
      { [this.#of('$gt', '$gte', '$lt', '$lte')]: value },
      { $in: [this.#scalar(), this.#scalar()] },
      { $nin: [this.#scalar(), this.#scalar()] },
      { $exists: this.#random() < 0.5 },
      { $not: { $gt: value } },
      { $size: this.upTo(4) },
      { $type: this.#of(...TYPES) },
      { $mod: [1 + this.upTo(4), this.upTo(3)] },
      { $gte: this.upTo(10), $lt: 10 + this.upTo(10) },
      { $regex: this.#of('^t[0-4]', 'beta', 'A$', '^x'), ...this.#of({}, { $options: 'i' }) },
      { $bitsAnySet: 1 + this.upTo(7) },
    );
  }

  /** A filter of one window of documents. */
  window(): Document {
    return { w: this.upTo(this.#windows) };
  }

  filter(): Document {
    return { ...(this.#random() < WINDOWED_SHARE ? this.window() : {}), ...this.condition() };
  }

  condition(): Document {
    const path = (): string => this.#of('a', 'b', 'c.d', 'c.e', 'list', 'docs.k', 'some', 'text', 'at');
    const plain = (): Document => ({ [path()]: this.#condition() });
    return this.#of<Document>(
      plain(),
      { $and: [plain(), plain()] },
      { $or: [plain(), plain()] },
      { $nor: [plain(), plain()] },
      { docs: { $elemMatch: { k: { $gt: this.upTo(9) }, v: `v${this.upTo(4)}` } } },
      { [this.#of('docs.0.k', 'list.1')]: { $gte: this.upTo(5), $lt: 5 + this.upTo(5) } },
      { list: { $elemMatch: { $gt: this.upTo(5), $lt: 5 + this.upTo(5) } } },
      { list: { $all: [this.upTo(9), this.upTo(9)] } },
      { c: { d: this.upTo(9), e: `x${this.upTo(9)}` } },
      { $expr: { [this.#of('$gt', '$lte', '$eq', '$ne')]: ['$a', '$c.d'] } },
      { $expr: { $in: [this.upTo(9), '$list'] } },
    );
  }

  projection(): Document {
    return this.#of<Document>(
      {},
      { a: 1, 'c.d': 1 },
      { docs: 0, 'c.e': 0 },
      { _id: 0, b: 1, docs: { $slice: 1 } },
      { docs: { $elemMatch: { k: { $gt: this.upTo(9) } } } },
      { n: { $add: ['$a', 1] }, b: 1 },
    );
  }

  update(): Document | Document[] {
    const value = this.#scalar();
    return this.#of<Document | Document[]>(
      { $set: { [this.#of('b', 'c.d', 'n.m', 'docs.0.k', 'some')]: value } },
      { $inc: { a: this.upTo(9) - 4, 'c.d': 1 } },
      { $inc: { [this.#of('b', 'text')]: 1 } },
      { $mul: { a: this.#of(2, 0.5) } },
      { $unset: { [this.#of('b', 'c.e', 'missing', 'list.0')]: 1 } },
      { $min: { a: this.upTo(20) } },
      { $max: { b: value } },
      { $push: { list: { $each: [this.upTo(9), this.upTo(9)], $slice: -4, $sort: 1 } } },
      { $push: { docs: { $each: [{ k: this.upTo(9), v: 'v9' }], $position: 0, $slice: 3 } } },
      { $push: { [this.#of('b', 'some')]: 1 } },
      { $addToSet: { list: { $each: [this.upTo(9), this.upTo(9)] } } },
      { $pull: { list: { $gt: this.upTo(9) } } },
      { $pull: { docs: { k: { $lt: this.upTo(5) } } } },
      { $pullAll: { list: [this.upTo(9), this.upTo(9)] } },
      { $pop: { list: this.#of(1, -1) } },
      { $rename: { some: 'renamed' } },
      { $bit: { a: { [this.#of('or', 'and', 'xor')]: this.upTo(9) } } },
      { $set: { 'docs.$[].v': 'all' } },
      [{ $set: { sum: { $add: ['$a', { $size: '$list' }] } } }, { $unset: 'text' }],
    );
  }

  pipeline(): Document[] {
    const match = { $match: this.filter() };
    const ordered = { $sort: { _id: 1 } };
    return this.#of<Document[]>(
      [match, ordered, { $group: { _id: '$c.d', ...this.#accumulators() } }, ordered],
      [match, { $unwind: '$list' }, { $sortByCount: '$list' }, { $sort: { count: -1, _id: 1 } }],
      [
        match,
        { $unwind: { path: '$docs', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } },
        { $sort: { _id: 1, i: 1 } },
        { $limit: 30 },
      ],
      [match, { $project: { r: this.#expression() } }, ordered, { $limit: 60 }],
      [match, { $addFields: { r: this.#expression(), 'c.n': { $type: '$b' } } }, ordered, { $limit: 30 }],
      [match, { $bucket: { groupBy: '$a', boundaries: [0, 5, 10, 40], default: 'other' } }],
      [match, { $sort: { a: -1, _id: 1 } }, { $skip: 3 }, { $limit: 5 }, { $project: { _id: 1, t: { $type: '$b' } } }],
      [
        match,
        { $facet: { n: [{ $sort: { _id: -1 } }, { $limit: 1 }], top: [{ $sort: { a: 1, _id: 1 } }, { $limit: 3 }] } },
      ],
      [
        { $match: this.window() },
        ordered,
        { $limit: 20 },
        { $lookup: { from: 'c', localField: 'a', foreignField: '_id', as: 'other' } },
        ordered,
      ],
      [
        { $match: this.window() },
        {
          $setWindowFields: {
            partitionBy: '$c.d',
            sortBy: { _id: 1 },
            output: { s: { $sum: '$a', window: { documents: [-1, 1] } }, r: { $documentNumber: {} } },
          },
        },
        ordered,
      ],
      [match, { $replaceRoot: { newRoot: { $mergeObjects: [{ _id: '$_id' }, '$c'] } } }, ordered, { $limit: 20 }],
    );
  }

  #accumulators(): Document {
    return this.#of<Document>(
      { n: { $sum: 1 }, most: { $max: '$a' }, all: { $avg: '$a' } },
      { least: { $min: '$b' }, set: { $sum: { $size: '$list' } } },
      { merged: { $mergeObjects: '$c' }, n: { $count: {} } },
      { first: { $top: { sortBy: { a: 1, _id: 1 }, output: '$_id' } }, most: { $maxN: { input: '$a', n: 2 } } },
    );
  }

  #expression(): Document {
    const [n, path] = [this.upTo(9), this.#of('$a', '$b', '$c.d', '$some')];
    return this.#of<Document>(
      { $concat: ['$c.e', '-', { $toString: '$a' }] },
      { $round: [{ $divide: ['$a', 3] }, this.#of(0, 1, 2)] },
      { $filter: { input: '$list', cond: { $gt: ['$$this', n] } } },
      { $map: { input: '$docs', as: 'one', in: { $multiply: ['$$one.k', 2] } } },
      { $reduce: { input: '$list', initialValue: 0, in: { $add: ['$$value', '$$this'] } } },
      { $cond: [{ $gt: ['$a', n] }, 'big', { $ifNull: ['$some', 'none'] }] },
      // biome-ignore lint/suspicious/noThenProperty: MongoDB's name of the field
      { $switch: { branches: [{ case: { $lt: ['$a', n] }, then: 'low' }], default: 'high' } },
      { $dateToString: { date: '$at', format: this.#of('%Y-%m-%d', '%H:%M:%S.%L', '%G-W%V-%u %j') } },
      { $dateTrunc: { date: '$at', unit: this.#of('day', 'week', 'month', 'hour', 'quarter') } },
      { $dateAdd: { startDate: '$at', unit: this.#of('month', 'day', 'year'), amount: n } },
      { $dateDiff: { startDate: '$at', endDate: new Date(0), unit: this.#of('day', 'month', 'week') } },
      { [this.#of('$toUpper', '$toLower', '$strLenCP', '$strLenBytes')]: '$text' },
      { [this.#of('$trim', '$ltrim')]: { input: '$text' } },
      { $split: ['$text', this.#of(' ', '-')] },
      { $substrCP: ['$text', this.upTo(3), this.upTo(5)] },
      { $indexOfCP: ['$text', this.#of('a', 'e')] },
      { $slice: ['$list', this.#of(1, -1, 2)] },
      { [this.#of('$setUnion', '$setIntersection', '$setDifference')]: ['$list', [1, 2, 3]] },
      { $zip: { inputs: ['$list', [1, 2]] } },
      { [this.#of('$cmp', '$eq', '$lt')]: [path, n] },
      { $convert: { input: path, to: this.#of('string', 'int', 'double', 'bool'), onError: 'E', onNull: 'N' } },
      { [this.#of('$abs', '$floor', '$ceil', '$sqrt')]: '$a' },
      { $mod: ['$a', 1 + n] },
      { $pow: ['$a', 2] },
      { $add: [path, 1] },
      { $objectToArray: '$c' },
      { $arrayElemAt: ['$list', this.#of(0, -1, 7)] },
      { $regexMatch: { input: '$text', regex: '^[a-z]' } },
      { $range: [0, '$a', 1 + n] },
      { $isNumber: path },
      { $type: path },
    );
  }
}
