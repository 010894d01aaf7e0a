import { Int32, Long } from 'bson';
import { integerOf } from '../../bson/number.js';
import { BsonDate, BsonDoc, type BsonValue, hasTag, isDoc } from '../../bson/value.js';
import { fail } from '../../errors.js';
import { type Named, type OperatorCompiler, typeNameOf } from './compiler.js';
import {
  addUnits,
  checkFormat,
  type DateParts,
  type DateUnit,
  dayOfYear,
  formatDate,
  isDateUnit,
  isoWeek,
  momentOf,
  momentOfWeek,
  parseDate,
  partsOf,
  READ_LETTERS,
  truncate,
  unitsBetween,
  weekday,
  weekOfYear,
} from './date-parts.js';
import { type Frame, isNullish } from './frame.js';

/** MongoDB's code and words for an operand that is no date. */
interface DateFault {
  readonly code: number;
  words(type: string): string;
}

/** Dates, timestamps and object ids all name a moment. */
function momentMs(value: BsonValue, fault: DateFault | undefined): number {
  if (value instanceof BsonDate) return Number(value.ms);
  if (hasTag(value, 'Timestamp')) return value.t * 1_000;
  if (hasTag(value, 'ObjectId')) return value.getTimestamp().getTime();
  if (fault) fail(fault.code, fault.words(typeNameOf(value)));
  fail(16_006, `can't convert from BSON type ${typeNameOf(value)} to Date`);
}

function zoneOf(value: BsonValue | undefined): string | undefined {
  if (isNullish(value)) return undefined;
  if (typeof value === 'string') return value;
  fail(40_517, `timezone must evaluate to a string, found ${typeNameOf(value)}`);
}

/** A moment and a zone from an operator's named operands; undefined when either is null. */
function reader(
  named: Named,
  dateKey: string,
  fault?: DateFault,
): (frame: Frame) => { ms: number; zone: string } | undefined {
  const date = named.get(dateKey);
  const zone = named.get('timezone', 'UTC');
  return (frame) => {
    const value = date(frame);
    const name = zoneOf(zone(frame));
    return isNullish(value) || name === undefined ? undefined : { ms: momentMs(value, fault), zone: name };
  };
}

function part(pickFrom: (parts: DateParts) => number): OperatorCompiler {
  return (argument, compiler, operator) => {
    const named =
      isDoc(argument) && !argument.keys[0]?.startsWith('$')
        ? compiler.named(argument, operator, ['date'], ['timezone'])
        : compiler.named(new BsonDoc(['date'], [single(argument, operator)]), operator, ['date']);
    const read = reader(named, 'date');
    return (frame) => {
      const found = read(frame);
      return found ? new Int32(pickFrom(partsOf(found.ms, found.zone))) : null;
    };
  };
}

function single(argument: BsonValue, operator: string): BsonValue {
  if (!Array.isArray(argument)) return argument;
  if (argument.length !== 1)
    fail(40_536, `${operator} accepts exactly one argument if given an array, but was given ${argument.length}`);
  return argument[0] ?? null;
}

const STANDARD_FORMAT = '%Y-%m-%dT%H:%M:%S.%LZ';
const ZONED_FORMAT = '%Y-%m-%dT%H:%M:%S.%L';

const dateToString: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['date'], ['format', 'timezone', 'onNull']);
  const read = reader(named, 'date');
  const onNull = named.get('onNull', null);
  const format = named.get('format', named.has('timezone') ? ZONED_FORMAT : STANDARD_FORMAT);
  return (frame) => {
    const found = read(frame);
    if (!found) return onNull(frame);
    const pattern = format(frame);
    if (isNullish(pattern)) return null;
    if (typeof pattern !== 'string')
      fail(18_533, `${operator} requires that 'format' be a string, found: ${typeNameOf(pattern)}`);
    return formatDate(pattern, found.ms, found.zone);
  };
};

