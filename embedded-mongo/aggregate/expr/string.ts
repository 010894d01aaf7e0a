import { Int32 } from 'bson';
import { integerOf, isNumber, toInteger, toNumber } from '../../bson/number.js';
import { BsonDate, BsonDoc, type BsonValue, hasTag, T, typeOf } from '../../bson/value.js';
import { compareText } from '../../compare/compare.js';
import { fail } from '../../errors.js';
import type { GuardedRegex } from '../../match/guarded-regex.js';
import { compileRegex } from '../../match/regex.js';
import { type ExpressionCompiler, type OperatorCompiler, simple, strict, typeNameOf } from './compiler.js';
import { formatIso } from './date-parts.js';
import { type Frame, isNullish } from './frame.js';

type Values = readonly (BsonValue | undefined)[];

/** Text as the string operators take it: null is empty, numbers and dates are written out. */
function coerceText(value: BsonValue | undefined): string {
  if (isNullish(value)) return '';
  if (typeof value === 'string') return value;
  if (isNumber(value)) return value._bsontype === 'Double' ? String(value.value) : value.toString();
  if (value instanceof BsonDate) return formatIso(value.ms);
  if (typeOf(value) === T.symbol || hasTag(value, 'Timestamp')) return String(value);
  fail(16_007, `can't convert from BSON type ${typeNameOf(value)} to String`);
}

/** MongoDB's words for an operand that is no text, after its type. */
type NoText = (operator: string, type: string) => string;
const NO_TEXT: NoText = (operator, type) => `${operator} requires a string argument, found: ${type}`;
const noTextAs =
  (which: string): NoText =>
  (operator, type) =>
    `${operator} requires a string as the ${which} argument, found: ${type}`;
const noTextFor =
  (which: string): NoText =>
  (operator, type) =>
    `${operator} requires that '${which}' be a string, found: ${type}`;

function text(value: BsonValue, operator: string, code: number, words: NoText = NO_TEXT): string {
  if (typeof value === 'string') return value;
  fail(code, words(operator, typeNameOf(value)));
}

function concat(values: Values, operator: string): BsonValue {
  let joined = '';
  for (const value of values) {
    if (isNullish(value)) return null;
    joined += text(value, operator, 16_702, (name, type) => `${name} only supports strings, not ${type}`);
  }
  return joined;
}

function index(value: BsonValue | undefined, operator: string, what: string, code: number): number {
  return Number(
    (isNumber(value) ? (toInteger(value) ?? BigInt(Math.trunc(toNumber(value) || 0))) : undefined) ??
      fail(code, `${operator}:  ${what} must be a numeric type (is BSON type ${typeNameOf(value)})`),
  );
}

function substrBytes([value, from, count]: Values, operator: string): BsonValue {
  const bytes = Buffer.from(coerceText(value));
  const start = index(from, operator, 'starting index', 16_034);
  const size = index(count, operator, 'length', 16_035);
  if (start < 0) fail(50_752, `${operator}:  starting index must be non-negative (got: ${start})`);
  const end = size < 0 ? bytes.length : Math.min(bytes.length, start + size);
  const continues = (at: number): boolean => at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80;
  if (continues(start)) fail(28_656, `${operator}:  Invalid range, starting index is a UTF-8 continuation byte.`);
  if (continues(end)) fail(28_657, `${operator}:  Invalid range, ending index is in the middle of a UTF-8 character.`);
  return bytes.toString('utf8', start, Math.max(start, end));
}

function codePoint(
  value: BsonValue | undefined,
  operator: string,
  what: string,
  [notNumeric, notWhole]: readonly [number, number],
): number {
  if (!isNumber(value))
    fail(notNumeric, `${operator}: ${what} must be a numeric type (is BSON type ${typeNameOf(value)})`);
  const whole = integerOf(value);
  if (whole === undefined || BigInt.asIntN(32, whole) !== whole)
    fail(notWhole, `${operator}: ${what} cannot be represented as a 32-bit integral value: ${toNumber(value)}`);
  return Number(whole);
}

