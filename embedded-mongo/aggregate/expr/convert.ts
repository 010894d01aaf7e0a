import { isUtf8 } from 'node:buffer';
import { Binary, Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import { decimalParts, toDecimal128 } from '../../bson/decimal.js';
import { isNumber, toDecimalParts, toNumber, truncateDecimal } from '../../bson/number.js';
import { BsonDate, type BsonValue, hasTag, isDoc, T, TYPE_BY_NAME, TYPE_NAMES } from '../../bson/value.js';
import { fail, MongoError } from '../../errors.js';
import { type ExpressionCompiler, type OperatorCompiler, simple, strict, typeNameOf } from './compiler.js';
import { formatIso, parseDate } from './date-parts.js';
import { type Frame, isNullish, isTrue } from './frame.js';

/** How binary data is written as text. */
type Format = 'auto' | 'base64' | 'base64url' | 'hex' | 'utf8' | 'uuid';

interface ConvertOptions {
  readonly format: Format | undefined;
  readonly subtype: number;
}

type Converter = (value: BsonValue, options: ConvertOptions) => BsonValue | undefined;

const NO_OPTIONS: ConvertOptions = { format: undefined, subtype: 0 };

function failure(value: BsonValue, target: number): MongoError {
  return new MongoError('ConversionFailure', `${reasonOf(value, target)} in $convert with no onError value`);
}

const NUMBER_TYPES: readonly number[] = [T.int32, T.int64, T.double, T.decimal];

/** MongoDB's words, without the value: an error may reach a log. */
function reasonOf(value: BsonValue, target: number): string {
  const [from, to] = [typeNameOf(value), TYPE_NAMES.get(target)];
  if (typeof value === 'string' && NUMBER_TYPES.includes(target)) return 'Failed to parse number';
  if (typeof value === 'string' && target === T.objectId) return 'Failed to parse objectId';
  if (typeof value === 'string' && target === T.date) return 'Error parsing date string';
  if (isNumber(value) && NUMBER_TYPES.includes(target)) return 'Conversion would overflow target type';
  return `Unsupported conversion from ${from} to ${to}`;
}

/** By target type; returns undefined when the value cannot be converted. */
const CONVERTERS: ReadonlyMap<number, Converter> = new Map<number, Converter>([
  [T.string, toText],
  [T.bool, (value) => (isNumber(value) ? isTrue(value) : typeof value !== 'boolean' || value)],
  [T.int32, (value) => wholeNumber(value, 32)],
  [T.int64, (value) => wholeNumber(value, 64)],
  [T.double, toDouble],
  [T.decimal, toDecimal],
  [T.date, toDate],
  [T.objectId, toObjectId],
  [T.binary, toBinary],
]);

function toText(value: BsonValue, { format }: ConvertOptions): BsonValue | undefined {
  if (typeof value === 'string') return value;
  if (hasTag(value, 'Binary')) return binaryText(value, format);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof BsonDate) return formatIso(value.ms);
  if (isNumber(value)) return value._bsontype === 'Double' ? String(value.value) : value.toString();
  return hasTag(value, 'ObjectId') ? value.toHexString() : undefined;
}

const ENCODINGS = { base64: 'base64', base64url: 'base64url', hex: 'hex', utf8: 'utf8' } as const;

function binaryText(value: Binary, format: Format | undefined): string | undefined {
  const bytes = Buffer.from(value.buffer.subarray(0, value.position));
  const isUuid = value.sub_type === Binary.SUBTYPE_UUID && bytes.length === 16;
  if (format === 'uuid' || (format === 'auto' && isUuid))
    return isUuid ? bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : undefined;
  if (format === undefined || (format === 'utf8' && !isUtf8(bytes))) return undefined;
  return bytes.toString(ENCODINGS[format === 'auto' ? 'base64' : format]);
}

/** Reads text strictly: rejects text that would be written differently in the same format. */
function toBinary(value: BsonValue, { format, subtype }: ConvertOptions): BsonValue | undefined {
  if (hasTag(value, 'Binary')) return value.sub_type === subtype ? value : undefined;
  if (typeof value !== 'string' || format === undefined) return undefined;
  if (format === 'uuid' || (format === 'auto' && subtype === Binary.SUBTYPE_UUID)) {
    if (subtype !== Binary.SUBTYPE_UUID || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value))
      return undefined;
    return new Binary(Buffer.from(value.replaceAll('-', ''), 'hex'), subtype);
  }
  const encoding = ENCODINGS[format === 'auto' ? 'base64' : format];
  const bytes = Buffer.from(value, encoding);
  const back = bytes.toString(encoding);
  return back === (format === 'hex' ? value.toLowerCase() : value) ? new Binary(bytes, subtype) : undefined;
}

function wholeNumber(value: BsonValue, bits: 32 | 64): BsonValue | undefined {
  const whole = wholeOf(value);
  if (whole === undefined || BigInt.asIntN(bits, whole) !== whole) return undefined;
  return bits === 32 ? new Int32(Number(whole)) : Long.fromBigInt(whole);
}

/** Numbers are cut towards zero; text must be a whole number. */
function wholeOf(value: BsonValue): bigint | undefined {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') return /^[+-]?\d{1,20}$/.test(value) ? BigInt(value.replace('+', '')) : undefined;
  if (value instanceof BsonDate) return value.ms;
  if (!isNumber(value)) return undefined;
  if (value._bsontype === 'Double') return Number.isFinite(value.value) ? BigInt(Math.trunc(value.value)) : undefined;
  if (value._bsontype !== 'Decimal128') return BigInt(value.toString());
  const parts = decimalParts(value);
  return parts.kind === 'finite' && parts.exponent < 40 ? truncateDecimal(parts) : undefined;
}