const dateFromString: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['dateString'], ['format', 'timezone', 'onNull', 'onError']);
  const [text, format, zone] = [named.get('dateString'), named.get('format'), named.get('timezone')];
  const onNull = named.get('onNull', null);
  const onError = named.has('onError') ? named.get('onError') : undefined;
  return (frame) => {
    const value = text(frame);
    if (isNullish(value)) return onNull(frame);
    const pattern = format(frame);
    if (!isNullish(pattern) && typeof pattern !== 'string')
      fail(40_684, `${operator} requires that 'format' be a string, found: ${typeNameOf(pattern)}`);
    if (typeof pattern === 'string') checkFormat(pattern, READ_LETTERS);
    const ms =
      typeof value === 'string'
        ? parseDate(value, typeof pattern === 'string' ? pattern : undefined, zoneOf(zone(frame)))
        : undefined;
    if (ms !== undefined) return BsonDate.fromMs(ms);
    if (onError) return onError(frame);
    if (typeof value === 'string') fail('ConversionFailure', 'Error parsing date string');
    fail('ConversionFailure', `${operator} requires that 'dateString' be a string, found: ${typeNameOf(value)}`);
  };
};

const PART_NAMES = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond'] as const;

const dateToParts: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['date'], ['timezone', 'iso8601']);
  const read = reader(named, 'date');
  const iso = named.raw('iso8601') === true;
  return (frame) => {
    const found = read(frame);
    if (!found) return null;
    const parts = partsOf(found.ms, found.zone);
    const doc = new BsonDoc();
    if (iso) {
      const { year, week } = isoWeek(parts);
      doc.append('isoWeekYear', new Int32(year)).append('isoWeek', new Int32(week));
      doc.append('isoDayOfWeek', new Int32(weekday(parts) || 7));
    }
    for (const name of PART_NAMES.slice(iso ? 3 : 0)) doc.append(name, new Int32(parts[name]));
    return doc;
  };
};

const ISO_NAMES = ['isoWeekYear', 'isoWeek', 'isoDayOfWeek'] as const;
const TIME_NAMES = PART_NAMES.slice(3);
/** The parts that count from one. */
const FROM_ONE: readonly string[] = ['month', 'day', 'isoWeek', 'isoDayOfWeek'];

/** Whether the arguments name an ISO week date. */
function isWeekDate(argument: BsonValue): boolean {
  if (!isDoc(argument)) return false;
  const has = (...names: readonly string[]): boolean => names.some((name) => argument.has(name));
  if (has('year') && has(...ISO_NAMES))
    fail(40_489, '$dateFromParts does not allow mixing natural dates with ISO dates');
  if (has('isoWeekYear') && has('month', 'day'))
    fail(40_525, '$dateFromParts does not allow mixing ISO dates with natural dates');
  return has('isoWeekYear');
}

const dateFromParts: OperatorCompiler = (argument, compiler, operator) => {
  const all = [...PART_NAMES, ...ISO_NAMES];
  const unknown = isDoc(argument) && argument.keys.some((key) => ![...all, 'timezone'].includes(key));
  const iso = !unknown && isWeekDate(argument);
  const [first, ...others] = iso ? [...ISO_NAMES, ...TIME_NAMES] : PART_NAMES;
  const optional = iso ? others : all.slice(1);
  const named = compiler.named(argument, operator, [first], [...optional, 'timezone']);
  const names = [first, ...others];
  const operands = names.map((name) => named.get(name, new Int32(FROM_ONE.includes(name) ? 1 : 0)));
  const zone = named.get('timezone', 'UTC');
  return (frame) => {
    const values = operands.map((operand) => operand(frame));
    const zoneName = zoneOf(zone(frame));
    if (values.some(isNullish) || zoneName === undefined) return null;
    const [year = 0, second = 1, third = 1, hour = 0, minute = 0, seconds = 0, millisecond = 0] = values.map(
      (value, at) => wholeOf(value, 40_515, (type) => `'${names[at]}' must evaluate to an integer, found ${type}`),
    );
    if (year < 1 || year > 9_999)
      fail(40_523, `'${first}' must evaluate to an integer in the range 1 to 9999, found ${year}`);
    const time = { hour, minute, second: seconds, millisecond };
    return BsonDate.fromMs(
      iso
        ? momentOfWeek({ year, week: second, day: third, ...time }, zoneName)
        : momentOf({ year, month: second, day: third, ...time }, zoneName),
    );
  };
};

function wholeOf(value: BsonValue | undefined, code: number, words: (type: string) => string): number {
  return Number(integerOf(value) ?? fail(code, words(typeNameOf(value))));
}

