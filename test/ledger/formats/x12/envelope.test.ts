import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sniffFormat } from '../../../../subgraphs/ledger/formats/domain.js';
import { DEFAULT_ADAPTER_LIMITS } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { adapterFor } from '../../../../subgraphs/ledger/formats/index.js';
import { codesOf, eventsOf, readBody, refusedOf } from './reading.js';

const fixture = (name: string): Buffer => readFileSync(join(process.cwd(), 'test/ledger/formats/x12/fixtures', name));

async function memberIds(body: Buffer, options = {}): Promise<(string | undefined)[]> {
  return eventsOf(await readBody(body, options)).map(({ envelope }) => envelope.member_id);
}

describe('detection by the first bytes', () => {
  it.each(['professional.837', 'byte-order-mark.837', 'odd-separators.837', 'begins-at-st.837'])('%s', (name) => {
    expect(sniffFormat(fixture(name))).toBe('x12');
  });

  it.each(['', 'ISA', 'MSH|^~\\&|A|B', '{"resourceType":"Claim"}', 'ISABELLA WAS HERE', 'GSX'])('not %p', (text) => {
    expect(sniffFormat(Buffer.from(text))).not.toBe('x12');
  });

  it('the adapter is found by name, in any case', () => {
    expect(adapterFor('X12')?.format).toBe('x12');
    expect(adapterFor('edifact')).toBeNull();
  });
});

