import type { WrapperItem } from '../../format-adapter.js';
import type { TransactionAnswer } from './faults.js';

/** The header of a wrapper item. */
type Header = WrapperItem['header'];

/** The version of the 999, whatever the version received. */
const GUIDE = '005010X231A1';

/** The answer to one group. */
export interface GroupAnswer {
  header: Header;
  transactions: TransactionAnswer[];
  status: 'A' | 'E' | 'P' | 'R';
  declared: number;
  received: number;
  accepted: number;
  errors: string[];
}

/** TA1: the answer to one interchange. */
export interface InterchangeAnswer {
  status: 'A' | 'E' | 'R';
  note: string;
}

/** The segments of a 999 between ST and SE. */
function groupSegments({ header, transactions, ...group }: GroupAnswer): string[] {
  const said = (name: string): string => clean(header[name] ?? '');
  const segments = [segment('AK1', said('functional_id'), said('control_number'), said('version'))];
  for (const answer of transactions) segments.push(...transactionSegments(answer));
  segments.push(
    segment('AK9', group.status, group.declared, group.received, group.accepted, ...group.errors.slice(0, 5)),
  );
  return segments;
}

function transactionSegments(answer: TransactionAnswer): string[] {
  const segments = [segment('AK2', clean(answer.setId), clean(answer.control), clean(answer.implementation))];
  let previous = '';
  for (const fault of answer.faults) {
    const place = `${fault.segment}/${fault.position}/${fault.code}`;
    if (place !== previous) segments.push(segment('IK3', fault.segment, fault.position, '', fault.code));
    previous = place;
    if (fault.element > 0) segments.push(segment('IK4', fault.element, '', fault.elementCode));
  }
  segments.push(segment('IK5', answer.status, ...answer.errors));
  return segments;
}

/**
 * One answering interchange with sender and receiver swapped: TA1, then one functional group with a 999 per group
 * received.
 */
export function interchangeText(
  header: Header,
  answer: InterchangeAnswer | null,
  groups: readonly GroupAnswer[],
  about: { nowIso: string; control: string },
): string {
  const said = (name: string): string => clean(header[name] ?? '');
  const date = about.nowIso.slice(0, 10).replaceAll('-', '');
  const time = about.nowIso.slice(11, 16).replace(':', '');
  // The receiver becomes the sender.
  const addresses = ['receiver', 'sender'].flatMap((name) => [
    padded(said(`${name}_qualifier`) || 'ZZ', 2),
    padded(said(name), 15),
  ]);
  const control = about.control.padStart(9, '0');
  const usage = said('usage') === 'T' ? 'T' : 'P';
  const security = ['00', padded('', 10), '00', padded('', 10)];
  const isa = segment('ISA', ...security, ...addresses, date.slice(2), time, '^', '00501', control, '0', usage, ':');
  const segments = [isa];
  if (answer !== null) {
    const number = said('control_number').padStart(9, '0');
    segments.push(segment('TA1', number, said('date'), said('time'), answer.status, answer.note));
  }
  if (groups.length > 0) segments.push(...groupsSegments(groups, { date, time, control: about.control }));
  segments.push(segment('IEA', groups.length > 0 ? 1 : 0, control));
  return `${segments.join('\n')}\n`;
}

function groupsSegments(
  groups: readonly GroupAnswer[],
  { date, time, control }: { date: string; time: string; control: string },
): string[] {
  const [first] = groups;
  const said = (name: string): string => clean(first?.header[name] ?? '');
  const number = String(Number(control));
  const segments = [segment('GS', 'FA', said('receiver'), said('sender'), date, time, number, 'X', GUIDE)];
  groups.forEach((group, at) => {
    const id = String(at + 1).padStart(4, '0');
    const body = groupSegments(group);
    segments.push(segment('ST', '999', id, GUIDE), ...body, segment('SE', body.length + 2, id));
  });
  segments.push(segment('GE', groups.length, number));
  return segments;
}

/** Writes a segment without its trailing empty elements; ISA has none. */
function segment(id: string, ...elements: (string | number)[]): string {
  let last = elements.length;
  while (last > 0 && elements[last - 1] === '') last -= 1;
  return `${[id, ...elements.slice(0, last)].join('*')}~`;
}

const padded = (text: string, length: number): string => text.slice(0, length).padEnd(length, ' ');

/** Removes separators of ours from a value that the sender wrote under other separators. */
function clean(text: string): string {
  return text.replace(/[^\x20-\x7e]|[*:~^]/g, ' ').trim();
}
