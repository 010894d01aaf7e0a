import type { AnswerAbout, AnsweredPart, Header } from '../acknowledge.js';
import { describeReject } from '../reject-codes.js';

const [STX, ETX, FS, GS, RS] = ['\x02', '\x03', '\x1c', '\x1d', '\x1e'] as const;
/** 526-FQ holds forty characters, and there are nine of them at most. */
const [lineLength, linesLimit] = [40, 9] as const;

/** What we refuse for, as a reject code (511-FB); 85, claim not processed, for what has none of its own. */
const rejectCodes: ReadonlyMap<string, string> = new Map([
  ['VERSION_UNKNOWN', '02'],
  ['UNSUPPORTED_TRANSACTION', '03'],
  ['PROVIDER_MISSING', '05'],
  ['DATE_MISSING', '15'],
  ['TRANSACTION_CUT', '16'],
  ['UNAVAILABLE', '92'],
]);

/** The reject code that tells a sender why. */
export function rejectCodeOf(code: string): string {
  return rejectCodes.get(code) ?? '85';
}

/** The response to one request: header with 501-F1, and for each transaction 112-AN captured, duplicate or rejected. */
export function telecomAnswer(header: Header, parts: readonly AnsweredPart[], { nowIso }: AnswerAbout): string {
  // A transmission of which nothing could be read is rejected as such.
  const rejected = parts.length === 0 || parts.every(({ refused }) => refused);
  const date = header['date'] || nowIso.slice(0, 10).replaceAll('-', '');
  const fixed = [
    'D0',
    field(header['code'] ?? '', 2),
    String(Math.max(1, parts.length)),
    rejected ? 'R' : 'A',
    field(header['qualifier'] ?? '', 2),
    field(header['provider'] ?? '', 15),
    date,
  ].join('');
  return fixed + parts.map(transaction).join('');
}

/** For bytes that showed no header: a rejection without an address. */
export function lostAnswer(parts: readonly AnsweredPart[], about: AnswerAbout): string {
  return telecomAnswer({}, parts.slice(0, 1), about);
}

function transaction({ status, code, message, number, qualifier }: AnsweredPart): string {
  const segments: string[][] = [];
  if (status === 'ACCEPTED') segments.push(['AM21', 'ANC']);
  else if (status === 'DUPLICATE') segments.push(['AM21', 'ANQ']);
  else {
    const reject = rejectCodeOf(code);
    const words = [describeReject(reject)?.meaning, message].filter((text) => text).join(': ');
    segments.push(['AM21', 'ANR', 'FA1', `FB${reject}`, ...messageFields(words)]);
  }
  if (number !== '') segments.push(['AM22', `EM${clean(qualifier) || '1'}`, `D2${clean(number)}`]);
  return GS + segments.map((fields) => RS + fields.map((text) => FS + text).join('')).join('');
}

/** 130-UF, then 132-UH, 526-FQ and, where the text goes on, 131-UG. */
function messageFields(words: string): string[] {
  const text = clean(words).slice(0, lineLength * linesLimit);
  const lines = Array.from({ length: Math.ceil(text.length / lineLength) }, (_, at) =>
    text.slice(at * lineLength, (at + 1) * lineLength),
  );
  const fields = lines.flatMap((line, at) => [`UH0${at + 1}`, `FQ${line}`, ...(at + 1 < lines.length ? ['UG+'] : [])]);
  return lines.length === 0 ? [] : [`UF${lines.length}`, ...fields];
}

/** A batch is answered by a batch: its addresses turned round, its number kept. */
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

/** Nothing of an answer may look like a separator. */
function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the standard's separators
  return text.replace(/[\0-\x1f\x7f]/g, ' ');
}
