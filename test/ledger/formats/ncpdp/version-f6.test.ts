import { describe, expect, it } from '@jest/globals';
import { sniffFormat } from '../../../../subgraphs/ledger/formats/domain.js';
import { NcpdpAcknowledger } from '../../../../subgraphs/ledger/formats/ncpdp/acknowledge.js';
import { codesOf, eventsOf, fixture, readBody, refusedOf, requestHeader, responseHeader, segment } from './reading.js';

// NCPDP Telecommunication version F6: read as D.0 is, with an issuer of eight digits and longer fields.

/** An F6 request's header, with `bin` in its place. */
const wideHeader = (bin = '61006699', about: Parameters<typeof requestHeader>[0] = {}): string =>
  `${bin}F6${requestHeader(about).slice(8)}`;
const narrowAnswer = (): string => `F6${responseHeader().slice(2)}`;
const body = (header: string, member: string, number: string): string =>
  `${header}${segment('AM04', `C2${member}`, 'C301')}\x1d${segment('AM07', 'EM1', `D2${number}`, 'E103', 'D700093505601', 'D300')}`;
const answer = (header: string, number: string): string =>
  `${header}\x1d${segment('AM21', 'ANP', 'F3A1')}${segment('AM22', 'EM1', `D2${number}`)}`;

const read = async (text: Buffer | string, options = {}) => {
  const items = await readBody(text, options);
  return { items, events: eventsOf(items), envelopes: eventsOf(items).map(({ envelope }) => envelope) };
};

describe('an F6 request', () => {
  it('is read by its header of 58 bytes, with an issuer of eight digits', async () => {
    const { items, envelopes } = await read(body(wideHeader(), 'SYN-1', 'RX1'));
    expect(codesOf(items)).toEqual([]);
    expect(envelopes).toMatchObject([
      {
        event_family: 'pharmacy',
        event_type: 'claim_submitted',
        member_id: 'SYN-1',
        source_system: '61006699/SYNPCN',
        source_record_id: 'B1/1234567893/RX1/00/20260302',
        event_effective_timestamp: '2026-03-02T00:00:00.000Z',
        payload: {
          payer: { bin: '61006699', pcn: 'SYNPCN' },
          pharmacy: { id: '1234567893', qualifier: '01' },
          software: 'SYNSOFT',
          raw: { version: 'F6' },
        },
      },
    ]);
  });

  it('may have an issuer of six digits, padded', async () => {
    const { items, envelopes } = await read(body(wideHeader('610066  '), 'SYN-1', 'RX1'), { strict: true });
    expect(codesOf(items)).toEqual([]);
    expect(envelopes).toMatchObject([{ source_system: '610066/SYNPCN', member_id: 'SYN-1' }]);
  });

  it('whose issuer of six digits lost its padding is read with a warning, and rejected in strict mode', async () => {
    const text = body(wideHeader('610066'), 'SYN-1', 'RX1');
    const { items, envelopes } = await read(text);
    expect(codesOf(items)).toEqual(['HEADER_SHORT']);
    expect(envelopes).toMatchObject([{ source_system: '610066/SYNPCN', payload: { pharmacy: { id: '1234567893' } } }]);
    expect(refusedOf(await readBody(text, { strict: true }))).toMatchObject([{ code: 'HEADER_SHORT' }]);
  });

  it('whose provider lost its padding is located by the date', async () => {
    const { items, envelopes } = await read(
      body(wideHeader().replace('1234567893     ', '1234567893   '), 'SYN-1', 'RX1'),
    );
    expect(codesOf(items)).toEqual(['HEADER_SHORT']);
    expect(envelopes).toMatchObject([{ payload: { pharmacy: { id: '1234567893' }, date_of_service: '2026-03-02' } }]);
  });
});

