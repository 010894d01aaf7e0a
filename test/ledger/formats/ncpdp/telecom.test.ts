import { describe, expect, it } from '@jest/globals';
import type { AdapterItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { readAmount, readQuantity } from '../../../../subgraphs/ledger/formats/ncpdp/telecom/describe-parts.js';
import { codesOf, eventsOf, fixture, readBody, refusedOf, requestHeader, responseHeader, segment } from './reading.js';

// NCPDP Telecommunication D.0: the split of a body into transmissions and transactions, and the reports of odd ones.

const cardholder = (id: string): string => segment('AM04', `C2${id}`, 'C301');
const claim = (number: string): string =>
  `\x1d${segment('AM07', 'EM1', `D2${number}`, 'E103', 'D700093505601', 'D300')}`;
const request = (member: string, number: string): string => requestHeader() + cardholder(member) + claim(number);

const members = (items: readonly AdapterItem[]): (string | undefined)[] =>
  eventsOf(items).map(({ envelope }) => envelope.member_id);
const idsOf = (items: readonly AdapterItem[]): string[] =>
  eventsOf(items).map(({ envelope }) => envelope.source_record_id);
const payloads = (items: readonly AdapterItem[]): Record<string, unknown>[] =>
  eventsOf(items).map(({ envelope }) => envelope.payload);

describe('amounts', () => {
  it('have their sign in the last character and two implied decimals', () => {
    const cases: [string, string | null][] = [
      ['557{', '55.70'],
      ['100}', '-10.00'],
      ['1R', '-0.19'],
      ['0}', '0.00'],
      ['{', '0.00'],
      ['25C', '2.53'],
      ['2530', '25.30'],
      ['25.30', '25.30'],
      ['99999999{', '9999999.90'],
      ['', null],
      ['{1', null],
      ['12X', null],
      ['-12', null],
      ['123456789012{', null],
    ];
    for (const [text, amount] of cases) expect([text, readAmount(text)]).toEqual([text, amount]);
  });

  it('of products have three implied decimals', () => {
    expect(['30000', '37', '0000030000', '1.5', '3x', ''].map(readQuantity)).toEqual([
      '30.000',
      '0.037',
      '30.000',
      '1.5',
      null,
      null,
    ]);
  });
});

describe('a transmission of several claims', () => {
  it('yields one event with its part and numbers per claim', async () => {
    const body = fixture('several-claims.ncpdp');
    const items = await readBody(body);
    expect(idsOf(items)).toEqual(['B1/1234567893/RX-1/01/20260302', 'B1/1234567893/RX-2/00/20260302']);
    expect(members(items)).toEqual(['SYN-MEMBER-1', 'SYN-MEMBER-1']);
    const [first, second] = eventsOf(items);
    expect(first?.envelope).toMatchObject({ source_system: '610066/SYNPCN', outcome: 'submitted' });
    expect(first?.envelope.payload).toMatchObject({
      claim_id: 'RX-1',
      person_code: '01',
      group_number: 'SYNGRP',
      program: 'Medicaid',
      jurisdiction: 'US-OH',
      procedure_codes: ['00093505601'],
      diagnosis_codes: ['E11.9', 'I10'],
      authorization_number: 'PA-77',
      prescription: { fill_number: '01', quantity: '30.000', written_date: '2026-03-01' },
      amounts: {
        ingredient_cost: '55.70',
        dispensing_fee: '10.00',
        usual_and_customary: '80.70',
        gross_due: '68.23',
        other: [{ qualifier: '01', amount: '2.53' }],
      },
      timestamp_basis: '401-D1 read as UTC',
    });
    expect(second?.envelope.payload).toMatchObject({
      procedure_codes: ['00093505601', '00093310501'],
      lines: [{ raw: '00093-5056-01', quantity: '10.000', ingredient_cost: '5.01' }, { procedure_code: '00093310501' }],
      other_payers: [{ id: '999999', amount_paid: '-1.20', reject_code: '65' }],
      providers: [{ role: 'prescriber', id: '1888888888', last_name: 'PRESCRIBER' }],
    });
    expect(second?.envelope.payload).not.toHaveProperty('reject_codes');
    for (const event of [first, second]) {
      const { offset = 0, length = 0 } = event?.part ?? {};
      const bytes = body.toString('latin1', offset, offset + length);
      expect([bytes.startsWith('\x1e\x1cAM07'), bytes.includes('\x1d')]).toEqual([true, false]);
    }
    expect(codesOf(items)).toEqual([]);
  });
});

describe('a response of several transactions', () => {
  it('has the status of each, with rejects separate from CARCs', async () => {
    const items = await readBody(fixture('several-statuses.ncpdp'));
    expect(eventsOf(items).map(({ envelope }) => [envelope.event_type, envelope.outcome])).toEqual([
      ['claim_adjudicated', 'paid'],
      ['claim_adjudicated', 'denied'],
      ['claim_adjudicated', 'duplicate'],
    ]);
    const [paid, denied] = payloads(items);
    expect(paid).toMatchObject({
      claim_id: 'RX-1',
      authorization_number: 'CLM-1',
      amounts: { patient_pay: '10.00', total_paid: '45.70', applied_to_deductible: '-1.00' },
      rationale: 'SYNTH MESSAGE',
    });
    expect(denied).toMatchObject({
      reject_codes: ['75', '7X'],
      rejects: [{ code: '75', occurrence: '1' }, { code: '7X' }],
      rationale: 'WORDS OF THE PLAN GO ONBEHIND\nSYNTH MESSAGE',
    });
    expect(denied).not.toHaveProperty('carc');
    expect(members(items)).toEqual([undefined, undefined, undefined]);
    expect(items.filter(({ kind }) => kind === 'exception')).toHaveLength(3);
  });

  it('rejected as a whole decides nothing', async () => {
    const items = await readBody(`${responseHeader({ status: 'R' })}\x1d${segment('AM21', 'ANR', 'FA1', 'FB99')}`);
    expect(eventsOf(items).map(({ envelope }) => envelope.outcome)).toEqual(['rejected']);
    const alone = await readBody(responseHeader({ status: 'R' }) + segment('AM20', 'F4DOWN'));
    expect(eventsOf(alone).map(({ envelope }) => envelope.outcome)).toEqual(['rejected']);
  });

  it('of an unknown status is unknown, with a warning', async () => {
    const items = await readBody(`${responseHeader()}\x1d${segment('AM21', 'ANZ')}`);
    expect(eventsOf(items).map(({ envelope }) => envelope.outcome)).toEqual(['unknown']);
    expect(codesOf(items)).toContain('STATUS_UNKNOWN');
  });
});

describe('other transactions', () => {
  it('prior authorization: request and answer', async () => {
    const asked = await readBody(fixture('prior-authorization.ncpdp'));
    expect(eventsOf(asked)[0]?.envelope).toMatchObject({
      event_type: 'authorization_requested',
      member_id: 'SYN-MEMBER-4',
      payload: {
        rationale: 'SYNTHETIC SUPPORT',
        authorization: { period_from: '2026-03-01', period_to: '2026-06-01' },
      },
    });
    const answered = await readBody(fixture('prior-authorization-answer.ncpdp'));
    expect(eventsOf(answered)[0]?.envelope).toMatchObject({
      event_type: 'authorization_decided',
      outcome: 'pended',
      member_id: 'SYN-MEMBER-4',
      payload: { authorization_number: 'PA-900', authorization: { expiration_date: '2026-09-02' } },
    });
  });

  it.each([
    ['B2', 'claim_reversal_requested', 'reversal_decided'],
    ['B3', 'claim_rebilled', 'claim_adjudicated'],
    ['P1', 'authorization_requested', 'authorization_decided'],
    ['P2', 'authorization_reversal_requested', 'reversal_decided'],
    ['P3', 'authorization_asked', 'authorization_decided'],
    ['S1', 'claim_submitted', 'claim_adjudicated'],
    ['D1', 'claim_predetermination', 'claim_estimated'],
  ])('%s is %s, answered by %s', async (code, asked, answered) => {
    const asking = await readBody(requestHeader({ code }) + cardholder('M-1') + claim('RX-1'));
    expect(eventsOf(asking).map(({ envelope }) => envelope.event_type)).toEqual([asked]);
    const answering = await readBody(`${responseHeader({ code })}\x1d${segment('AM21', 'ANA')}`);
    expect(eventsOf(answering).map(({ envelope }) => envelope.event_type)).toEqual([answered]);
  });

  it('eligibility has no transaction segments', async () => {
    const items = await readBody(fixture('eligibility.ncpdp'));
    expect(eventsOf(items)[0]?.envelope).toMatchObject({ event_type: 'eligibility_asked', member_id: 'SYN-MEMBER-5' });
    expect(idsOf(items)[0]).toMatch(/^E1\/1234567893\/sha256:[0-9a-f]{32}\/\/20260302$/);
  });

  it('rejects transactions without an event by name', async () => {
    const items = await readBody(requestHeader({ code: 'N1' }) + cardholder('M-1') + claim('RX-1'));
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items)).toMatchObject([{ code: 'UNSUPPORTED_TRANSACTION', item: 'N1' }]);
    expect(refusedOf(items)[0]).not.toHaveProperty('exceptionKind');
  });
});

