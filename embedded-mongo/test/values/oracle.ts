import type { Binary, BSONRegExp, Decimal128, ObjectId, Timestamp } from 'bson';
import { BsonDate, BsonDoc, type BsonValue } from '../../bson/value.js';

/**
 * A second, slow opinion on the order of values and on filters, written from MongoDB's manual without a line of the
 * code it is held against: numbers are exact fractions, texts are bytes, filters walk decoded documents.
 */

type Tag = Extract<BsonValue, { _bsontype: string }>['_bsontype'] | 'null' | 'boolean' | 'string' | 'array';

export function tagOf(value: BsonValue): Tag {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  return Array.isArray(value) ? 'array' : value._bsontype;
}

/** "Comparison/Sort Order" of the manual; types of one line compare by value. */
const CLASSES: readonly (readonly Tag[])[] = [
  ['MinKey'],
  ['BsonUndefined'],
  ['null'],
  ['Int32', 'Long', 'Double', 'Decimal128'],
  ['string', 'BSONSymbol'],
  ['BsonDoc'],
  ['array'],
  ['Binary'],
  ['ObjectId'],
  ['boolean'],
  ['BsonDate'],
  ['Timestamp'],
  ['BSONRegExp'],
  ['BsonDbPointer'],
  ['Code'],
  ['BsonCodeWithScope'],
  ['MaxKey'],
];

export const classOf = (value: BsonValue): number => CLASSES.findIndex((tags) => tags.includes(tagOf(value)));
export const isNumeric = (value: BsonValue | undefined): boolean => value !== undefined && classOf(value) === 3;

/** An exact number: NaN below everything, infinities at the ends, else a fraction with a positive denominator. */
type Exact = 'nan' | '-inf' | 'inf' | { readonly over: bigint; readonly under: bigint };

function exactOf(value: BsonValue): Exact {
  const tag = tagOf(value);
  const text = tag === 'Decimal128' ? (value as Decimal128).toString() : undefined;
  if (text !== undefined) return exactText(text);
  if (tag === 'Long') return { over: BigInt(String(value)), under: 1n };
  const number = (value as { value: number }).value;
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number > 0 ? 'inf' : '-inf';
  let under = 1n;
  let scaled = number;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    under *= 2n;
  }
  return { over: BigInt(scaled), under };
}

function exactText(text: string): Exact {
  if (text === 'NaN') return 'nan';
  if (text.endsWith('Infinity')) return text.startsWith('-') ? '-inf' : 'inf';
  const [mantissa = '0', exponent = '0'] = text.split('E');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const power = Number(exponent) - fraction.length;
  const over = BigInt(whole + fraction);
  return power >= 0 ? { over: over * 10n ** BigInt(power), under: 1n } : { over, under: 10n ** BigInt(-power) };
}

