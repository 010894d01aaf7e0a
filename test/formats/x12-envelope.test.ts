import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { defaultAdapterLimits } from '../../subgraphs/ledger/adapters/adapter.js';
import { adapterFor, detectAdapter } from '../../subgraphs/ledger/adapters/registry.js';
import { x12Adapter } from '../../subgraphs/ledger/adapters/x12/x12-adapter.js';
import { codesOf, eventsOf, readBody, refusedOf } from './x12-reading.js';

const fixture = (name: string): Buffer => readFileSync(join(process.cwd(), 'test', 'formats', 'fixtures', 'x12', name));

async function memberIds(body: Buffer, options = {}): Promise<(string | undefined)[]> {
  return eventsOf(await readBody(body, options)).map(({ envelope }) => envelope.member_id);
}

describe('a body is X12 by its first bytes', () => {
  test.each(['professional.837', 'byte-order-mark.837', 'odd-separators.837', 'begins-at-st.837'])('%s', (name) => {
    expect(detectAdapter(fixture(name))?.format).toBe('x12');
  });

  test.each(['', 'ISA', 'ISA*00*', 'MSH|^~\\&|A|B', '{"resourceType":"Claim"}', 'ISABELLA WAS HERE', 'GSX'])(
    'not %p',
    (text) => {
      expect(x12Adapter.detect(Buffer.from(text))).toBe(false);
    },
  );

  test('the registry knows it by name, in any case', () => {
    expect(adapterFor('X12')?.format).toBe('x12');
    expect(adapterFor('edifact')).toBeNull();
  });
});

describe('separators, line ends and marks are the sender’s own affair', () => {
  test.each([
    'odd-separators.837',
    'indented-crlf.837',
    'byte-order-mark.837',
    'other-component-separator.837',
    'begins-at-st.837',
  ])('%s gives the same claim', async (name) => {
    const [event, ...others] = eventsOf(await readBody(fixture(name)));
    expect(others).toEqual([]);
    expect(event?.envelope).toMatchObject({
      member_id: 'SYN0001',
      payload: { claim_id: 'ACCT-1', procedure_codes: ['99213'], diagnosis_codes: ['J20.9'] },
    });
  });

  test('another component separator than the declared one is warned of, once', async () => {
    const codes = codesOf(await readBody(fixture('other-component-separator.837')));
    expect(codes.filter((code) => code === 'COMPONENT_SEPARATOR_DIFFERS')).toHaveLength(1);
  });

  test('a body without ISA is read with a warning, and its source system is the format’s name', async () => {
    const items = await readBody(fixture('begins-at-st.837'));
    expect(codesOf(items)).toEqual(expect.arrayContaining(['ISA_MISSING', 'GROUP_MISSING', 'SENDER_UNKNOWN']));
    expect(eventsOf(items)[0]?.envelope.source_system).toBe('x12');
  });

  test('an ISA that lacks its terminator does not make line ends the terminator', async () => {
    const items = await readBody(
      Buffer.from(fixture('professional.837').toString('latin1').replace('*T*:~', '*T*:'), 'latin1'),
    );
    expect(codesOf(items)).toContain('ISA_UNTERMINATED');
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0001', 'SYN0002', 'SYN0002']);
  });

  test('line ends alone may end segments', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const body = Buffer.from(fixture('professional.837').toString('latin1').replaceAll('~\n', end), 'latin1');
      expect(await memberIds(body)).toEqual(['SYN0001', 'SYN0002', 'SYN0002']);
    }
  });

  test('several interchanges in one body, each with separators of its own', async () => {
    expect(await memberIds(fixture('two-interchanges.837'))).toEqual(['SYN0001', 'SYN0009']);
  });

  test('names in UTF-8 and in Latin-1 are both read', async () => {
    const text = fixture('professional.837').toString('latin1');
    for (const bytes of [
      Buffer.from(text.replace('*ALDERBROOK*', '*ÅLDERBRÖÖK*'), 'utf8'),
      Buffer.from(text.replace('*ALDERBROOK*', '*ÅLDERBRÖÖK*'), 'latin1'),
    ]) {
      const [event] = eventsOf(await readBody(bytes));
      expect(event?.envelope.payload['subscriber']).toMatchObject({ last_name: 'ÅLDERBRÖÖK' });
    }
  });
});