describe('a body of several transmissions', () => {
  it('is read with any bytes between them, each with its member', async () => {
    const [one, two] = [request('M-1', 'RX-1'), request('M-2', 'RX-2')];
    const bodies = [
      `${one}${two}`,
      `${one}\r\n${two}\r\n`,
      `\x02${one}\x03\x02${two}\x03`,
      `\xef\xbb\xbf${one}\n\n${two}\x1a`,
    ];
    for (const body of bodies) {
      const items = await readBody(body);
      expect(members(items)).toEqual(['M-1', 'M-2']);
      expect(codesOf(items)).toEqual([]);
    }
  });

  it('in a batch has the numbers of batch and record, and warns of wrong counts', async () => {
    const items = await readBody(fixture('batch.ncpdp'));
    expect(members(items)).toEqual(['SYN-MEMBER-1', 'SYN-MEMBER-2']);
    expect(payloads(items)[1]).toMatchObject({
      batch_reference: '0000000002',
      raw: { control_numbers: { batch: '0000042', reference: '0000000002' } },
    });
    expect(refusedOf(items)).toMatchObject([{ code: 'UNSUPPORTED_TRANSACTION', item: 'N1' }]);
    expect(items.at(-1)).toMatchObject({
      kind: 'wrapper',
      level: 'group',
      header: { sender: 'SYNSENDER', receiver: 'SYNPLAN', control_number: '0000042' },
      declaredCount: '0000000009',
      count: 3,
      complete: true,
      warnings: [{ code: 'BATCH_COUNT_MISMATCH' }],
    });
  });

  it('yields the same items for any chunks', async () => {
    const body = Buffer.concat([
      fixture('batch.ncpdp'),
      Buffer.from(`${request('M-8', 'RX-8')}\r\n${request('M-9', 'RX-9')}`, 'latin1'),
      fixture('several-statuses.ncpdp'),
    ]);
    const whole = await readBody(body);
    expect(eventsOf(whole)).toHaveLength(7);
    for (const size of [1, 3, 7, 64, 1000]) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
        body.subarray(at * size, (at + 1) * size),
      );
      const limits = { segmentBytes: 1024 * 1024, strictHoldBytes: 1, windowBytes: 1 };
      expect(await readBody(chunks, { limits })).toEqual(whole);
    }
  });

  it('limits the lists of a hostile transmission', async () => {
    const rejects = `${responseHeader()}\x1d${segment('AM21', 'ANR', 'FA9')}${'\x1cFB75\x1cUH01\x1cFQWORDS'.repeat(50_000)}`;
    const [event] = eventsOf(await readBody(rejects));
    expect(event?.envelope.payload['reject_codes']).toEqual(['75']);
    expect(String(event?.envelope.payload['rationale']).split('\n')).toHaveLength(100);
    const diagnoses = request('M-1', 'RX-1') + segment('AM13') + '\x1cWE02\x1cDOE119'.repeat(80_000);
    expect(payloads(await readBody(diagnoses))[0]?.['diagnoses']).toHaveLength(100);
  });

  it('loses only a transmission of 3 MB', async () => {
    const long = `${request('M-1', 'RX-1')}\x1cFQ${'x'.repeat(3_000_000)}`;
    const items = await readBody([Buffer.from(long, 'latin1'), Buffer.from(`\r\n${request('M-2', 'RX-2')}`, 'latin1')]);
    expect(members(items)).toEqual(['M-2']);
    expect(refusedOf(items)).toMatchObject([{ code: 'TRANSMISSION_TOO_LONG', position: { byteOffset: 0 } }]);
  });
});