function compareExact(a: Exact, b: Exact): number {
  const rank = (one: Exact): number => (one === 'nan' ? 0 : one === '-inf' ? 1 : one === 'inf' ? 3 : 2);
  if (rank(a) !== rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (typeof a === 'string' || typeof b === 'string') return 0;
  const [left, right] = [a.over * b.under, b.over * a.under];
  return left < right ? -1 : left > right ? 1 : 0;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');
const sign = (number: number): number => (number < 0 ? -1 : number > 0 ? 1 : 0);
const textOf = (value: BsonValue): string =>
  typeof value === 'string' ? value : String((value as { value: string }).value);

export function naiveCompare(a: BsonValue, b: BsonValue): number {
  if (classOf(a) !== classOf(b)) return sign(classOf(a) - classOf(b));
  switch (tagOf(a)) {
    case 'Int32':
    case 'Long':
    case 'Double':
    case 'Decimal128':
      return compareExact(exactOf(a), exactOf(b));
    case 'string':
    case 'BSONSymbol':
      return Buffer.compare(bytes(textOf(a)), bytes(textOf(b)));
    case 'boolean':
      return sign(Number(a) - Number(b));
    case 'BsonDoc':
      return compareLists(fieldsOf(a as BsonDoc), fieldsOf(b as BsonDoc));
    case 'array':
      return compareLists(
        (a as BsonValue[]).map((value) => [value]),
        (b as BsonValue[]).map((value) => [value]),
      );
    default:
      return compareRest(a, b);
  }
}

/** The parts of each field, for the comparison by class of the value, name and value. */
function fieldsOf(doc: BsonDoc): (readonly [BsonValue, string])[] {
  return doc.keys.map((key, i) => [doc.values[i] as BsonValue, key] as const);
}

type Part = readonly [value: BsonValue, name?: string];

function compareLists(a: readonly Part[], b: readonly Part[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [left, right] = [a[i], b[i]];
    if (!left) return -1;
    if (!right) return 1;
    const order =
      sign(classOf(left[0]) - classOf(right[0])) ||
      Buffer.compare(bytes(left[1] ?? ''), bytes(right[1] ?? '')) ||
      naiveCompare(left[0], right[0]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareRest(a: BsonValue, b: BsonValue): number {
  const [left, right] = [sortable(a), sortable(b)];
  for (let i = 0; i < left.length; i++) {
    const [one, other] = [left[i], right[i]];
    const order =
      one instanceof Buffer && other instanceof Buffer
        ? Buffer.compare(one, other)
        : one instanceof BsonDoc && other instanceof BsonDoc
          ? naiveCompare(one, other)
          : (one as bigint) < (other as bigint)
            ? -1
            : (one as bigint) > (other as bigint)
              ? 1
              : 0;
    if (order !== 0) return order;
  }
  return 0;
}

/** What of a value is compared, in turn. */
function sortable(value: BsonValue): (bigint | Buffer | BsonDoc)[] {
  if (value instanceof BsonDate) return [value.ms];
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  switch (value._bsontype) {
    case 'ObjectId':
      return [Buffer.from((value as ObjectId).id)];
    case 'Timestamp':
      return [BigInt((value as Timestamp).t), BigInt((value as Timestamp).i)];
    case 'Binary': {
      const { position, sub_type: subtype, buffer } = value as Binary;
      // The old subtype 2 stores its length twice.
      return [BigInt(position + (subtype === 2 ? 4 : 0)), BigInt(subtype), Buffer.from(buffer.subarray(0, position))];
    }
    case 'BSONRegExp':
      return [bytes((value as BSONRegExp).pattern), bytes((value as BSONRegExp).options)];
    case 'BsonDbPointer':
      return [BigInt(bytes(value.namespace).length), bytes(value.namespace), Buffer.from(value.id.id)];
    case 'Code':
      return [bytes(value.code)];
    case 'BsonCodeWithScope':
      return [bytes(value.code), value.scope];
    default:
      return [];
  }
}

/** A value a path leads to; `missing` where a document on the way has no such field. */
interface Candidate {
  readonly value: BsonValue | undefined;
  /** Whether elements count too, when it is an array. */
  readonly spread: boolean;
}

function candidates(doc: BsonDoc, steps: readonly string[]): Candidate[] {
  const [step = '', ...rest] = steps;
  const value = doc.get(step);
  if (value === undefined) return [{ value: undefined, spread: false }];
  if (rest.length === 0) return [{ value, spread: true }];
  if (value instanceof BsonDoc) return candidates(value, rest);
  return Array.isArray(value) ? inArray(value, rest) : [{ value: undefined, spread: false }];
}

function inArray(array: readonly BsonValue[], steps: readonly string[]): Candidate[] {
  return array.flatMap((element, i) => {
    const through = element instanceof BsonDoc ? candidates(element, steps) : [];
    return steps[0] === String(i) ? [...through, ...atElement(element, steps.slice(1))] : through;
  });
}

function atElement(element: BsonValue, rest: readonly string[]): Candidate[] {
  if (rest.length === 0) return [{ value: element, spread: false }];
  if (element instanceof BsonDoc) return candidates(element, rest);
  return Array.isArray(element) ? inArray(element, rest) : [];
}

type Verdict = (value: BsonValue) => boolean;

const isNaNumber = (value: BsonValue): boolean => isNumeric(value) && exactOf(value) === 'nan';

function ordered(operand: BsonValue, holds: (order: number) => boolean): Verdict {
  return (value) => {
    if (classOf(value) !== classOf(operand)) return false;
    if (isNaNumber(value) || isNaNumber(operand)) return isNaNumber(value) && isNaNumber(operand) && holds(0);
    return holds(naiveCompare(value, operand));
  };
}

/** Whether a filter of the oracle's operators holds for a document. */
export function naiveMatches(filter: BsonDoc, doc: BsonDoc): boolean {
  return [...filter].every(([key, value]) => {
    const parts = (): BsonDoc[] => value as BsonDoc[];
    if (key === '$and') return parts().every((part) => naiveMatches(part, doc));
    if (key === '$or') return parts().some((part) => naiveMatches(part, doc));
    if (key === '$nor') return !parts().some((part) => naiveMatches(part, doc));
    const found = candidates(doc, key.split('.'));
    const isOperators = value instanceof BsonDoc && value.keys[0]?.startsWith('$');
    if (!isOperators) return holdsOne(found, '$eq', value);
    return [...(value as BsonDoc)].every(([operator, argument]) => holdsOne(found, operator, argument));
  });
}

function holdsOne(found: readonly Candidate[], operator: string, argument: BsonValue): boolean {
  const some = (verdict: Verdict, missing: boolean, spread = true): boolean =>
    found.some(({ value, spread: spreads }) => {
      if (value === undefined) return missing;
      if (verdict(value)) return true;
      return spread && spreads && Array.isArray(value) && value.some(verdict);
    });
  const equals =
    (operand: BsonValue): Verdict =>
    (value) =>
      naiveCompare(value, operand) === 0;
  switch (operator) {
    case '$eq':
      return some(equals(argument), argument === null);
    case '$ne':
      return !holdsOne(found, '$eq', argument);
    case '$in':
      return (argument as BsonValue[]).some((one) => holdsOne(found, '$eq', one));
    case '$nin':
      return !holdsOne(found, '$in', argument);
    case '$gt':
      return some(
        ordered(argument, (order) => order > 0),
        false,
      );
    case '$gte':
      return some(
        ordered(argument, (order) => order >= 0),
        argument === null,
      );
    case '$lt':
      return some(
        ordered(argument, (order) => order < 0),
        false,
      );
    case '$lte':
      return some(
        ordered(argument, (order) => order <= 0),
        argument === null,
      );
    case '$exists':
      return some(() => true, false) === argument;
    case '$size':
      return some(
        (value) => Array.isArray(value) && value.length === (argument as { value: number } | null)?.value,
        false,
        false,
      );
    case '$all':
      return (
        (argument as BsonValue[]).length > 0 && (argument as BsonValue[]).every((one) => holdsOne(found, '$eq', one))
      );
    case '$not':
      return ![...(argument as BsonDoc)].every(([inner, value]) => holdsOne(found, inner, value));
    case '$elemMatch':
      return some(
        (value) => Array.isArray(value) && value.some((element) => elementHolds(element, argument as BsonDoc)),
        false,
        false,
      );
    default:
      throw new Error(`the oracle does not know ${operator}`);
  }
}

function elementHolds(element: BsonValue, condition: BsonDoc): boolean {
  if (condition.keys[0]?.startsWith('$')) {
    return [...condition].every(([operator, argument]) =>
      holdsOne([{ value: element, spread: true }], operator, argument),
    );
  }
  if (element instanceof BsonDoc) return naiveMatches(condition, element);
  if (!Array.isArray(element)) return false;
  // An array inside an array is a document with positions as names.
  return naiveMatches(
    condition,
    new BsonDoc(
      element.map((_, i) => String(i)),
      [...element],
    ),
  );
}
