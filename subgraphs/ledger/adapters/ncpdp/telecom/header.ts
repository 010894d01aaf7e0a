import { parseDate } from '../../x12/dates.js';

/** The fixed header of a transmission (Telecommunication Standard, version D.0). */
export interface TelecomHeader {
  readonly kind: 'request' | 'response';
  /** 101-A1; requests only, like 104-A4 and 110-AK. */
  readonly bin: string;
  /** 102-A2. */
  readonly version: string;
  /** 103-A3. */
  readonly code: string;
  /** 104-A4. */
  readonly pcn: string;
  /** 109-A9; null when it is no number. */
  readonly count: number | null;
  /** 501-F1; responses only. */
  readonly status: string;
  /** 202-B2. */
  readonly qualifier: string;
  /** 201-B1. */
  readonly provider: string;
  /** 401-D1, CCYYMMDD; '' when it cannot be read. */
  readonly date: string;
  /** 110-AK. */
  readonly software: string;
  /** True when it is shorter than the standard's 56 (request) or 31 (response) bytes. */
  readonly short: boolean;
  /** Bytes of the header; the first segment follows. */
  readonly length: number;
}

export const requestLength = 56;
export const responseLength = 31;
/** Up to the transaction code: less cannot be told from anything. */
const leastLength = { request: 10, response: 6 };

// biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of the standard are control characters
const separator = /[\x1c-\x1e]/;
const looseRequest = /^\P{Cc}{6}[0-9A-Z]{2}[A-Z]\d/u;
const looseResponse = /^D0[A-Z]\d\d[A-Z]/;

/** Reads the header that a transmission begins with; null when none can be made out. */
export function readHeader(text: string): TelecomHeader | null {
  const kind = looseResponse.test(text) ? 'response' : looseRequest.test(text) ? 'request' : null;
  if (kind === null) return null;
  const full = kind === 'request' ? requestLength : responseLength;
  const at = text.search(separator);
  const before = text.slice(0, at === -1 ? text.length : at);
  const dateAt = full - (kind === 'request' ? 18 : 8);
  const whole = before.length >= full && parseDate(before.slice(dateAt, dateAt + 8)) !== null;
  if (whole) return kind === 'request' ? wholeRequest(before) : wholeResponse(before);
  // The first segment may follow without a separator: `AM01` is not the header's.
  const own = /AM\d\d$/.test(before) ? before.slice(0, -4) : before;
  if (own.length < leastLength[kind]) return null;
  const cut = own.slice(0, full);
  return kind === 'request' ? shortRequest(cut) : shortResponse(cut);
}

function wholeRequest(text: string): TelecomHeader {
  return { ...request(text, 20, 23, 38), short: false, length: requestLength };
}

function wholeResponse(text: string): TelecomHeader {
  return { ...response(text, 23), short: false, length: responseLength };
}

/** A field that lost its padding moves all behind it: the one is taken whose loss lets the date be a date. */
function shortRequest(text: string): TelecomHeader {
  const end = { short: true, length: text.length };
  for (const lost of [0, 1, 2]) {
    const dateAt = 38 - lost;
    if (parseDate(text.slice(dateAt, dateAt + 8)) === null) continue;
    const providerLost = /^[1-4]\d\d/.test(text.slice(20, 23));
    return { ...request(text, providerLost ? 20 : 20 - lost, providerLost ? 23 : 23 - lost, dateAt), ...end };
  }
  return { ...request(text, 20, 23, 38), ...end };
}

function shortResponse(text: string): TelecomHeader {
  const end = { short: true, length: text.length };
  const lost = [0, 1, 2].find((bytes) => parseDate(text.slice(23 - bytes, 31 - bytes)) !== null) ?? 0;
  return { ...response(text, 23 - lost), ...end };
}

type Fields = Omit<TelecomHeader, 'short' | 'length'>;

function request(text: string, countAt: number, providerAt: number, dateAt: number): Fields {
  return {
    kind: 'request',
    bin: text.slice(0, 6).trim(),
    version: text.slice(6, 8),
    code: text.slice(8, 10),
    pcn: text.slice(10, countAt).trim(),
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