describe('what cannot be read costs itself alone', () => {
  test('one broken claim amid good ones is refused with its place; the others are read', async () => {
    const items = await readBody(fixture('broken-claim.837'));
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0100', 'SYN0102']);
    const [refused, ...others] = refusedOf(items);
    expect(others).toEqual([]);
    expect(refused).toMatchObject({
      code: 'AMOUNT_MALFORMED',
      item: 'claim',
      segment: 'CLM',
      element: 2,
      exceptionKind: 'PARSE_FAILED',
      index: 1,
    });
    const { offset = 0, length = 0 } = refused?.part ?? {};
    expect(
      fixture('broken-claim.837')
        .subarray(offset, offset + length)
        .toString(),
    ).toMatch(/^CLM\*ACCT-2\*1O0.*20260215~$/s);
  });

  test('nothing of the sender’s values stands in what is said about it', async () => {
    const said = JSON.stringify(
      (await readBody(fixture('broken-claim.837'))).filter(({ kind }) => kind !== 'event' && kind !== 'wrapper'),
    );
    for (const value of ['ACCT-2', '1O0', 'SYN0101', 'NAMEB']) expect(said).not.toContain(value);
  });

  test('a file cut inside a claim gives the claims before it and says where it ends', async () => {
    const items = await readBody(fixture('cut-in-claim.837'));
    expect(eventsOf(items)).toHaveLength(2);
    expect(refusedOf(items)).toMatchObject([
      { code: 'CLAIM_CUT', item: 'claim', position: { transactionPosition: 43 } },
    ]);
    expect(items.find(({ kind }) => kind === 'transaction')).toMatchObject({
      complete: false,
      accepted: 2,
      refused: 1,
    });
  });

  test('a file cut after a whole claim keeps it, marked', async () => {
    const events = eventsOf(await readBody(fixture('cut-before-trailer.837')));
    expect(events.map(({ warnings }) => warnings.map(({ code }) => code))).toEqual([[], [], ['TRANSACTION_CUT']]);
  });

  test('a segment in which the body ends is refused with its place, and an exception is opened for it', async () => {
    const body = fixture('professional.837').toString('latin1');
    const cutAt = body.indexOf('NM1*85') + 20;
    expect(refusedOf(await readBody(Buffer.from(body.slice(0, cutAt), 'latin1')))).toMatchObject([
      { code: 'SEGMENT_CUT', item: 'segment', exceptionKind: 'PARSE_FAILED', position: { byteOffset: cutAt - 20 } },
    ]);
  });

  test('a DOS end of file behind the last segment is nothing', async () => {
    const items = await readBody(Buffer.concat([fixture('professional.837'), Buffer.of(0x1a)]));
    expect(refusedOf(items)).toEqual([]);
  });

  test('a lost HL never lends one member’s claims to another', async () => {
    const items = await readBody(fixture('lost-hierarchy.837'));
    expect(refusedOf(items)).toMatchObject([{ code: 'LOOP_ORDER' }]);
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual([undefined, 'SYN0203']);
  });

  test('a claim without a member id is an event without a member, and an exception', async () => {
    const items = await readBody(fixture('missing-member.837'));
    expect(eventsOf(items)).toHaveLength(1);
    expect(items.filter(({ kind }) => kind === 'exception')).toMatchObject([
      { exceptionKind: 'UNKNOWN_MEMBER', index: 0 },
    ]);
  });

  test('a transaction that gives no event is refused by type and place; its neighbour is read', async () => {
    const items = await readBody(fixture('unsupported.x12'));
    expect(refusedOf(items)).toMatchObject([
      { code: 'UNSUPPORTED_TRANSACTION', item: '270', position: { segmentNumber: 3 } },
    ]);
    expect(eventsOf(items)).toHaveLength(1);
  });

  test.each([
    ['UTF-16 with its mark', Buffer.from('\ufeffISA*00*', 'utf16le'), 'UNSUPPORTED_ENCODING'],
    ['UTF-16 without a mark', Buffer.from('ISA*00*', 'utf16le'), 'UNSUPPORTED_ENCODING'],
    ['nothing', Buffer.alloc(0), 'EMPTY_BODY'],
    ['blanks', Buffer.from(' \r\n '), 'EMPTY_BODY'],
    ['something else', Buffer.from('Dear Sir or Madam~'), 'NOT_X12'],
    ['a cut ISA', Buffer.from('ISA*00*          *00'), 'ISA_UNREADABLE'],
  ])('%s is one refusal', async (_name, body, code) => {
    expect((await readBody(body)).map((item) => ('code' in item ? item.code : item.kind))).toEqual([code]);
  });

  test('NUL bytes inside a claim refuse that claim', async () => {
    const text = fixture('cut-before-trailer.837').toString('latin1').replace('SV1*HC:99212', 'SV1*HC:\0\x112');
    const items = await readBody(Buffer.from(text, 'latin1'));
    expect(refusedOf(items)).toMatchObject([{ code: 'NUL_IN_SEGMENT' }]);
    expect(eventsOf(items)).toHaveLength(2);
  });

  test('a segment longer than the limit is dropped and reported, however it arrives', async () => {
    const text = fixture('cut-before-trailer.837')
      .toString('latin1')
      .replace('HI*ABK:J209', `NTE*ADD*${'X'.repeat(300_000)}`);
    const limits = { ...defaultAdapterLimits, segmentBytes: 100_000 };
    const whole = await readBody(Buffer.from(text, 'latin1'), { limits });
    expect(refusedOf(whole)).toMatchObject([{ code: 'SEGMENT_TOO_LONG', item: 'claim' }]);
    expect(eventsOf(whole)).toHaveLength(2);
    const bytes = Buffer.from(text, 'latin1');
    const pieces = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, n) =>
      bytes.subarray(n * 4096, (n + 1) * 4096),
    );
    expect(await readBody(pieces, { limits })).toEqual(whole);
  });
});