function unitOf(value: BsonValue | undefined, operator: string): DateUnit {
  if (isDateUnit(value)) return value;
  if (typeof value === 'string') fail('FailedToParse', `unknown time unit value: ${value}`);
  fail(5_439_013, `${operator} requires 'unit' to be a string, but got ${typeNameOf(value)}`);
}

const WEEK_DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function weekStartOf(value: BsonValue | undefined, operator: string): number {
  if (typeof value !== 'string')
    fail(5_439_015, `${operator} requires 'startOfWeek' to be a string, but got ${typeNameOf(value)}`);
  const name = value.toLowerCase();
  const day = WEEK_DAYS.findIndex((full) => full === name || full.slice(0, 3) === name);
  if (day < 0)
    fail(5_439_016, `${operator} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${value}`);
  return day;
}

function shift(sign: 1 | -1): OperatorCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['startDate', 'unit', 'amount'], ['timezone']);
    const read = reader(named, 'startDate', {
      code: 5_166_403,
      words: () => `${operator} requires startDate to be convertible to a date`,
    });
    const [unit, amount] = [named.get('unit'), named.get('amount')];
    return (frame) => {
      const [found, name, count] = [read(frame), unit(frame), amount(frame)];
      if (!found || isNullish(name) || isNullish(count)) return null;
      return BsonDate.fromMs(
        addUnits(
          found.ms,
          unitOf(name, operator),
          sign * wholeOf(count, 5_166_405, () => `${operator} expects integer amount of time units`),
          found.zone,
        ),
      );
    };
  };
}

const dateDiff: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['startDate', 'endDate', 'unit'], ['timezone', 'startOfWeek']);
  const [start, end] = ['startDate', 'endDate'].map((key) =>
    reader(named, key, {
      code: 5_166_307,
      words: (type) => `${operator} requires '${key}' to be a date, but got ${type}`,
    }),
  );
  const [unit, week] = [named.get('unit'), named.get('startOfWeek', 'sunday')];
  return (frame) => {
    const [from, to, name] = [start?.(frame), end?.(frame), unit(frame)];
    if (!from || !to || isNullish(name)) return null;
    const count = unitsBetween(from.ms, to.ms, unitOf(name, operator), from.zone, weekStartOf(week(frame), operator));
    return Long.fromNumber(count);
  };
};

const dateTrunc: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['date', 'unit'], ['binSize', 'timezone', 'startOfWeek']);
  const read = reader(named, 'date', {
    code: 5_439_012,
    words: (type) => `${operator} requires 'date' to be a date, but got ${type}`,
  });
  const [unit, size, week] = [
    named.get('unit'),
    named.get('binSize', new Int32(1)),
    named.get('startOfWeek', 'sunday'),
  ];
  return (frame) => {
    const [found, name, bin] = [read(frame), unit(frame), size(frame)];
    if (!found || isNullish(name) || isNullish(bin)) return null;
    const width = wholeOf(
      bin,
      5_439_017,
      (type) => `${operator} requires 'binSize' to be a 64-bit integer, but got value of type ${type}`,
    );
    if (width < 1) fail(5_439_018, `${operator} requires 'binSize' to be greater than 0, but got value ${width}`);
    return BsonDate.fromMs(
      truncate(found.ms, unitOf(name, operator), width, found.zone, weekStartOf(week(frame), operator)),
    );
  };
};

export const DATE_OPERATORS: Readonly<Record<string, OperatorCompiler>> = {
  $year: part((parts) => parts.year),
  $month: part((parts) => parts.month),
  $dayOfMonth: part((parts) => parts.day),
  $hour: part((parts) => parts.hour),
  $minute: part((parts) => parts.minute),
  $second: part((parts) => parts.second),
  $millisecond: part((parts) => parts.millisecond),
  $dayOfWeek: part((parts) => weekday(parts) + 1),
  $dayOfYear: part(dayOfYear),
  $week: part(weekOfYear),
  $isoWeek: part((parts) => isoWeek(parts).week),
  $isoWeekYear: part((parts) => isoWeek(parts).year),
  $isoDayOfWeek: part((parts) => weekday(parts) || 7),
  $dateToString: dateToString,
  $dateFromString: dateFromString,
  $dateToParts: dateToParts,
  $dateFromParts: dateFromParts,
  $dateAdd: shift(1),
  $dateSubtract: shift(-1),
  $dateDiff: dateDiff,
  $dateTrunc: dateTrunc,
};
