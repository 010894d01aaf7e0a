import type { Position } from '../format-adapter.js';
import { byCode } from '../values/codes.js';

/** HL7 table 0357, message error condition codes. */
interface ErrorCondition {
  readonly code: string;
  readonly text: string;
  /** True if the header is unusable: AR instead of AE. */
  readonly rejects: boolean;
}

/** The text of each condition. */
const CONDITIONS: Readonly<Record<string, string>> = {
  '0': 'Message accepted',
  '100': 'Segment sequence error',
  '101': 'Required field missing',
  '102': 'Data type error',
  '103': 'Table value not found',
  '200': 'Unsupported message type',
  '202': 'Unsupported processing id',
  '203': 'Unsupported version id',
  '205': 'Duplicate key identifier',
  '207': 'Application internal error',
};

/** Our codes by condition. */
const BY_CODE = byCode({
  '0': 'CONTENT_NOT_STORED',
  '100':
    'NOT_HL7 MESSAGE_EMPTY MESSAGE_CUT HEADER_LOST SEGMENT_MISSING SEGMENT_UNREADABLE SEGMENT_UNTERMINATED ' +
    'SEGMENT_CONTINUED UNKNOWN_SEGMENT TERMINATOR_LOST FRAME_OPEN',
  '101': 'MESSAGE_TYPE_MISSING HEADER_UNREADABLE CONTROL_ID_MISSING DATE_MISSING SENDER_MISSING',
  '102':
    'UNSUPPORTED_ENCODING MESSAGE_TOO_LONG SEGMENT_TOO_LONG NUL_IN_MESSAGE AMOUNT_UNREADABLE DATE_UNREADABLE ' +
    'CHARSET_MISMATCH VALIDATION_ERROR PAYLOAD_TOO_LARGE',
  '103': 'CHARSET_UNKNOWN STATUS_UNKNOWN ORDER_CONTROL_UNKNOWN TRIGGER_DIFFERS',
  '200': 'UNSUPPORTED_TRANSACTION',
  '202': 'PROCESSING_ID_UNKNOWN',
  '203': 'VERSION_UNKNOWN',
  '205': 'DUPLICATE',
});
const REJECTING: ReadonlySet<string> = new Set(
  (
    'UNSUPPORTED_TRANSACTION MESSAGE_TYPE_MISSING HEADER_UNREADABLE NOT_HL7 UNSUPPORTED_ENCODING VERSION_UNKNOWN ' +
    'PROCESSING_ID_UNKNOWN CONTROL_ID_MISSING'
  ).split(' '),
);

/** The code of table 0357 for a fault; 207 for faults of our own. */
export function conditionOf(fault: string): ErrorCondition {
  const code = BY_CODE.get(fault) ?? '207';
  return { code, text: CONDITIONS[code] ?? '', rejects: REJECTING.has(fault) };
}

/** The members of an MSH that an answer needs (see the wrapper items of the reader). */
export type Header = Readonly<Record<string, string>>;

/** For messages without a readable header. */
export const USUAL_HEADER: Header = { field_separator: '|', encoding_characters: '^~\\&', version: '2.5' };

/** One fault of a message for an ERR. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly severity: 'E' | 'W' | 'I';
  readonly segment: string;
  readonly position: Position | undefined;
  readonly field: number | undefined;
}

/** A batch answers a batch: sender and receiver swapped, BTS-1 counts the answers. */
export function batchText(
  batch: Header,
  texts: readonly string[],
  { time, controlNumber, omitted }: { time: string; controlNumber: string; omitted: number },
): string {
  const sent = (name: string): string => escapeText(batch[name] ?? '');
  const addresses = ['receiver', 'receiver_facility', 'sender', 'sender_facility'].map(sent);
  const reference = sent('control_number') || sent('name');
  const head = ['BHS', '^~\\&', ...addresses, time, '', '', '', controlNumber, reference].join('|');
  const comment = omitted > 0 ? `|${omitted} further answers are left out` : '';
  return `${head}\r${texts.join('')}BTS|${texts.length}${comment}\r`;
}