function substrCodePoints([value, from, count]: Values, operator: string): BsonValue {
  const start = codePoint(from, operator, 'starting index', [34_450, 34_451]);
  const size = codePoint(count, operator, 'length', [34_452, 34_453]);
  if (start < 0) fail(34_455, `${operator}: the starting index must be nonnegative integer.`);
  if (size < 0) fail(34_454, `${operator}: length must be a nonnegative integer.`);
  return [...coerceText(value)].slice(start, start + size).join('');
}

const noSplitText =
  (which: string): NoText =>
  (operator, type) =>
    `${operator} requires an expression that evaluates to a string as a ${which} argument, found: ${type}`;

function split([value, delimiter]: Values, operator: string): BsonValue {
  const separator = text(delimiter ?? null, operator, 40_086, noSplitText('second'));
  if (separator === '') fail(40_087, '$split requires a non-empty separator');
  return text(value ?? null, operator, 40_085, noSplitText('first')).split(separator);
}

const BLANKS = '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

function trim(left: boolean, right: boolean): OperatorCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['input'], ['chars']);
    const [input, chars] = [named.get('input'), named.get('chars', BLANKS)];
    return (frame) => {
      const [value, unwanted] = [input(frame), chars(frame)];
      if (isNullish(value) || isNullish(unwanted)) return null;
      const points = [
        ...text(value, operator, 50_699, (name, type) => `${name} requires its input to be a string, got ${type}`),
      ];
      const set = new Set(
        text(unwanted, operator, 50_700, (name, type) => ` ${name} requires 'chars' to be a string, got ${type}`),
      );
      let start = 0;
      let end = points.length;
      while (left && start < end && set.has(points[start] ?? '')) start++;
      while (right && end > start && set.has(points[end - 1] ?? '')) end--;
      return points.slice(start, end).join('');
    };
  };
}

function indexOf(
  toUnits: (value: string) => ArrayLike<unknown>,
  [notText, notWanted]: readonly [number, number],
): (values: Values, operator: string) => BsonValue {
  return ([value, wanted, from, to], operator) => {
    if (isNullish(value)) return null;
    const units = toUnits(text(value, operator, notText, noTextAs('first')));
    const part = toUnits(text(wanted ?? null, operator, notWanted, noTextAs('second')));
    const start = from === undefined ? 0 : position(from, operator, 'starting');
    const end = to === undefined ? units.length : Math.min(units.length, position(to, operator, 'ending'));
    for (let at = start; at + part.length <= end; at++) if (standsAt(units, part, at)) return new Int32(at);
    return new Int32(-1);
  };
}

function position(value: BsonValue, operator: string, which: string): number {
  const whole = integerOf(value);
  if (whole === undefined || BigInt.asIntN(32, whole) !== whole)
    fail(40_096, `${operator} requires an integral ${which} index, found a value of type: ${typeNameOf(value)}`);
  if (whole < 0n) fail(40_097, `${operator} requires a nonnegative ${which} index, found: ${whole}`);
  return Number(whole);
}

function standsAt(units: ArrayLike<unknown>, part: ArrayLike<unknown>, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (units[at + i] !== part[i]) return false;
  return true;
}

const needs =
  (argument: string, type: string): NoText =>
  (operator) =>
    `${operator} needs '${argument}' to be of type ${type}`;

/** A pattern given as text or regular expression, compiled once where it is constant. */
function patternOf(compiler: ExpressionCompiler, argument: BsonValue, operator: string) {
  const named = compiler.named(argument, operator, ['input', 'regex'], ['options']);
  const [input, regex, options] = [named.get('input'), named.get('regex'), named.get('options')];
  const cache = new Map<string, GuardedRegex>();
  return (frame: Frame): { value: string; pattern: GuardedRegex } | undefined => {
    const [value, source, flags] = [input(frame), regex(frame), options(frame)];
    if (isNullish(value) || isNullish(source)) return undefined;
    const given = hasTag(source, 'BSONRegExp')
      ? source
      : { pattern: text(source, operator, 51_105, needs('regex', 'string or regex')), options: '' };
    const letters = isNullish(flags) ? given.options : text(flags, operator, 51_106, needs('options', 'string'));
    const key = `${letters}/${given.pattern}`;
    const pattern = cache.get(key) ?? compileRegex(given.pattern, letters, operator);
    if (cache.size < 64) cache.set(key, pattern);
    return { value: text(value, operator, 51_104, needs('input', 'string')), pattern };
  };
}

