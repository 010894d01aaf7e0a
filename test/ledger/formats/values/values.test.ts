import { describe, expect, it } from '@jest/globals';
import { decodeWestern } from '../../../../subgraphs/ledger/formats/values/characters.js';
import { impossibleCodes } from '../../../../subgraphs/ledger/formats/values/code-forms.js';
import { dottedCode, programOf, stateOf } from '../../../../subgraphs/ledger/formats/values/codes.js';
import {
  parseDate,
  parseMoment,
  parsePeriod,
  parseTime,
  toInstant,
} from '../../../../subgraphs/ledger/formats/values/dates.js';
import { decimalAmount, formatCents, parseCents } from '../../../../subgraphs/ledger/formats/values/money.js';
import { Segment } from '../../../../subgraphs/ledger/formats/x12/envelope/segment.js';
import { readIsa } from '../../../../subgraphs/ledger/formats/x12/envelope/separators.js';
import { remitOutcome } from '../../../../subgraphs/ledger/formats/x12/remit835/outcome.js';

type RemitMoney = Parameters<typeof remitOutcome>[0];

describe('money is exact cents', () => {
  it.each([
    ['0', 0],
    ['100', 10_000],
    ['100.', 10_000],
    ['.5', 50],
    ['-6173.5', -617_350],
    ['+12.34', 1234],
    ['0.10', 10],
    ['1.2300', 123],
    ['000.07', 7],
    ['-0', 0],
    ['99999999999.99', 9_999_999_999_999],
  ])('%s', (text, cents) => {
    expect(parseCents(text)).toBe(cents);
  });

  it.each(['', '.', '-', '1O0', '1,000', '1.005', '1.2.3', '1e3', ' 1', '100000000000', '--1', 'NaN', '٣'])(
    '%p is not an amount',
    (text) => {
      expect(parseCents(text)).toBeNull();
      expect(decimalAmount(text)).toBeNull();
    },
  );

  it('every cent survives a round trip', () => {
    for (let cents = -2050; cents <= 2050; cents += 1) expect(parseCents(formatCents(cents))).toBe(cents);
    expect(formatCents(9_007_199_254_740_993n)).toBe('90071992547409.93');
    expect(formatCents(-5)).toBe('-0.05');
    expect(decimalAmount('75.7')).toBe('75.70');
  });
});

describe('dates', () => {
  it.each([
    ['20260301', '2026-03-01'],
    ['20240229', '2024-02-29'],
    ['20000229', '2000-02-29'],
  ])('%s', (text, date) => {
    expect(parseDate(text)).toBe(date);
  });

  it.each([
    '20002316',
    '20250229',
    '19000229',
    '20260431',
    '20260100',
    '2026030',
    '202603011',
    '',
    '2026O301',
    '00010101',
  ])('%p is not a date', (text) => {
    expect(parseDate(text)).toBeNull();
  });

  it.each([
    ['1023', '10:23:00.000'],
    ['102359', '10:23:59.000'],
    ['1023594', '10:23:59.400'],
    ['09460012', '09:46:00.120'],
    ['2400', null],
    ['1060', null],
    ['10', null],
  ])('time %s', (text, time) => {
    expect(parseTime(text)).toBe(time);
  });

  it('periods and moments', () => {
    expect(parsePeriod('RD8', '20260201-20260205')).toEqual({ from: '2026-02-01', to: '2026-02-05' });
    expect(parsePeriod('RD8', '20260205-20260201')).toBeNull();
    expect(parsePeriod('D8', '20260201')).toEqual({ from: '2026-02-01', to: '2026-02-01' });
    expect(parseMoment('DT', '202602010930')).toBe('2026-02-01T09:30');
    expect(parseMoment('D8', '20260201')).toBe('2026-02-01');
    expect(parseMoment('DT', '202602012599')).toBeNull();
  });

  it.each([
    ['UTC', '2026-07-01', '2026-07-01T12:00:00.000Z'],
    ['America/New_York', '2026-07-01', '2026-07-01T16:00:00.000Z'],
    ['America/New_York', '2026-01-01', '2026-01-01T17:00:00.000Z'],
    ['Pacific/Honolulu', '2026-01-01', '2026-01-01T22:00:00.000Z'],
  ])('noon in %s on %s', (zone, date, instant) => {
    expect(toInstant(date, '12:00:00.000', zone)).toBe(instant);
  });

  it('around a clock change', () => {
    expect(toInstant('2026-03-08', '01:30:00.000', 'America/New_York')).toBe('2026-03-08T06:30:00.000Z');
    expect(toInstant('2026-03-08', '03:30:00.000', 'America/New_York')).toBe('2026-03-08T07:30:00.000Z');
    expect(toInstant('2026-11-01', '00:30:00.000', 'America/New_York')).toBe('2026-11-01T04:30:00.000Z');
    expect(toInstant('2026-11-01', '02:30:00.000', 'America/New_York')).toBe('2026-11-01T07:30:00.000Z');
  });
});

