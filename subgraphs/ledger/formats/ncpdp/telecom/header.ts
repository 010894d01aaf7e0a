import { parseDate } from '../../values/dates.js';

/** The fixed header of a transmission (Telecommunication Standard, versions D.0 and F6). */
export interface TelecomHeader {
  readonly kind: 'request' | 'response';
  /** 101-A1, six digits, in F6 eight; only in requests, like 104-A4 and 110-AK. */
  readonly bin: string;
  /** 102-A2. */
  readonly version: string;
  /** 103-A3. */
  readonly code: string;
  /** 104-A4. */
  readonly pcn: string;
  /** 109-A9; null if not a number. */
  readonly count: number | null;
  /** 501-F1; only in responses. */
  readonly status: string;
  /** 202-B2. */
  readonly qualifier: string;
  /** 201-B1. */
  readonly provider: string;
  /** 401-D1, CCYYMMDD; '' if unreadable. */
  readonly date: string;
  /** 110-AK. */
  readonly software: string;
  /** True if shorter than the standard's 56 (request; in F6 58) or 31 (response) bytes. */
  readonly short: boolean;
  /** Bytes of the header; the first segment follows. */
  readonly length: number;
}

/** The versions of 102-A2 that are read. */
export const VERSIONS: ReadonlySet<string> = new Set(['D0', 'F6']);

/** The bytes of the longest header, an F6 request's. */
export const HEADER_LIMIT = 58;
/** The bytes of 101-A1: F6 widens it for eight-digit issuers; the fields after it keep their lengths. */
const [BIN_LENGTH, WIDE_BIN_LENGTH] = [6, 8] as const;

interface Layout {
  readonly length: number;
  readonly dateAt: number;
  /** The bytes up to the transaction code, without which it is no header. */
  readonly least: number;
}

const RESPONSE: Layout = { length: 31, dateAt: 23, least: 6 };

/** The layout of a request by the bytes before its version. */
const requestLayout = (binLength: number): Layout => ({
  length: binLength + 50,
  dateAt: binLength + 32,
  least: binLength + 4,
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of the standard are control characters
const SEPARATOR = /[\x1c-\x1e]/;
const LOOSE_REQUEST = /^\P{Cc}{6}(?:\P{Cc}{2}F6|[0-9A-Z]{2})[A-Z]\d/u;
const WIDE_REQUEST = /^.{6}(?!D0).{2}F6[A-Z]\d/;
const LOOSE_RESPONSE = /^(?:D0|F6)[A-Z]\d\d[A-Z]/;

/** Reads the header of a transmission; null if there is none. */
export function readHeader(text: string): TelecomHeader | null {
  const kind = LOOSE_RESPONSE.test(text) ? 'response' : LOOSE_REQUEST.test(text) ? 'request' : null;
  if (kind === null) return null;
  const binLength = WIDE_REQUEST.test(text) ? WIDE_BIN_LENGTH : BIN_LENGTH;
  const { length, dateAt, least } = kind === 'request' ? requestLayout(binLength) : RESPONSE;
  const at = text.search(SEPARATOR);
  const before = text.slice(0, at === -1 ? text.length : at);
  const isWhole = before.length >= length && hasDate(before, dateAt);
  // The first segment may follow without a separator: `AM01` is not part of the header.
  const own = !isWhole && /AM\d\d$/.test(before) ? before.slice(0, -4) : before;
  if (own.length < least) return null;
  const fixed = own.slice(0, length);
  // A field that lost its padding shifts all later fields: takes the shift that makes the date valid.
  const lost = isWhole ? 0 : ([0, 1, 2].find((bytes) => hasDate(fixed, dateAt - bytes)) ?? 0);
  const fields = kind === 'request' ? request(fixed, lost, binLength) : response(fixed, dateAt - lost);
  // An F6 request with a six-digit issuer that is not padded has lost two bytes.
  const isNarrow = kind === 'request' && fields.version === 'F6' && binLength === BIN_LENGTH;
  return { ...fields, short: !isWhole || isNarrow, length: fixed.length };
}

const hasDate = (text: string, at: number): boolean => parseDate(text.slice(at, at + 8)) !== null;

type Fields = Omit<TelecomHeader, 'short' | 'length'>;

function request(text: string, lost: number, binLength: number): Fields {
  const [countBase, providerBase] = [binLength + 14, binLength + 17];
  // If the provider's qualifier is in its place, the lost bytes are the provider's.
  const shift = lost === 0 || /^[1-4]\d\d/.test(text.slice(countBase, providerBase)) ? 0 : lost;
  const [countAt, providerAt] = [countBase - shift, providerBase - shift];
  const dateAt = requestLayout(binLength).dateAt - lost;
  return {
    kind: 'request',
    bin: text.slice(0, binLength).trim(),
    version: text.slice(binLength, binLength + 2),
    code: text.slice(binLength + 2, binLength + 4),
    pcn: text.slice(binLength + 4, countAt).trim(),
    count: readCount(text.slice(countAt, countAt + 1)),
    status: '',
    qualifier: text.slice(countAt + 1, providerAt).trim(),
    provider: text.slice(providerAt, dateAt).trim(),
    date: readDay(text.slice(dateAt, dateAt + 8)),
    software: text.slice(dateAt + 8, dateAt + 18).trim(),
  };
}

function response(text: string, dateAt: number): Fields {
  return {
    kind: 'response',
    bin: '',
    version: text.slice(0, 2),
    code: text.slice(2, 4),
    pcn: '',
    count: readCount(text.slice(4, 5)),
    status: text.slice(5, 6),
    qualifier: text.slice(6, 8).trim(),
    provider: text.slice(8, dateAt).trim(),
    date: readDay(text.slice(dateAt, dateAt + 8)),
    software: '',
  };
}

function readCount(text: string): number | null {
  return /^[1-9]$/.test(text) ? Number(text) : null;
}

function readDay(text: string): string {
  return parseDate(text) === null ? '' : text;
}