describe('longer and further fields of F6', () => {
  it('are read in full: numbers, amounts to 999,999,999.99, quantities', async () => {
    const { envelopes } = await read(fixture('f6.ncpdp'));
    expect(envelopes[0]).toMatchObject({
      member_id: 'SYN-MEMBER-WITH-A-LONG-NUMBER-0001',
      payload: {
        claim_id: '123456789012',
        authorization_number: 'PA-0123456789-0123456789',
        prescription: { quantity: '1000000.000' },
        amounts: { ingredient_cost: '123456789.00', gross_due: '99999999.99' },
      },
    });
    expect(envelopes[2]?.payload).toMatchObject({
      authorization_number: 'AUTH-0123456789-0123456789',
      amounts: { patient_pay: '10.00', ingredient_cost: '123456789.00', total_paid: '123456889.00' },
    });
  });

  it('without a meaning here are kept as sent, with their segment, and cause no warning', async () => {
    const { items, envelopes } = await read(fixture('f6.ncpdp'), { strict: true });
    expect(refusedOf(items)).toEqual([]);
    // A response names no sender.
    expect(codesOf(items)).toEqual(['SENDER_MISSING', 'SENDER_MISSING']);
    const note = { segment: 'AM01', id: 'ZZ', value: 'PATIENT NOTE' };
    expect(envelopes.map(({ payload }) => payload['unread_fields'])).toEqual([
      [note],
      [note, { segment: 'AM38', id: 'Y1', value: 'NEW SEGMENT' }, { segment: 'AM38', id: 'Y2', value: 'TWO' }],
      undefined,
      undefined,
    ]);
  });

  it('are bounded', async () => {
    const many = Array.from({ length: 600 }, () => 'ZZvalue');
    const { items, envelopes } = await read(body(wideHeader(), 'SYN-1', 'RX1') + segment('AM38', ...many));
    expect(envelopes[0]?.payload['unread_fields']).toHaveLength(500);
    expect(codesOf(items)).toEqual(['FIELDS_OMITTED']);
  });

  it('of D.0 are only in the raw bytes, and an unknown segment of it causes a warning', async () => {
    const { items, envelopes } = await read(body(requestHeader(), 'SYN-1', 'RX1') + segment('AM38', 'Y1NEW'));
    expect(envelopes[0]?.payload).not.toHaveProperty('unread_fields');
    expect(codesOf(items)).toEqual(['UNKNOWN_SEGMENT']);
  });
});

describe('an F6 response', () => {
  it('has the outcome of each transaction and the members of the request before it', async () => {
    const { items, envelopes } = await read(fixture('f6.ncpdp'));
    expect(envelopes.map(({ event_type, outcome, member_id }) => [event_type, outcome, member_id].join(' '))).toEqual([
      'claim_submitted submitted SYN-MEMBER-WITH-A-LONG-NUMBER-0001',
      'claim_submitted submitted SYN-MEMBER-WITH-A-LONG-NUMBER-0001',
      'claim_adjudicated paid SYN-MEMBER-WITH-A-LONG-NUMBER-0001',
      'claim_adjudicated denied SYN-MEMBER-WITH-A-LONG-NUMBER-0001',
    ]);
    expect(refusedOf(items)).toEqual([]);
  });
});

