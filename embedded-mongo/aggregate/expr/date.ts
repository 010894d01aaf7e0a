import { Int32, Long } from 'bson';
import { integerOf } from '../../bson/number.js';
import { BsonDate, BsonDoc, type BsonValue, hasTag, isDoc } from '../../bson/value.js';
import { fail } from '../../errors.js';
import { type Named, type OperatorCompiler, typeNameOf } from './compiler.js';
import {
  addUnits,
  type DateParts,
  type DateUnit,
  dayOfYear,
  formatDate,
  isDateUnit,
  isoWeek,
  momentOf,
  parseDate,
  partsOf,
  truncate,
  unitsBetween,
  weekday,
  weekOfYear,
} from './date-parts.js';
import { type Frame, isNullish } from './frame.js';

/** Dates, timestamps and object ids all name a moment. */
function momentMs(value: BsonValue, code = 16_006): number {
  if (value instanceof BsonDate) return Number(value.ms);
  if (hasTag(value, 'Timestamp')) return value.t * 1_000;
  if (hasTag(value, 'ObjectId')) return value.getTimestamp().getTime();
  fail(code, `can't convert from BSON type ${typeNameOf(value)} to Date`);
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
  code?: number,
): (frame: Frame) => { ms: number; zone: string } | undefined {
  const date = named.get(dateKey);
  const zone = named.get('timezone', 'UTC');
  return (frame) => {
    const value = date(frame);
    const name = zoneOf(zone(frame));
    return isNullish(value) || name === undefined ? undefined : { ms: momentMs(value, code), zone: name };
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
  if (argument.length !== 1) fail(40_536, `${operator} accepts exactly one argument`);
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
    if (typeof pattern !== 'string') fail(18_533, '$dateToString requires that format be a string');
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
    const ms =
      typeof value === 'string'
        ? parseDate(value, typeof pattern === 'string' ? pattern : undefined, zoneOf(zone(frame)))
        : undefined;
    if (ms !== undefined) return BsonDate.fromMs(ms);
    if (onError) return onError(frame);
    fail('ConversionFailure', `${operator} could not parse the given text as a date`);
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

const dateFromParts: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['year'], [...PART_NAMES.slice(1), 'timezone']);
  const operands = PART_NAMES.map((name) => named.get(name, new Int32(name === 'month' || name === 'day' ? 1 : 0)));
  const zone = named.get('timezone', 'UTC');
  return (frame) => {
    const values = operands.map((operand) => operand(frame));
    const name = zoneOf(zone(frame));
    if (values.some(isNullish) || name === undefined) return null;
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0] = values.map((value) =>
      wholeOf(value, operator),
    );
    if (year < 1 || year > 9_999) fail(40_523, `'year' must be in the range 1 to 9999, found ${year}`);
    return BsonDate.fromMs(momentOf({ year, month, day, hour, minute, second, millisecond }, name));
  };
};

function wholeOf(value: BsonValue | undefined, operator: string, code = 40_515): number {
  return Number(integerOf(value) ?? fail(code, `${operator} needs whole numbers, found ${typeNameOf(value)}`));
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
    const read = reader(named, 'startDate', 5_166_403);
    const [unit, amount] = [named.get('unit'), named.get('amount')];
    return (frame) => {
      const [found, name, count] = [read(frame), unit(frame), amount(frame)];
      if (!found || isNullish(name) || isNullish(count)) return null;
      return BsonDate.fromMs(
        addUnits(found.ms, unitOf(name, operator), sign * wholeOf(count, operator, 5_166_405), found.zone),
      );
    };
  };
}

const dateDiff: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['startDate', 'endDate', 'unit'], ['timezone', 'startOfWeek']);
  const [start, end] = [reader(named, 'startDate', 5_166_307), reader(named, 'endDate', 5_166_307)];
  const [unit, week] = [named.get('unit'), named.get('startOfWeek', 'sunday')];
  return (frame) => {
    const [from, to, name] = [start(frame), end(frame), unit(frame)];
    if (!from || !to || isNullish(name)) return null;
    const count = unitsBetween(from.ms, to.ms, unitOf(name, operator), from.zone, weekStartOf(week(frame), operator));
    return Long.fromNumber(count);
  };
};

const dateTrunc: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['date', 'unit'], ['binSize', 'timezone', 'startOfWeek']);
  const read = reader(named, 'date', 5_439_012);
  const [unit, size, week] = [
    named.get('unit'),
    named.get('binSize', new Int32(1)),
    named.get('startOfWeek', 'sunday'),
  ];
  return (frame) => {
    const [found, name, bin] = [read(frame), unit(frame), size(frame)];
    if (!found || isNullish(name) || isNullish(bin)) return null;
    const width = wholeOf(bin, operator, 5_439_017);
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