/** One ACK: MSH, MSA, and an ERR per fault. */
export function answerText(
  header: Header,
  faults: readonly Fault[],
  code: string,
  { time, controlId }: { time: string; controlId: string },
): string {
  const { field, component } = separatorsOf(header);
  const encoding = header['encoding_characters'] || '^~\\&';
  const sent = (name: string): string => header[name] ?? '';
  const version = sent('version') || '2.5';
  const type = ['ACK', sent('trigger'), hasStructure(version) ? 'ACK' : '']
    .filter((part) => part !== '')
    .join(component);
  const msh = [
    `MSH${field}${encoding}`,
    ...['receiving_application', 'receiving_facility', 'sending_application', 'sending_facility'].map(sent),
    time,
    '',
    type,
    controlId,
    sent('processing') || 'P',
    version,
  ].join(field);
  const first = faults.filter(({ severity }) => severity === 'E')[0];
  // MSA-3 is the only place for text before 2.4, and receivers still look there.
  const text = first === undefined ? '' : escapeText(first.message, header);
  const msa = ['MSA', code, sent('control_id'), ...(text === '' ? [] : [text])].join(field);
  // Before 2.5 an ERR has no severity: it lists only errors.
  const early = /^2\.[1-4](?:\.|$)/.test(version);
  const errors = faults.flatMap((fault) => {
    if (!early) return [errorSegment(fault, header)];
    return fault.severity === 'E' ? [earlyErrorSegment(fault, header)] : [];
  });
  return [msh, msa, ...errors].map((segment) => `${segment}\r`).join('');
}

/** ERR of 2.5 and later: place, condition, severity, our code, and text. */
function errorSegment(fault: Fault, header: Header): string {
  const { field, component } = separatorsOf(header);
  const { code, text } = conditionOf(fault.code);
  const condition = [code, text, 'HL70357'].join(component);
  const application = [fault.code, '', 'L'].join(component);
  const words = escapeText(fault.message, header);
  return ['ERR', '', placeOf(fault).join(component), condition, fault.severity, application, '', '', words].join(field);
}

/** ERR-1 of 2.1 to 2.4: place and condition in one field. */
function earlyErrorSegment(fault: Fault, header: Header): string {
  const { field, component, subcomponent } = separatorsOf(header);
  const { code, text } = conditionOf(fault.code);
  const [segment = '', sequence = '', at = ''] = placeOf(fault);
  return ['ERR', [segment, sequence, at, [code, text, 'HL70357'].join(subcomponent)].join(component)].join(field);
}

/** ERL: segment, its position in the message, field. */
function placeOf({ segment, position, field }: Fault): string[] {
  const place = [segment, String(position?.transactionPosition ?? 1)];
  return field === undefined ? place : [...place, String(field)];
}

/** MSH-9.3 exists since 2.3.1. */
function hasStructure(version: string): boolean {
  return !/^2\.[12]$|^2\.3$/.test(version);
}

function separatorsOf(header: Header): { field: string; component: string; subcomponent: string } {
  const encoding = header['encoding_characters'] || '^~\\&';
  const component = encoding.charAt(0);
  return { field: header['field_separator'] || '|', component, subcomponent: encoding.charAt(3) || component };
}

/** Escapes a sender's unusual separators in our text, which contains none of the usual ones. */
function escapeText(text: string, header: Header = USUAL_HEADER): string {
  const field = header['field_separator'] || '|';
  const [component = '', repetition = '', mark = '', subcomponent = ''] = header['encoding_characters'] || '^~\\&';
  const sequences = new Map([
    [field, 'F'],
    [component, 'S'],
    [repetition, 'R'],
    [mark, 'E'],
    [subcomponent, 'T'],
  ]);
  let out = '';
  for (const character of text) {
    const sequence = sequences.get(character);
    if (sequence !== undefined) out += mark === '' ? ' ' : `${mark}${sequence}${mark}`;
    else out += character < ' ' ? ' ' : character;
  }
  return out;
}

/** `20260401120000+0000` of an ISO instant. */
export function hl7Time(iso: string): string {
  return `${iso.slice(0, 19).replace(/[-:T]/g, '')}+0000`;
}