describe('counts and control numbers: lenient reading warns, strict reading refuses', () => {
  test('wrong counts and numbers are all told, and the claim is read', async () => {
    const items = await readBody(fixture('wrong-counts.837'));
    expect(eventsOf(items)).toHaveLength(1);
    const expected = [
      'SEGMENT_COUNT_MISMATCH',
      'GROUP_COUNT_MISMATCH',
      'INTERCHANGE_COUNT_MISMATCH',
      'CONTROL_NUMBER_MISMATCH',
    ];
    expect(codesOf(items)).toEqual(expect.arrayContaining(expected));
  });

  test('strict: wrong counts give no event', async () => {
    const items = await readBody(fixture('wrong-counts.837'), { strict: true });
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items)[0]).toMatchObject({
      code: 'SEGMENT_COUNT_MISMATCH',
      item: '837',
      segment: 'SE',
      element: 1,
    });
  });

  test('strict: a wrong IEA refuses the interchange, and the next one is read', async () => {
    const [first = '', second = ''] = fixture('two-interchanges.837')
      .toString()
      .split(/(?=ISA\+)/);
    const items = await readBody(Buffer.from(first.replace('IEA*1*', 'IEA*2*') + second), { strict: true });
    expect(refusedOf(items)).toMatchObject([{ code: 'INTERCHANGE_COUNT_MISMATCH', item: 'interchange' }]);
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0009']);
  });

  test('strict: a broken claim refuses its transaction; a good body is read as ever', async () => {
    const broken = await readBody(fixture('broken-claim.837'), { strict: true });
    expect(eventsOf(broken)).toEqual([]);
    expect(refusedOf(broken).map(({ code }) => code)).toEqual(['AMOUNT_MALFORMED', 'TRANSACTION_REFUSED']);
    const good = fixture('professional.837');
    expect(eventsOf(await readBody(good, { strict: true }))).toEqual(eventsOf(await readBody(good)));
  });

  test('strict: a cut body gives nothing', async () => {
    const items = await readBody(fixture('cut-before-trailer.837'), { strict: true });
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items)[0]).toMatchObject({ code: 'SE_MISSING' });
  });

  test('strict reading holds no more than its limit', async () => {
    const limits = { ...defaultAdapterLimits, strictHoldBytes: 500 };
    const items = await readBody(fixture('two-interchanges.837'), { strict: true, limits });
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items).map(({ code }) => code)).toEqual(['STRICT_LIMIT', 'STRICT_LIMIT']);
  });
});