const cas = (...codes: string[]) =>
  codes.map((code) => ({ group: code.slice(0, 2), reason: code.slice(2), cents: 100, quantity: '' }));
const line = (chargeCents: number, paidCents: number, ...codes: string[]) => ({
  chargeCents,
  paidCents,
  adjustments: cas(...codes),
});
const claim = (money: Partial<RemitMoney>): RemitMoney => ({
  statusCode: '1',
  chargeCents: 10_000,
  paidCents: 5000,
  claimAdjustments: [],
  lines: [],
  ...money,
});

describe('the outcome of a claim payment, by status, money and reasons', () => {
  it.each<[string, Partial<RemitMoney>, string | null]>([
    ['status 4 is denied, whatever the money', { statusCode: '4' }, 'denied'],
    ['status 22 is reversed', { statusCode: '22', paidCents: -5000 }, 'reversed'],
    ['status 23 is forwarded', { statusCode: '23' }, 'forwarded'],
    ['status 25 is estimated', { statusCode: '25' }, 'estimated'],
    ['an unknown status is not guessed', { statusCode: '99' }, null],
    ['paid without lines', {}, 'paid'],
    ['paid on every line', { lines: [line(100, 50, 'CO45'), line(100, 1, 'CO50')] }, 'paid'],
    ['a line denied', { lines: [line(100, 50), line(100, 0, 'CO50')] }, 'partially_paid'],
    [
      'a line bundled or contractual',
      { lines: [line(100, 50), line(100, 0, 'CO97'), line(100, 0, 'CO45', 'CO253')] },
      'paid',
    ],
    ['a line left to the member', { lines: [line(100, 50), line(100, 0, 'PR1', 'PR2', 'PR3')] }, 'paid'],
    [
      'a line with harmless and other reasons',
      { lines: [line(100, 50), line(100, 0, 'CO45', 'CO50')] },
      'partially_paid',
    ],
    ['a line unpaid without any reason', { lines: [line(100, 50), line(100, 0)] }, 'partially_paid'],
    [
      'a line unpaid for the claim’s own reason',
      { claimAdjustments: cas('CO45'), lines: [line(100, 50), line(100, 0)] },
      'paid',
    ],
    ['a line that charged nothing', { lines: [line(100, 50), line(0, 0)] }, 'paid'],
    [
      'nothing paid, all for the member',
      { paidCents: 0, lines: [line(100, 0, 'PR1', 'CO45'), line(100, 0, 'PR66')] },
      'applied_to_member',
    ],
    ['nothing paid, contract alone', { paidCents: 0, claimAdjustments: cas('CO45') }, 'denied'],
    [
      'nothing paid, not covered',
      { paidCents: 0, claimAdjustments: cas('PR1'), lines: [line(100, 0, 'PR96')] },
      'denied',
    ],
    [
      'nothing paid, filed too late, status 2',
      { statusCode: '2', paidCents: 0, claimAdjustments: cas('CO29') },
      'denied',
    ],
    ['nothing paid, no reason', { paidCents: 0 }, 'denied'],
    ['nothing charged, nothing paid', { chargeCents: 0, paidCents: 0 }, 'unknown'],
    ['less than nothing paid', { paidCents: -1 }, 'unknown'],
    ['still pended (004010)', { statusCode: '5', paidCents: 0 }, 'pended'],
  ])('%s', (_name, money, outcome) => {
    expect(remitOutcome(claim(money))).toBe(outcome);
  });
});