function foundDoc(match: RegExpMatchArray): BsonDoc {
  const before = (match.input ?? '').slice(0, match.index ?? 0);
  const captures = match.slice(1).map((capture): BsonValue => capture ?? null);
  return new BsonDoc(['match', 'idx', 'captures'], [match[0], new Int32([...before].length), captures]);
}

const regexMatch: OperatorCompiler = (argument, compiler, operator) => {
  const read = patternOf(compiler, argument, operator);
  return (frame) => {
    const found = read(frame);
    return found ? found.pattern.test(found.value) : false;
  };
};

const regexFind: OperatorCompiler = (argument, compiler, operator) => {
  const read = patternOf(compiler, argument, operator);
  return (frame) => {
    const found = read(frame);
    const match = found?.value.match(found.pattern);
    return match ? foundDoc(match) : null;
  };
};

const regexFindAll: OperatorCompiler = (argument, compiler, operator) => {
  const read = patternOf(compiler, argument, operator);
  return (frame) => {
    const found = read(frame);
    if (!found) return [];
    return [...found.value.matchAll(found.pattern.everywhere())].map(foundDoc);
  };
};

function replace(all: boolean): OperatorCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['input', 'find', 'replacement']);
    const parts = [named.get('input'), named.get('find'), named.get('replacement')];
    return (frame) => {
      const [input, find, replacement] = parts.map((part) => part(frame));
      if (isNullish(input) || isNullish(find) || isNullish(replacement)) return null;
      const [source, wanted] = [
        text(input, operator, 51_746, noTextFor('input')),
        text(find, operator, 51_745, noTextFor('find')),
      ];
      const by = text(replacement, operator, 51_744, noTextFor('replacement'));
      return all ? source.replaceAll(wanted, () => by) : source.replace(wanted, () => by);
    };
  };
}

/** Only ASCII letters change case, as in MongoDB. */
const lower = (value: string): string => value.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (value: string): string => value.replace(/[a-z]+/g, (part) => part.toUpperCase());

export const STRING_OPERATORS: Readonly<Record<string, OperatorCompiler>> = {
  $concat: simple(0, Number.POSITIVE_INFINITY, concat),
  $toLower: simple(1, 1, ([value]) => lower(coerceText(value))),
  $toUpper: simple(1, 1, ([value]) => upper(coerceText(value))),
  $substr: simple(3, 3, substrBytes),
  $substrBytes: simple(3, 3, substrBytes),
  $substrCP: simple(3, 3, substrCodePoints),
  $strLenBytes: simple(
    1,
    1,
    ([value], operator) => new Int32(Buffer.byteLength(text(value ?? null, operator, 34_473))),
  ),
  $strLenCP: simple(1, 1, ([value], operator) => new Int32([...text(value ?? null, operator, 34_471)].length)),
  $strcasecmp: simple(2, 2, ([left, right]) => {
    return new Int32(compareText(upper(coerceText(left)), upper(coerceText(right))));
  }),
  $split: strict(2, split),
  $trim: trim(true, true),
  $ltrim: trim(true, false),
  $rtrim: trim(false, true),
  $indexOfBytes: simple(
    2,
    4,
    indexOf((value) => Buffer.from(value), [40_091, 40_092]),
  ),
  $indexOfCP: simple(
    2,
    4,
    indexOf((value) => [...value], [40_093, 40_094]),
  ),
  $regexMatch: regexMatch,
  $regexFind: regexFind,
  $regexFindAll: regexFindAll,
  $replaceOne: replace(false),
  $replaceAll: replace(true),
};