function toDouble(value: BsonValue): BsonValue | undefined {
  if (typeof value === 'boolean') return new Double(value ? 1 : 0);
  if (value instanceof BsonDate) return new Double(Number(value.ms));
  if (isNumber(value)) return new Double(toNumber(value));
  if (typeof value !== 'string' || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?inf(inity)?$|^nan$/i.test(value))
    return undefined;
  if (/n/i.test(value))
    return new Double(/^nan$/i.test(value) ? Number.NaN : value.startsWith('-') ? -Infinity : Infinity);
  return new Double(Number(value));
}

function toDecimal(value: BsonValue): BsonValue | undefined {
  if (isNumber(value)) return value._bsontype === 'Decimal128' ? value : toDecimal128(toDecimalParts(value));
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0');
  if (value instanceof BsonDate) return Decimal128.fromString(value.ms.toString());
  if (typeof value !== 'string') return undefined;
  try {
    return Decimal128.fromStringWithRounding(value);
  } catch {
    // The only failure is text that is not a number.
    return undefined;
  }
}

function toDate(value: BsonValue): BsonValue | undefined {
  if (value instanceof BsonDate) return value;
  if (typeof value === 'string') {
    const ms = parseDate(value, undefined, undefined);
    return ms === undefined ? undefined : BsonDate.fromMs(ms);
  }
  if (hasTag(value, 'ObjectId')) return BsonDate.fromMs(value.getTimestamp().getTime());
  if (hasTag(value, 'Timestamp')) return BsonDate.fromMs(value.t * 1_000);
  if (!isNumber(value) || value._bsontype === 'Int32') return undefined;
  const whole = wholeOf(value);
  return whole === undefined || BigInt.asIntN(64, whole) !== whole ? undefined : new BsonDate(whole);
}

function toObjectId(value: BsonValue): BsonValue | undefined {
  if (hasTag(value, 'ObjectId')) return value;
  return typeof value === 'string' && /^[0-9a-f]{24}$/i.test(value) ? ObjectId.createFromHexString(value) : undefined;
}

function convertTo(target: number): OperatorCompiler {
  const convert = CONVERTERS.get(target);
  return strict(1, ([value = null]) => {
    const converted = convert?.(value, NO_OPTIONS);
    if (converted === undefined) throw failure(value, target);
    return converted;
  });
}

function targetOf(value: BsonValue): number {
  const code = typeof value === 'string' ? TYPE_BY_NAME.get(value) : isNumber(value) ? toNumber(value) : undefined;
  // A known type to which nothing converts fails as a conversion, so that onError takes it.
  if (code !== undefined && TYPE_NAMES.has(code)) return code;
  if (typeof value === 'string') fail('BadValue', `Unknown type name: ${value}`);
  if (isNumber(value)) fail('FailedToParse', "In $convert, numeric value for 'to' does not correspond to a BSON type");
  fail('FailedToParse', `$convert's 'to' argument must be a string or number, but is ${typeNameOf(value)}`);
}

/** `to` may be `{ type, subtype }`. */
function compileTarget(to: BsonValue, compiler: ExpressionCompiler): (frame: Frame) => number {
  const subtype = isDoc(to) ? to.get('subtype') : undefined;
  if (subtype === undefined) return () => 0;
  const expression = compiler.expression(subtype);
  return (frame) => {
    const value = expression(frame);
    const code = isNumber(value) ? toNumber(value) : Number.NaN;
    if (Number.isInteger(code) && code >= 0 && code <= 255) return code;
    fail(4_341_107, "In $convert, numeric value for 'subtype' does not correspond to a BinData type");
  };
}

const FORMATS: readonly Format[] = ['auto', 'base64', 'base64url', 'hex', 'utf8', 'uuid'];

function formatOf(value: BsonValue | undefined): Format | undefined {
  if (isNullish(value)) return undefined;
  const format = FORMATS.find((one) => one === value);
  if (format) return format;
  fail(4_341_125, "Invalid 'format' argument for $convert");
}

const convert: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['input', 'to'], ['onError', 'onNull', 'format']);
  const [input, to, onNull] = [named.get('input'), named.get('to'), named.get('onNull', null)];
  const format = named.get('format');
  const subtypeOf = compileTarget(named.raw('to') ?? null, compiler);
  const onError = named.has('onError') ? named.get('onError') : undefined;
  return (frame) => {
    const [value, type] = [input(frame), to(frame)];
    if (isNullish(value)) return onNull(frame);
    if (isNullish(type)) return null;
    const target = targetOf(isDoc(type) ? (type.get('type') ?? null) : type);
    const converted = CONVERTERS.get(target)?.(value, { format: formatOf(format(frame)), subtype: subtypeOf(frame) });
    if (converted !== undefined) return converted;
    if (onError) return onError(frame);
    throw failure(value, target);
  };
};

export const CONVERT_OPERATORS: Readonly<Record<string, OperatorCompiler>> = {
  $type: simple(1, 1, ([value]) => typeNameOf(value)),
  $isNumber: simple(1, 1, ([value]) => isNumber(value)),
  $convert: convert,
  $toString: convertTo(T.string),
  $toBool: convertTo(T.bool),
  $toInt: convertTo(T.int32),
  $toLong: convertTo(T.int64),
  $toDouble: convertTo(T.double),
  $toDecimal: convertTo(T.decimal),
  $toDate: convertTo(T.date),
  $toObjectId: convertTo(T.objectId),
  $toUUID: strict(1, ([value = null]) => {
    const converted = toBinary(value, { format: 'uuid', subtype: Binary.SUBTYPE_UUID });
    if (converted === undefined) throw failure(value, T.binary);
    return converted;
  }),
};