describe('codes and text', () => {
  it.each([
    ['ABK', 'E119', 'E11.9'],
    ['ABK', 'I10', 'I10'],
    ['ABF', 'E8888', 'E88.88'],
    ['BK', '4779', '477.9'],
    ['BF', 'E8888', 'E888.8'],
    ['BF', 'V7389', 'V73.89'],
    ['BR', '153', '15.3'],
    ['BBR', '0BH17EZ', '0BH17EZ'],
    ['BK', '884.2', '884.2'],
  ])('%s %s is %s', (qualifier, raw, code) => {
    expect(dottedCode(qualifier, raw)).toBe(code);
  });

  it('programs and states', () => {
    expect(['MB', 'MC', '12', 'CH', 'WC', 'AM', 'constructor', ''].map(programOf)).toEqual([
      'Medicare',
      'Medicaid',
      'Commercial',
      'TRICARE',
      'WorkersComp',
      'Other',
      'Other',
      undefined,
    ]);
    expect([
      stateOf('oh', ''),
      stateOf('OH', 'US'),
      stateOf('ON', 'CA'),
      stateOf('CA', 'MX'),
      stateOf('XX', ''),
    ]).toEqual(['OH', 'OH', '', '', '']);
  });

  it('bytes are UTF-8 where they can be, else Latin-1', () => {
    const elementOf = (raw: string): string => {
      const segment = new Segment();
      segment.load(`NTE*${raw}`, 0, raw.length + 4, '*'.charCodeAt(0), false, false);
      return segment.value(1);
    };
    expect(elementOf(Buffer.from(' Åse ', 'utf8').toString('latin1'))).toBe('Åse');
    expect(elementOf('\xc5se')).toBe('Åse');
  });

  it('separators are found by counting and are never letters', () => {
    const isa = 'ISA*00*          *00*          *ZZ*A*ZZ*B*260301*1023*^*00501*000000001*0*T*:~';
    expect(readIsa(isa, 0)).toMatchObject({
      state: 'read',
      fixedWidth: false,
      separators: { element: '*', component: ':', segment: '~', repetition: '^' },
    });
    expect(readIsa(isa.slice(0, 40), 0)).toEqual({ state: 'incomplete' });
    expect(readIsa(isa.replace('*:~', '*:A'), 0)).toEqual({ state: 'unreadable' });
    expect(readIsa(isa.replace('*^*00501', '*U*00401'), 0)).toMatchObject({ separators: { repetition: '' } });
  });
});

describe('decodeWestern', () => {
  it('reads the typographic characters of windows-1252, which the platform reads as control characters', () => {
    expect(decodeWestern(Buffer.from([0x4f, 0x92, 0x80, 0xe9, 0x9f]))).toBe('O\u2019\u20ac\u00e9\u0178');
  });
});

describe('impossibleCodes', () => {
  const position = { byteOffset: 0, segmentNumber: 1 };
  const codesIn = (payload: Record<string, unknown>): string[] =>
    impossibleCodes(payload, position).map(({ code }) => code);

  it('warns of codes that no list can contain, and of no code that one contains', () => {
    expect(
      codesIn({ carc: ['50', '1', '304', 'A1', 'B16', 'P14', 'W1', 'Y3'], rarc: ['M1', 'MA130', 'N130'] }),
    ).toEqual([]);
    expect(codesIn({ carc: ['50', '9999'] })).toEqual(['CARC_IMPOSSIBLE']);
    expect(codesIn({ carc: ['0'] })).toEqual(['CARC_IMPOSSIBLE']);
    expect(codesIn({ carc: [], rarc: ['ZZZZ'] })).toEqual(['RARC_IMPOSSIBLE']);
    expect(codesIn({})).toEqual([]);
  });
});