describe('unusual forms', () => {
  it('reads a segment id directly after the header or the segment separator', async () => {
    const body = `${requestHeader()}AM04\x1cC2M-1\x1cC301\x1eAM07\x1cEM1\x1cD2RX-1\x1cE103\x1cD700093505601`;
    const items = await readBody(body);
    expect(members(items)).toEqual(['M-1']);
    expect(codesOf(items)).toEqual([]);
  });

  it('applies a prescriber before the first transaction to all', async () => {
    const shared = cardholder('M-1') + segment('AM03', 'EZ01', 'DB1888888888');
    const items = await readBody(requestHeader({ count: 2 }) + shared + claim('RX-1') + claim('RX-2'));
    expect(payloads(items).map(({ providers }) => providers)).toEqual([
      [{ role: 'prescriber', id: '1888888888', id_qualifier: '01' }],
      [{ role: 'prescriber', id: '1888888888', id_qualifier: '01' }],
    ]);
    expect([members(items), codesOf(items)]).toEqual([['M-1', 'M-1'], []]);
  });

  it('reads a header that lost a byte of padding by its date', async () => {
    const header = requestHeader();
    const shorter: [string, string][] = [
      [header.slice(0, -1), 'software'],
      [header.replace('SYNPCN    ', 'SYNPCN   '), 'pcn'],
      [header.replace('1234567893     ', '1234567893    '), 'provider'],
    ];
    for (const [short, lost] of shorter) {
      const items = await readBody(short + cardholder('M-1') + claim('RX-1'));
      expect([lost, idsOf(items), members(items)]).toEqual([lost, ['B1/1234567893/RX-1/00/20260302'], ['M-1']]);
      expect(eventsOf(items)[0]?.envelope.source_system).toBe('610066/SYNPCN');
      expect(codesOf(items)).toEqual(['HEADER_SHORT']);
    }
    const response = `${responseHeader().replace('     2026', '    2026')}\x1d${segment('AM21', 'ANP')}`;
    expect(idsOf(await readBody(response))[0]).toMatch(/^B1\/1234567893\/sha256:[0-9a-f]{32}\/\/20260302$/);
  });

  it('begins a transaction without a group separator', async () => {
    const items = await readBody(request('M-1', 'RX-1') + claim('RX-2').slice(1));
    expect(idsOf(items)).toHaveLength(2);
    expect(codesOf(items)).toEqual(expect.arrayContaining(['GROUP_SEPARATOR_MISSING', 'COUNT_MISMATCH']));
  });

  it('assigns no member to a transaction beyond the count of the header', async () => {
    const items = await readBody(request('M-1', 'RX-1') + claim('RX-2'));
    expect(members(items)).toEqual(['M-1', undefined]);
    expect(codesOf(items)).toEqual(expect.arrayContaining(['COUNT_MISMATCH', 'COUNT_EXCEEDED', 'MEMBER_MISSING']));
  });

  it('does not assign segments after a lost header to the previous member', async () => {
    const lost = request('M-2', 'RX-2').replace('610066D0', '6100??D?');
    const items = await readBody(request('M-1', 'RX-1') + lost);
    expect(members(items)).toEqual(['M-1']);
    expect(refusedOf(items)).toMatchObject([{ code: 'HEADER_LOST', exceptionKind: 'PARSE_FAILED' }]);
    const nobody = await readBody(requestHeader() + segment('AM44', 'C2M-1') + claim('RX-1') + lost);
    expect(members(nobody)).toEqual([undefined]);
    expect(refusedOf(nobody)).toMatchObject([{ code: 'HEADER_LOST' }]);
  });

  it('does not use a member id at the very end of the body', async () => {
    const body = `${requestHeader({ code: 'E1' })}${segment('AM04', 'C2SYN-MEM')}`;
    expect(members(await readBody(body))).toEqual([undefined]);
    expect(members(await readBody(`\x02${body}\x03`))).toEqual(['SYN-MEM']);
    expect(members(await readBody(`\x02${body}`))).toEqual([undefined]);
  });

  it('leaves out an unreadable value with its place', async () => {
    const odd = segment('AM11', 'D9ABCX', 'DU10{') + segment('AM13', '?', 'WE02', 'DOE119') + segment('AM99', 'XX1');
    const items = await readBody(`${request('M-1', 'RX-1')}${odd}`);
    expect(payloads(items)[0]).toMatchObject({ amounts: { gross_due: '1.00' }, diagnosis_codes: ['E11.9'] });
    expect(codesOf(items)).toEqual(['FIELD_UNREADABLE', 'UNKNOWN_SEGMENT', 'AMOUNT_UNREADABLE']);
    expect(eventsOf(items)[0]?.warnings.find(({ code }) => code === 'AMOUNT_UNREADABLE')).toMatchObject({
      segment: 'AM11',
      position: { segmentNumber: 4, transactionPosition: 4 },
    });
  });
});