describe('separators, line ends and marks', () => {
  it.each([
    'odd-separators.837',
    'indented-crlf.837',
    'byte-order-mark.837',
    'other-component-separator.837',
    'begins-at-st.837',
  ])('%s yields the same claim', async (name) => {
    const [event, ...others] = eventsOf(await readBody(fixture(name)));
    expect(others).toEqual([]);
    expect(event?.envelope).toMatchObject({
      member_id: 'SYN0001',
      payload: { claim_id: 'ACCT-1', procedure_codes: ['99213'], diagnosis_codes: ['J20.9'] },
    });
  });

  it('an undeclared component separator gives one warning', async () => {
    const codes = codesOf(await readBody(fixture('other-component-separator.837')));
    expect(codes.filter((code) => code === 'COMPONENT_SEPARATOR_DIFFERS')).toHaveLength(1);
  });

  it('a body without ISA is read with a warning, and its source system is the format’s name', async () => {
    const items = await readBody(fixture('begins-at-st.837'));
    expect(codesOf(items)).toEqual(expect.arrayContaining(['ISA_MISSING', 'GROUP_MISSING', 'SENDER_UNKNOWN']));
    expect(eventsOf(items)[0]?.envelope.source_system).toBe('x12');
  });

  it('an ISA without its terminator does not make line ends the terminator', async () => {
    const items = await readBody(
      Buffer.from(fixture('professional.837').toString('latin1').replace('*T*:~', '*T*:'), 'latin1'),
    );
    expect(codesOf(items)).toContain('ISA_UNTERMINATED');
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0001', 'SYN0002', 'SYN0002']);
  });

  it('line ends may terminate segments', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const body = Buffer.from(fixture('professional.837').toString('latin1').replaceAll('~\n', end), 'latin1');
      expect(await memberIds(body)).toEqual(['SYN0001', 'SYN0002', 'SYN0002']);
    }
  });

  it('several interchanges in one body, each with its separators', async () => {
    expect(await memberIds(fixture('two-interchanges.837'))).toEqual(['SYN0001', 'SYN0009']);
  });

  it('names in UTF-8 and in Latin-1 are both read', async () => {
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

describe('unreadable parts', () => {
  it('rejects one broken claim with its place and reads the others', async () => {
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

  it('puts no value of the sender into a message', async () => {
    const said = JSON.stringify(
      (await readBody(fixture('broken-claim.837'))).filter(({ kind }) => kind !== 'event' && kind !== 'wrapper'),
    );
    for (const value of ['ACCT-2', '1O0', 'SYN0101', 'NAMEB']) expect(said).not.toContain(value);
  });

  it('yields the claims before the one that is cut, and reports where the body ends', async () => {
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

  it('keeps a whole claim before the cut, with a warning', async () => {
    const events = eventsOf(await readBody(fixture('cut-before-trailer.837')));
    expect(events.map(({ warnings }) => warnings.map(({ code }) => code))).toEqual([[], [], ['TRANSACTION_CUT']]);
  });

  it('rejects a cut last segment with its place and opens an exception', async () => {
    const body = fixture('professional.837').toString('latin1');
    const cutAt = body.indexOf('NM1*85') + 20;
    expect(refusedOf(await readBody(Buffer.from(body.slice(0, cutAt), 'latin1')))).toMatchObject([
      { code: 'SEGMENT_CUT', item: 'segment', exceptionKind: 'PARSE_FAILED', position: { byteOffset: cutAt - 20 } },
    ]);
  });

  it('ignores a DOS end of file after the last segment', async () => {
    const items = await readBody(Buffer.concat([fixture('professional.837'), Buffer.of(0x1a)]));
    expect(refusedOf(items)).toEqual([]);
  });

  it('never assigns claims to another member after a lost HL', async () => {
    const items = await readBody(fixture('lost-hierarchy.837'));
    expect(refusedOf(items)).toEqual([]);
    expect(eventsOf(items)[0]?.warnings).toMatchObject([{ code: 'LOOP_ORDER', segment: 'SBR' }]);
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0201', undefined, 'SYN0203']);
  });

  it('stores a claim without a member id, and opens an exception', async () => {
    const items = await readBody(fixture('missing-member.837'));
    expect(eventsOf(items)).toHaveLength(1);
    expect(items.filter(({ kind }) => kind === 'exception')).toMatchObject([
      { exceptionKind: 'UNKNOWN_MEMBER', index: 0 },
    ]);
  });

  it('rejects an unsupported transaction by type and place, and reads its neighbour', async () => {
    const items = await readBody(fixture('unsupported.x12'));
    expect(refusedOf(items)).toMatchObject([
      { code: 'UNSUPPORTED_TRANSACTION', item: '864', position: { segmentNumber: 3 } },
    ]);
    expect(eventsOf(items)).toHaveLength(1);
  });

  it.each([
    ['UTF-16 with its mark', Buffer.from('\ufeffISA*00*', 'utf16le'), 'UNSUPPORTED_ENCODING'],
    ['UTF-16 without a mark', Buffer.from('ISA*00*', 'utf16le'), 'UNSUPPORTED_ENCODING'],
    ['nothing', Buffer.alloc(0), 'EMPTY_BODY'],
    ['blanks', Buffer.from(' \r\n '), 'EMPTY_BODY'],
    ['something else', Buffer.from('Dear Sir or Madam~'), 'NOT_X12'],
    ['a cut ISA', Buffer.from('ISA*00*          *00'), 'ISA_UNREADABLE'],
  ])('%s is one rejection', async (_name, body, code) => {
    expect((await readBody(body)).map((item) => ('code' in item ? item.code : item.kind))).toEqual([code]);
  });

  it('rejects a claim with NUL bytes', async () => {
    const text = fixture('cut-before-trailer.837').toString('latin1').replace('SV1*HC:99212', 'SV1*HC:\0\x112');
    const items = await readBody(Buffer.from(text, 'latin1'));
    expect(refusedOf(items)).toMatchObject([{ code: 'NUL_IN_SEGMENT' }]);
    expect(eventsOf(items)).toHaveLength(2);
  });

  it('drops and reports an overlong segment for any chunks', async () => {
    const text = fixture('cut-before-trailer.837')
      .toString('latin1')
      .replace('HI*ABK:J209', `NTE*ADD*${'X'.repeat(300_000)}`);
    const limits = { ...DEFAULT_ADAPTER_LIMITS, segmentBytes: 100_000 };
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

describe('counts and control numbers', () => {
  it('lenient: reports all wrong counts and numbers, and reads the claim', async () => {
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

  it('strict: wrong counts yield no event', async () => {
    const items = await readBody(fixture('wrong-counts.837'), { strict: true });
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items)[0]).toMatchObject({
      code: 'SEGMENT_COUNT_MISMATCH',
      item: '837',
      segment: 'SE',
      element: 1,
    });
  });

  it('strict: rejects an interchange with a wrong IEA, and reads the next one', async () => {
    const [first = '', second = ''] = fixture('two-interchanges.837')
      .toString()
      .split(/(?=ISA\+)/);
    const items = await readBody(Buffer.from(first.replace('IEA*1*', 'IEA*2*') + second), { strict: true });
    expect(refusedOf(items)).toMatchObject([{ code: 'INTERCHANGE_COUNT_MISMATCH', item: 'interchange' }]);
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0009']);
  });

  it('strict: rejects the transaction of a broken claim, and reads a good body', async () => {
    const broken = await readBody(fixture('broken-claim.837'), { strict: true });
    expect(eventsOf(broken)).toEqual([]);
    expect(refusedOf(broken).map(({ code }) => code)).toEqual(['AMOUNT_MALFORMED', 'TRANSACTION_REFUSED']);
    const good = fixture('professional.837');
    expect(eventsOf(await readBody(good, { strict: true }))).toEqual(eventsOf(await readBody(good)));
  });

  it('strict: a cut body yields no event', async () => {
    const items = await readBody(fixture('cut-before-trailer.837'), { strict: true });
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items)[0]).toMatchObject({ code: 'SE_MISSING' });
  });

  it('strict: holds at most its limit', async () => {
    const limits = { ...DEFAULT_ADAPTER_LIMITS, strictHoldBytes: 500 };
    const items = await readBody(fixture('two-interchanges.837'), { strict: true, limits });
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items).map(({ code }) => code)).toEqual(['STRICT_LIMIT', 'STRICT_LIMIT']);
  });
});
