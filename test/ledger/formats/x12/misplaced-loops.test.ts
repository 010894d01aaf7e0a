import { describe, expect, it } from '@jest/globals';
import { codesOf, eventsOf, fixtureText, readText, refusedOf, without } from './reading.js';

// Loops of subscribers and patients that are where no claim allows them.

const body = fixtureText('professional.837');
const positionOfLine = (text: string, line: string): number => {
  const lines = text.split('\n');
  return lines.indexOf(line) - lines.findIndex((one) => one.startsWith('ST*')) + 1;
};
const membersOf = async (text: string): Promise<unknown[]> =>
  eventsOf(await readText(text)).map(({ envelope }) => [envelope.payload['claim_id'], envelope.member_id]);

describe('an 837 with a misplaced subscriber or patient', () => {
  const last = 'DTP*472*D8*20260217~';
  const loop = ['SBR*S*18*OTHER02******CI~', 'CAS*PR*1*5~', 'NM1*IL*1*ALDERBROOK*OTHER****MI*OTHER-8~'];
  const misplaced = body.replace(`${last}\n`, `${[last, ...loop].join('\n')}\n`);

  it('accepts a claim that is complete before SBR, with a warning that has the position of SBR', async () => {
    const items = await readText(misplaced);
    const event = eventsOf(items).at(-1);
    expect(event?.envelope).toMatchObject({ member_id: 'SYN0002', payload: { claim_id: 'ACCT-3' } });
    expect(event?.envelope.payload['prior_payers']).toBeUndefined();
    expect(event?.warnings).toMatchObject([
      {
        code: 'LOOP_ORDER',
        segment: 'SBR',
        element: 1,
        position: {
          transactionPosition: positionOfLine(misplaced, loop[0] ?? ''),
          byteOffset: misplaced.indexOf(loop[0] ?? ''),
        },
      },
    ]);
    expect(refusedOf(items)).toEqual([]);
  });

  it('rejects a claim that is not complete before SBR, with the position of SBR', async () => {
    const incomplete = misplaced.replace('CLM*ACCT-3*20*', 'CLM*ACCT-3*25*');
    const items = await readText(incomplete);
    expect(eventsOf(items)).toHaveLength(2);
    expect(refusedOf(items)).toMatchObject([
      {
        code: 'LOOP_ORDER',
        item: 'claim',
        segment: 'SBR',
        position: { transactionPosition: positionOfLine(incomplete, loop[0] ?? '') },
      },
    ]);
  });

  it('names no member for claims behind a lost HL of a subscriber', async () => {
    const items = await readText(without(body, 'HL*3*1*22*1~'));
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0001', undefined, undefined]);
    expect(eventsOf(items)[0]?.warnings).toMatchObject([{ code: 'LOOP_ORDER', segment: 'SBR' }]);
  });

  it('names no member for claims behind a lost HL of a patient, who is not the subscriber', async () => {
    const items = await readText(without(body, 'HL*4*3*23*0~'));
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0001', undefined, undefined]);
    const [transaction] = items.filter((item) => item.kind === 'transaction');
    expect(transaction?.warnings).toContainEqual(expect.objectContaining({ code: 'LOOP_ORDER', segment: 'NM1' }));
  });

  it.each(['PAT*19~', 'NM1*QC*1*BRIARWOOD*PAX~', 'NM1*IL*1*CEDARWOOD*CLEO****MI*SYN0009~'])(
    'names no member for claims behind %s inside a claim',
    async (segment) => {
      const between = body.replace('CLM*ACCT-3*', `${segment}\nCLM*ACCT-3*`);
      const items = await readText(between);
      expect(await membersOf(between)).toEqual([
        ['ACCT-1', 'SYN0001'],
        ['ACCT-2', 'SYN0002'],
        ['ACCT-3', undefined],
      ]);
      expect(eventsOf(items)[1]?.warnings).toMatchObject([
        { code: 'LOOP_ORDER', segment: segment.slice(0, 3), position: { transactionPosition: expect.any(Number) } },
      ]);
      expect(codesOf(items)).toContain('MEMBER_MISSING');
    },
  );

  it('warns of SBR outside a subscriber level with its position, and names no member behind it', async () => {
    const outside = body.replace('CLM*ACCT-2*', 'SBR*P*18*GRP09******CI~\nCLM*ACCT-2*');
    const items = await readText(outside);
    expect((await membersOf(outside)).slice(1)).toEqual([
      ['ACCT-2', undefined],
      ['ACCT-3', undefined],
    ]);
    const [transaction] = items.filter((item) => item.kind === 'transaction');
    expect(transaction?.warnings).toContainEqual(
      expect.objectContaining({
        code: 'LOOP_ORDER',
        segment: 'SBR',
        position: expect.objectContaining({
          transactionPosition: positionOfLine(outside, 'SBR*P*18*GRP09******CI~'),
        }),
      }),
    );
  });

  it('keeps the insured of another payer and a later subscriber apart from the claim', async () => {
    expect(await membersOf(body)).toEqual([
      ['ACCT-1', 'SYN0001'],
      ['ACCT-2', 'SYN0002'],
      ['ACCT-3', 'SYN0002'],
    ]);
  });
});

describe('an 837 with twins of opposite names under two subscribers', () => {
  it('gives the same claim id to two members, as two events with two record ids', async () => {
    const lines = (hl: number, given: string, middle: string, id: string): string =>
      `HL*${hl}*1*22*0~\nSBR*P*18*******CI~\nNM1*IL*1*ELMWOOD*${given}*${middle}***MI*${id}~\nDMG*D8*20150505*F~\n` +
      'CLM*SAME-1*20***11:B:1*Y*A*Y*Y~\nHI*ABK:Z00129~\nLX*1~\nSV1*HC:99000*20*UN*1***1~\nDTP*472*D8*20260217~\n';
    const start = body.slice(0, body.indexOf('HL*2*1*22*0~'));
    const twins = `${start}${lines(2, 'ANNA', 'EVE', 'SYN1001')}${lines(3, 'EVE', 'ANNA', 'SYN1002')}`;
    const events = eventsOf(await readText(`${twins}SE*31*0001~\nGE*1*1~\nIEA*1*000000101~\n`));
    expect(events.map(({ envelope }) => [envelope.member_id, envelope.payload['subscriber']])).toMatchObject([
      ['SYN1001', { first_name: 'ANNA', middle_name: 'EVE' }],
      ['SYN1002', { first_name: 'EVE', middle_name: 'ANNA' }],
    ]);
    const [first, second] = events.map(({ envelope }) => envelope.source_record_id);
    expect(first).not.toBe(second);
  });
});