describe('unreadable transmissions', () => {
  const cases: [string, string][] = [
    [`${requestHeader()}${cardholder('M-1')}`, 'TRANSMISSION_EMPTY'],
    [`${requestHeader()}${cardholder('M-1')}${segment('AM05', '4C1')}`, 'SEGMENT_MISSING'],
    [requestHeader(), 'TRANSMISSION_EMPTY'],
    [request('M-1', 'RX-1').replace('RX-1', 'RX\0-1'), 'NUL_IN_TRANSMISSION'],
    [request('M-1', 'RX-1').replace('D0B1', '51B1'), 'VERSION_UNKNOWN'],
    ['these are no bytes of ours', 'NOT_NCPDP'],
    [`${requestHeader()}${cardholder('M-1')}\x1d${segment('AM07', 'EM1', 'D2RX-')}`, 'TRANSACTION_CUT'],
    [requestHeader() + segment('AM05').repeat(1_200), 'TOO_MANY_SEGMENTS'],
  ];

  it.each(cases)('rejects case %# with a code and its place', async (body, code) => {
    const items = await readBody(body);
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items)).toMatchObject([
      { code, exceptionKind: 'PARSE_FAILED', position: { byteOffset: expect.any(Number) } },
    ]);
  });

  it('rejects faults that a processor rejects, in strict reading', async () => {
    const faulty: [string, string][] = [
      [request('M-1', 'RX-1').replace('SYNSOFT   ', 'SYNSOFT  '), 'HEADER_SHORT'],
      [requestHeader({ count: 3 }) + cardholder('M-1') + claim('RX-1'), 'COUNT_MISMATCH'],
      [requestHeader({ provider: '' }) + cardholder('M-1') + claim('RX-1'), 'PROVIDER_MISSING'],
      [`\x02${request('M-1', 'RX-1')}`, 'FRAME_OPEN'],
      [`${request('M-1', 'RX-1')}${segment('AM99')}`, 'UNKNOWN_SEGMENT'],
    ];
    for (const [body, code] of faulty) {
      expect(refusedOf(await readBody(body, { strict: true })).map((item) => item.code)).toEqual([code]);
      const lenient = await readBody(body);
      // A frame without its end, or a count beyond the end of the body, says that the transaction is cut.
      const isCut = code === 'FRAME_OPEN' || code === 'COUNT_MISMATCH';
      expect([code, members(lenient)]).toEqual([code, [isCut ? undefined : 'M-1']]);
      expect(codesOf(lenient)).toContain(code);
    }
  });
});

describe('times', () => {
  it('are the day of service in the zone of the tenant, else the time of receipt', async () => {
    const dated = async (date: string, tenantTimeZone?: string): Promise<unknown[]> => {
      const body = requestHeader({ date }) + cardholder('M-1') + claim('RX-1');
      const [event] = eventsOf(await readBody(body, tenantTimeZone === undefined ? {} : { tenantTimeZone }));
      return [event?.envelope.event_effective_timestamp, event?.duplicateKeyOmitsTime];
    };
    expect(await dated('20260302')).toEqual(['2026-03-02T00:00:00.000Z', false]);
    expect(await dated('20260302', 'America/New_York')).toEqual(['2026-03-02T05:00:00.000Z', false]);
    expect(await dated('20261399')).toEqual(['2026-04-01T12:00:00.000Z', true]);
  });
});
