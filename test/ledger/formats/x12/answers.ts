import { expect } from '@jest/globals';
import type { AdapterOptions, ItemOutcome } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { X12Acknowledger } from '../../../../subgraphs/ledger/formats/x12/acknowledge/acknowledger.js';
import { readBody } from './reading.js';

const about = { nowIso: '2026-04-01T12:30:45.678Z', controlNumber: '7' };

/** The acknowledgement of a body as segments, each split into its elements; null when none is sent. */
export async function answerTo(
  body: Buffer,
  options: Partial<AdapterOptions> = {},
  outcomeOf: (index: number) => ItemOutcome = () => ({ status: 'ACCEPTED' }),
): Promise<string[][] | null> {
  const acknowledger = new X12Acknowledger({ strict: options.strict ?? false });
  for (const item of await readBody(body, options)) {
    acknowledger.take(item, item.kind === 'event' ? outcomeOf(item.index) : undefined);
  }
  const numbers = acknowledger.count();
  const answer = acknowledger.finish(about);
  expect(answer === null).toBe(numbers === 0);
  if (answer === null) return null;
  expect(answer).toMatchObject({ format: 'x12', mediaType: 'application/edi-x12' });
  return answer.text
    .split('~')
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '')
    .map((segment) => segment.split('*'));
}

export const named = (segments: readonly string[][] | null, id: string): string[][] =>
  (segments ?? []).filter(([name]) => name === id);

/** What a receiver checks before it reads: fixed header, counts, control numbers, one after the other. */
export function expectWellFormed(segments: readonly string[][]): void {
  let interchange: string[] = [];
  let [groups, transactions, inTransaction] = [0, 0, 0];
  let [group, transaction]: string[][] = [[], []];
  for (const segment of segments) {
    const [id] = segment;
    if (inTransaction > 0) inTransaction += 1;
    if (id === 'ISA') {
      expect(segment.slice(1, 16).map((element) => element.length)).toEqual([
        2, 10, 2, 10, 2, 15, 2, 15, 6, 4, 1, 5, 9, 1, 1,
      ]);
      interchange = segment;
      groups = 0;
    } else if (id === 'GS') [group, groups, transactions] = [segment, groups + 1, 0];
    else if (id === 'ST') [transaction, transactions, inTransaction] = [segment, transactions + 1, 1];
    else if (id === 'SE') {
      expect(segment).toEqual(['SE', String(inTransaction), transaction?.[2]]);
      inTransaction = 0;
    } else if (id === 'GE') expect(segment).toEqual(['GE', String(transactions), group?.[6]]);
    else if (id === 'IEA') expect(segment).toEqual(['IEA', String(groups), interchange[13]]);
  }
}

/** AK9 adds up: at most as many accepted as received, and the codes of the AK2 loops agree. */
export function expectCounts(segments: readonly string[][]): void {
  let statuses: (string | undefined)[] = [];
  for (const segment of segments) {
    if (segment[0] === 'AK1') statuses = [];
    if (segment[0] === 'IK5') statuses.push(segment[1]);
    if (segment[0] !== 'AK9') continue;
    const [, status, , received = '', accepted = ''] = segment;
    const rejected = statuses.filter((one) => one === 'R').length;
    if (statuses.length > 0) {
      expect(statuses).toHaveLength(Number(received));
      expect(Number(accepted)).toBe(Number(received) - rejected);
    } else expect([Number(accepted), Number(received) === 0 || status === 'R']).toEqual([0, true]);
    if (Number(received) > 0 && accepted === '0') expect(status).toBe('R');
    else if (rejected > 0) expect(status).toBe('P');
    else expect(['A', 'E']).toContain(status);
    if (statuses.includes('E') && rejected === 0) expect(status).toBe('E');
  }
}

/** The transactions of a body, split by hand: the segments from ST to SE by the control numbers around them. */
export function transactionsIn(body: string, terminator: string, separator: string): Map<string, string[][]> {
  const found = new Map<string, string[][]>();
  let [interchange, group] = ['', ''];
  let open: string[][] | null = null;
  for (const text of body.split(terminator)) {
    const elements = text.trim().split(separator);
    const [id] = elements;
    if (id === 'ISA') interchange = (elements[13] ?? '').trim();
    else if (id === 'GS') group = elements[6] ?? '';
    else if (id === 'ST') {
      open = [];
      found.set(`${interchange}/${group}/${(elements[2] ?? '').trim()}`, open);
    }
    if (id === 'GE' || id === 'IEA') open = null;
    open?.push(elements);
  }
  return found;
}

/** Every IK3 names the segment at that place of the transaction, and every IK4 an element that it may have. */
export function expectPlaces(segments: readonly string[][], transactions: ReadonlyMap<string, string[][]>): number {
  let [interchange, group, places] = ['', '', 0];
  let read: string[][] = [];
  let at: string[] = [];
  for (const segment of segments) {
    const [id, first = '', second = ''] = segment;
    if (id === 'TA1') interchange = first;
    else if (id === 'AK1') group = second;
    else if (id === 'AK2') read = transactions.get(`${interchange}/${group}/${second}`) ?? [];
    else if (id === 'IK3') {
      at = read[Number(second) - 1] ?? [];
      expect([at[0], second]).toEqual([first, second]);
      expect(segment[4]).toMatch(/^(?:[1-8]|I[4-9])$/);
      places += 1;
    } else if (id === 'IK4') expect(Number(first)).toBeGreaterThan(0);
  }
  return places;
}