describe('F6 and D.0 in one body', () => {
  const parts = [
    body(wideHeader(), 'SYN-1', 'RX1'),
    body(requestHeader(), 'SYN-2', 'RX2'),
    body(wideHeader('610066  '), 'SYN-3', 'RX3'),
    answer(narrowAnswer(), 'RX1'),
    answer(responseHeader(), 'RX2'),
  ];

  it.each(['', '\r\n', '\n'])('are the sum of their parts, joined by %j in any order', async (between) => {
    for (let turn = 0; turn < parts.length; turn += 1) {
      const turned = [...parts.slice(turn), ...parts.slice(0, turn)];
      const expected = [];
      for (const part of turned) expected.push(...(await read(part)).envelopes.map((one) => one.source_record_id));
      const { items, envelopes } = await read(turned.join(between));
      expect([turn, envelopes.map((one) => one.source_record_id)]).toEqual([turn, expected]);
      expect(refusedOf(items)).toEqual([]);
    }
  });

  it('without padding begin again after a line end', async () => {
    const text = [body(wideHeader('610066'), 'SYN-1', 'RX1'), body(wideHeader('610066'), 'SYN-2', 'RX2')].join('\n');
    expect((await read(text)).envelopes.map(({ member_id }) => member_id)).toEqual(['SYN-1', 'SYN-2']);
  });

  it('yield the same in chunks of any size', async () => {
    const text = Buffer.from(parts.join(''), 'latin1');
    const whole = await readBody(text);
    for (const size of [1, 7, 61]) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.subarray(at * size, (at + 1) * size),
      );
      const limits = { segmentBytes: 1024 * 1024, strictHoldBytes: 1, windowBytes: 1 };
      expect(await readBody(chunks, { limits })).toEqual(whole);
    }
  });

  it('cut at any byte name no member but their own', async () => {
    const text = parts.join('');
    const owners = ['SYN-1', 'SYN-2', 'SYN-3', 'SYN-1', 'SYN-2'];
    const ends = parts.map((_, at) => parts.slice(0, at + 1).join('').length);
    for (let length = 1; length < text.length; length += 1) {
      const { items, events } = await read(text.slice(0, length));
      expect([length, items.length > 0]).toEqual([length, true]);
      for (const { envelope, part } of events) {
        const known = [undefined, owners[ends.findIndex((end) => part.offset < end)]];
        expect([length, known]).toEqual([length, expect.arrayContaining([envelope.member_id])]);
      }
    }
  });

  it('are read in the records of a batch', async () => {
    const head = `\x0200T${'SYNSENDER'.padEnd(24)}0000042202603021200P12${'SYNPLAN'.padEnd(24)}\x03`;
    const details = parts.map((part, at) => `\x02G1${String(at).padStart(10, '0')}${part}\x03`);
    const { items, envelopes } = await read(
      `${head}${details.join('')}\x02990000042${'0000000007'}${' '.repeat(35)}\x03`,
    );
    expect(envelopes.map(({ member_id }) => member_id)).toEqual(['SYN-1', 'SYN-2', 'SYN-3', 'SYN-1', 'SYN-2']);
    expect(codesOf(items)).toEqual(['SENDER_MISSING', 'SENDER_MISSING']);
  });
});

describe('the format of an F6 body', () => {
  it.each([
    ['a request', body(wideHeader(), 'SYN-1', 'RX1')],
    ['a request of a padded issuer', body(wideHeader('610066  '), 'SYN-1', 'RX1')],
    ['a request of an issuer without padding', body(wideHeader('610066'), 'SYN-1', 'RX1')],
    ['a response', answer(narrowAnswer(), 'RX1')],
  ])('is recognised by %s', (_, text) => {
    expect(sniffFormat(Buffer.from(text, 'latin1'))).toBe('ncpdp');
  });

  it('is not another version', async () => {
    const items = await readBody(body(`61006651${requestHeader().slice(8)}`, 'SYN-1', 'RX1'));
    expect(refusedOf(items)).toMatchObject([{ code: 'VERSION_UNKNOWN' }]);
  });
});

describe('the answer to an F6 request', () => {
  const answerTo = async (text: string): Promise<string | undefined> => {
    const acknowledger = new NcpdpAcknowledger();
    for (const item of await readBody(text)) {
      acknowledger.take(item, item.kind === 'event' ? { status: 'ACCEPTED' } : undefined);
    }
    return acknowledger.finish({ nowIso: '2026-04-01T12:00:00.000Z', controlNumber: '1' })?.text;
  };

  it('is a response of version F6', async () => {
    const text = await answerTo(body(wideHeader(), 'SYN-1', 'RX1'));
    expect(text).toMatch(/^F6B11A01/);
    expect(text?.slice(0, 31)).toBe(narrowAnswer());
    expect(text).toContain('\x1cANC');
  });

  it('is of version D.0 for a version that is not read', async () => {
    expect(await answerTo(body(`61006651${requestHeader().slice(8)}`, 'SYN-1', 'RX1'))).toMatch(/^D0B11R01/);
  });
});
