/** Type bytes of the BSON specification (bsonspec.org), and the two orders and name tables built on them. */
export const T = {
  double: 0x01,
  string: 0x02,
  object: 0x03,
  array: 0x04,
  binary: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  bool: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  dbPointer: 0x0c,
  code: 0x0d,
  symbol: 0x0e,
  codeWithScope: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal: 0x13,
  maxKey: 0x7f,
  minKey: 0xff,
} as const;

/** Names as `$type` (query) and `$type` (expression) know them, with the number a query may give instead. */
export const typeNames: ReadonlyMap<number, string> = new Map([
  [T.double, 'double'],
  [T.string, 'string'],
  [T.object, 'object'],
  [T.array, 'array'],
  [T.binary, 'binData'],
  [T.undefined, 'undefined'],
  [T.objectId, 'objectId'],
  [T.bool, 'bool'],
  [T.date, 'date'],
  [T.null, 'null'],
  [T.regex, 'regex'],
  [T.dbPointer, 'dbPointer'],
  [T.code, 'javascript'],
  [T.symbol, 'symbol'],
  [T.codeWithScope, 'javascriptWithScope'],
  [T.int32, 'int'],
  [T.timestamp, 'timestamp'],
  [T.int64, 'long'],
  [T.decimal, 'decimal'],
  [T.maxKey, 'maxKey'],
  [T.minKey, 'minKey'],
]);

export const typeByName: ReadonlyMap<string, number> = new Map([...typeNames].map(([code, name]) => [name, code]));

/** Place of each type in the comparison order; types of one place (the numbers, string and symbol) compare by value. */
const orderOfType = new Int16Array(256).fill(-1);
const places: ReadonlyArray<readonly [number, number]> = [
  [T.minKey, 1],
  [T.undefined, 3],
  [T.null, 5],
  [T.double, 10],
  [T.int32, 10],
  [T.int64, 10],
  [T.decimal, 10],
  [T.string, 15],
  [T.symbol, 15],
  [T.object, 20],
  [T.array, 25],
  [T.binary, 30],
  [T.objectId, 35],
  [T.bool, 40],
  [T.date, 45],
  [T.timestamp, 47],
  [T.regex, 50],
  [T.dbPointer, 55],
  [T.code, 60],
  [T.codeWithScope, 65],
  [T.maxKey, 127],
];
for (const [type, place] of places) orderOfType[type] = place;

/** Canonical place of a type byte; -1 for a byte that is no BSON type. */
export function canonicalOrder(type: number): number {
  return orderOfType[type] ?? -1;
}

export function isNumberType(type: number): boolean {
  return type === T.int32 || type === T.double || type === T.int64 || type === T.decimal;
}
