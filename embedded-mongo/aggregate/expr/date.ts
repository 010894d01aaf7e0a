import { Int32, Long, type ObjectId, type Timestamp } from 'bson';
import { isNumber, toInteger } from '../../bson/number.js';
import { T } from '../../bson/types.js';
import { BsonDate, BsonDoc, type BsonValue, isDoc, typeOf } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { type Named, type OperatorCompiler, typeNameOf } from './compiler.js';
import { parseDate } from './date-parse.js';
import {
  addUnits,
  type DateParts,
  type DateUnit,
  dayOfYear,
  formatDate,
  isDateUnit,
  isoWeek,
  momentOf,
  partsOf,
  truncate,
  unitsBetween,
  weekday,
  weekOfYear,
} from './date-parts.js';
import { type Frame, isNullish } from './frame.js';

/** Dates, timestamps and object ids all name a moment. */
function momentMs(value: BsonValue): number {
  if (value instanceof BsonDate) return Number(value.ms);
  if (typeOf(value) === T.timestamp) return (value as Timestamp).t * 1_000;
  if (typeOf(value) === T.objectId) return (value as ObjectId).getTimestamp().getTime();
  throw new MongoError(16_006, `can't convert from BSON type ${typeNameOf(value)} to Date`);
}

function zoneOf(value: BsonValue | undefined): string | undefined {
  if (isNullish(value)) return undefined;
  if (typeof value === 'string') return value;
  throw new MongoError(40_517, `timezone must evaluate to a string, found ${typeNameOf(value)}`);
}

/** A moment and a zone from an operator's named operands; undefined when either is null. */
function reader(named: Named, dateKey: string): (frame: Frame) => { ms: number; zone: string } | undefined {
  const date = named.get(dateKey);
  const zone = named.get('timezone', 'UTC');
  return (frame) => {
    const value = date(frame);
    const name = zoneOf(zone(frame));
    return isNullish(value) || name === undefined ? undefined : { ms: momentMs(value), zone: name };
  };
}

function part(pickFrom: (parts: DateParts) => number): OperatorCompiler {
  return (argument, compiler, operator) => {
    const named =
      isDoc(argument) && argument.has('date')
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
  if (argument.length !== 1) throw new MongoError(40_536, `${operator} accepts exactly one argument`);
  return argument[0] as BsonValue;
}

const standardFormat = '%Y-%m-%dT%H:%M:%S.%LZ';
const zonedFormat = '%Y-%m-%dT%H:%M:%S.%L';

const dateToString: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['date'], ['format', 'timezone', 'onNull']);
  const read = reader(named, 'date');
  const onNull = named.get('onNull', null);
  const format = named.get('format', named.has('timezone') ? zonedFormat : standardFormat);
  return (frame) => {
    const found = read(frame);
    if (!found) return onNull(frame);
    const pattern = format(frame);
    if (isNullish(pattern)) return null;
    if (typeof pattern !== 'string') throw new MongoError(18_533, '$dateToString requires that format be a string');
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
    const ms =
      typeof value === 'string'
        ? parseDate(value, typeof pattern === 'string' ? pattern : undefined, zoneOf(zone(frame)))
        : undefined;
    if (ms !== undefined) return BsonDate.fromMs(ms);
    if (onError) return onError(frame);
    throw new MongoError('ConversionFailure', `${operator} could not parse the given text as a date`);
  };
};

const partNames = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond'] as const;

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
    for (const name of partNames.slice(iso ? 3 : 0)) doc.append(name, new Int32(parts[name]));
    return doc;
  };
};

const dateFromParts: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['year'], [...partNames.slice(1), 'timezone']);
  const operands = partNames.map((name) => named.get(name, new Int32(name === 'month' || name === 'day' ? 1 : 0)));
  const zone = named.get('timezone', 'UTC');
  return (frame) => {
    const values = operands.map((operand) => operand(frame));
    const name = zoneOf(zone(frame));
    if (values.some(isNullish) || name === undefined) return null;
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0] = values.map((value) =>
      wholeOf(value, operator),
    );
    return BsonDate.fromMs(momentOf({ year, month, day, hour, minute, second, millisecond }, name));
  };
};

function wholeOf(value: BsonValue | undefined, operator: string): number {
  const integer = isNumber(value) ? toInteger(value) : undefined;
  if (integer === undefined)
    throw new MongoError(40_515, `${operator} needs whole numbers, found ${typeNameOf(value)}`);
  return Number(integer);
}

function unitOf(value: BsonValue | undefined, operator: string): DateUnit {
  if (isDateUnit(value)) return value;
  throw new MongoError(5_439_013, `${operator} needs one of the known time units as 'unit'`);
}

const weekDays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function weekStartOf(value: BsonValue | undefined, operator: string): number {
  const name = typeof value === 'string' ? value.toLowerCase() : '';
  const day = weekDays.findIndex((full) => full === name || full.slice(0, 3) === name);
  if (day < 0) throw new MongoError(5_439_015, `${operator} needs the name of a weekday as 'startOfWeek'`);
  return day;
}

function shift(sign: 1 | -1): OperatorCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['startDate', 'unit', 'amount'], ['timezone']);
    const read = reader(named, 'startDate');
    const [unit, amount] = [named.get('unit'), named.get('amount')];
    return (frame) => {
      const [found, name, count] = [read(frame), unit(frame), amount(frame)];
      if (!found || isNullish(name) || isNullish(count)) return null;
      return BsonDate.fromMs(addUnits(found.ms, unitOf(name, operator), sign * wholeOf(count, operator), found.zone));
    };
  };
}

const dateDiff: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['startDate', 'endDate', 'unit'], ['timezone', 'startOfWeek']);
  const [start, end] = [reader(named, 'startDate'), reader(named, 'endDate')];
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
  const read = reader(named, 'date');
  const [unit, size, week] = [
    named.get('unit'),
    named.get('binSize', new Int32(1)),
    named.get('startOfWeek', 'sunday'),
  ];
  return (frame) => {
    const [found, name, bin] = [read(frame), unit(frame), size(frame)];
    if (!found || isNullish(name) || isNullish(bin)) return null;
    const width = wholeOf(bin, operator);
    if (width < 1) throw new MongoError(5_439_018, `${operator} needs a 'binSize' above 0`);
    return BsonDate.fromMs(
      truncate(found.ms, unitOf(name, operator), width, found.zone, weekStartOf(week(frame), operator)),
    );
  };
};

export const dateOperators: Readonly<Record<string, OperatorCompiler>> = {
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
