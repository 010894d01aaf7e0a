import type { AnswerAbout, AnsweredPart, Header } from '../acknowledge.js';
import { VERSIONS } from './header.js';

const [STX, ETX, FS, GS, RS] = ['\x02', '\x03', '\x1c', '\x1d', '\x1e'] as const;
/** 526-FQ has forty characters and at most nine occurrences. */
const [LINE_LENGTH, LINES_LIMIT] = [40, 9] as const;

/** Our error codes as reject codes (511-FB), each with its meaning in our own words: NCPDP owns the official texts. */
const REJECTS: ReadonlyMap<string, readonly [code: string, meaning: string]> = new Map([
  ['VERSION_UNKNOWN', ['02', 'version missing or wrong']],
  ['UNSUPPORTED_TRANSACTION', ['03', 'transaction code missing or wrong']],
  ['PROVIDER_MISSING', ['05', 'pharmacy id missing or wrong']],
  ['DATE_MISSING', ['15', 'date of service missing or wrong']],
  ['TRANSACTION_CUT', ['16', 'prescription number missing or wrong']],
  ['UNAVAILABLE', ['92', 'system or host unavailable']],
]);
const NOT_PROCESSED = ['85', 'claim not processed'] as const;

/** The response to one request: header with 501-F1, and per transaction 112-AN captured, duplicate or rejected. */
export function telecomAnswer(header: Header, parts: readonly AnsweredPart[], { nowIso }: AnswerAbout): string {
  // An unreadable transmission is rejected as a whole.
  const rejected = parts.length === 0 || parts.every(({ refused }) => refused);
  const date = header['date'] || nowIso.slice(0, 10).replaceAll('-', '');
  // A version that is not read is answered in D.0.
  const version = header['version'] ?? '';
  const fixed = [
    VERSIONS.has(version) ? version : 'D0',
    field(header['code'] ?? '', 2),
    String(Math.max(1, parts.length)),
    rejected ? 'R' : 'A',
    field(header['qualifier'] ?? '', 2),
    field(header['provider'] ?? '', 15),
    date,
  ].join('');
  return fixed + parts.map(transaction).join('');
}

/** The rejection of bytes without a readable header, without an address. */
export function lostAnswer(parts: readonly AnsweredPart[], about: AnswerAbout): string {
  return telecomAnswer({}, parts.slice(0, 1), about);
}

function transaction({ status, code, message, number, qualifier }: AnsweredPart): string {
  const segments: string[][] = [];
  if (status === 'ACCEPTED') segments.push(['AM21', 'ANC']);
  else if (status === 'DUPLICATE') segments.push(['AM21', 'ANQ']);
  else {
    const [reject, meaning] = REJECTS.get(code) ?? NOT_PROCESSED;
    const words = message === '' ? meaning : `${meaning}: ${message}`;
    segments.push(['AM21', 'ANR', 'FA1', `FB${reject}`, ...messageFields(words)]);
  }
  if (number !== '') segments.push(['AM22', `EM${clean(qualifier) || '1'}`, `D2${clean(number)}`]);
  return GS + segments.map((fields) => RS + fields.map((text) => FS + text).join('')).join('');
}

/** 130-UF, then 132-UH, 526-FQ and, if the text continues, 131-UG. */
function messageFields(words: string): string[] {
  const text = clean(words).slice(0, LINE_LENGTH * LINES_LIMIT);
  const lines = Array.from({ length: Math.ceil(text.length / LINE_LENGTH) }, (_, at) =>
    text.slice(at * LINE_LENGTH, (at + 1) * LINE_LENGTH),
  );
  const fields = lines.flatMap((line, at) => [`UH0${at + 1}`, `FQ${line}`, ...(at + 1 < lines.length ? ['UG+'] : [])]);
  return lines.length === 0 ? [] : [`UF${lines.length}`, ...fields];
}

/** A batch answers a batch: sender and receiver swapped, same number. */
export function batchAnswer(
  batch: Header,
  answers: readonly { text: string; reference: string }[],
  { nowIso, omitted }: { nowIso: string; omitted: number },
): string {
  const number = (batch['control_number'] ?? '').padStart(7, '0');
  const [day, time] = [nowIso.slice(0, 10).replaceAll('-', ''), nowIso.slice(11, 16).replace(':', '')];
  const file = (batch['file_type'] || 'P') + field(batch['version'] ?? '', 2);
  const head = `00R${field(batch['receiver'] ?? '', 24)}${number}${day}${time}${file}${field(batch['sender'] ?? '', 24)}`;
  const details = answers.map(({ text, reference }) => `G1${field(reference, 10)}${text}`);
  const left = omitted > 0 ? `${omitted} further answers are left out` : '';
  // Header and trailer are records too.
  const tail = `99${number}${String(details.length + 2).padStart(10, '0')}${field(left, 35)}`;
  return [head, ...details, tail].map((record) => `${STX}${record}${ETX}`).join('\r\n');
}

function field(text: string, length: number): string {
  return clean(text).padEnd(length).slice(0, length);
}

/** Removes separator characters from a value. */
function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the standard's separators
  return text.replace(/[\0-\x1f\x7f]/g, ' ');
}
