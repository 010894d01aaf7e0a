import type { Position } from '../adapter.js';
import { conditionOf } from './error-conditions.js';

/** What the answer to a message needs of its MSH (see the wrapper items of the reader). */
export type Header = Readonly<Record<string, string>>;

/** For what showed no header of its own. */
export const usualHeader: Header = { field_separator: '|', encoding_characters: '^~\\&', version: '2.5' };

/** Something told of a message in an ERR. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly severity: 'E' | 'W' | 'I';
  readonly segment: string;
  readonly position: Position | undefined;
  readonly field: number | undefined;
}

/** A batch is answered by a batch: its addresses turned round, BTS-1 the answers in it. */
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

/** One ACK: MSH, MSA, and an ERR for each fault. */
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
    sent('receiving_application'),
    sent('receiving_facility'),
    sent('sending_application'),
    sent('sending_facility'),
    time,
    '',
    type,
    controlId,
    sent('processing') || 'P',
    version,
  ].join(field);
  const told = faults.filter(({ severity }) => severity === 'E')[0];
  // MSA-3 is the only place for words before 2.4, and receivers look there still.
  const text = told === undefined ? '' : escapeText(told.message, header);
  const msa = ['MSA', code, sent('control_id'), ...(text === '' ? [] : [text])].join(field);
  // Before 2.5 an ERR has no severity: only errors are told there.
  const early = /^2\.[1-4](?:\.|$)/.test(version);
  const errors = faults.flatMap((fault) => {
    if (!early) return [errorSegment(fault, header)];
    return fault.severity === 'E' ? [earlyErrorSegment(fault, header)] : [];
  });
  return [msh, msa, ...errors].map((segment) => `${segment}\r`).join('');
}

/** ERR of 2.5 and later: place, condition, severity, our own code, and words for people. */
function errorSegment(fault: Fault, header: Header): string {
  const { field, component } = separatorsOf(header);
  const { code, text } = conditionOf(fault.code);
  const condition = [code, text, 'HL70357'].join(component);
  const application = [fault.code, '', 'L'].join(component);
  const words = escapeText(fault.message, header);
  return ['ERR', '', placeOf(fault).join(component), condition, fault.severity, application, '', '', words].join(field);
}

/** ERR-1 of 2.1 to 2.4: place and condition in one. */
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

/** MSH-9.3 came with 2.3.1. */
function hasStructure(version: string): boolean {
  return !/^2\.[12]$|^2\.3$/.test(version);
}

function separatorsOf(header: Header): { field: string; component: string; subcomponent: string } {
  const encoding = header['encoding_characters'] || '^~\\&';
  const component = encoding.charAt(0);
  return { field: header['field_separator'] || '|', component, subcomponent: encoding.charAt(3) || component };
}

/** Our own words hold none of the usual separators; a sender's choice of others is escaped in them. */
function escapeText(text: string, header: Header = usualHeader): string {
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
