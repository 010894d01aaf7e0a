import { describe, expect, it } from '@jest/globals';
import { AGREED_FAULTS } from '../../../../subgraphs/ledger/formats/agreed-faults.js';
import type { AdapterItem, AdapterOptions, EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { X12Acknowledger } from '../../../../subgraphs/ledger/formats/x12/acknowledge/acknowledger.js';
import { codesOf, eventsOf, fixtureText, readText, refusedOf, without } from './reading.js';

// Faults that a sender always makes and that are agreed (docs/source-feeds.md "Agreed faults").

const body = fixtureText('professional.837');
const agreed: Partial<AdapterOptions> = {
  agreementOf: () => ({ feedId: 'fed_1', faults: new Set(AGREED_FAULTS) }),
};

const last = 'DTP*472*D8*20260217~';
const loop = [
  'SBR*S*18*OTHER02******CI~',
  'CAS*PR*1*5~',
  'AMT*D*12~',
  'OI***Y***Y~',
  'NM1*IL*1*ALDERBROOK*OTHER****MI*OTHER-8~',
  'N4*COLUMBUS*OH*43085~',
  'NM1*PR*2*OTHER PLAN*****PI*OTHERPLAN~',
];
/** The file with a loop behind the lines of its last claim, and a further claim of the same subscriber behind that. */
const withLoop = (lines: readonly string[], further = ''): string =>
  body.replace(`${last}\n`, `${[last, ...lines].join('\n')}\n${further}`);
const claim = 'CLM*ACCT-4*20***11:B:1*Y*A*Y*Y~\nHI*ABK:Z00129~\nLX*1~\nSV1*HC:99000*20*UN*1***1~\n';
const lastEvent = (items: readonly AdapterItem[]): EventItem | undefined => eventsOf(items).at(-1);
const memberOf = (items: readonly AdapterItem[], id: string): unknown =>
  eventsOf(items).find(({ envelope }) => envelope.payload['claim_id'] === id)?.envelope.member_id;

function acknowledge(items: readonly AdapterItem[], strict = false): string {
  const acknowledger = new X12Acknowledger({ strict });
  for (const item of items) acknowledger.take(item, item.kind === 'event' ? { status: 'ACCEPTED' } : undefined);
  return acknowledger.finish({ nowIso: '2026-04-01T12:00:00.000Z', controlNumber: '1' })?.text ?? '';
}

describe('another payer behind the service lines', () => {
  it('is read where it is agreed: the warning names the feed, and later claims keep their member', async () => {
    const items = await readText(withLoop(loop, claim), agreed);
    expect(memberOf(items, 'ACCT-3')).toBe('SYN0002');
    expect(memberOf(items, 'ACCT-4')).toBe('SYN0002');
    const event = eventsOf(items).find(({ envelope }) => envelope.payload['claim_id'] === 'ACCT-3');
    expect(event?.warnings).toMatchObject([
      { code: 'OTHER_SUBSCRIBER_AFTER_LINES', segment: 'SBR', agreedBy: 'fed_1' },
    ]);
    expect(event?.envelope.payload['prior_payers']).toMatchObject([
      { payer: { name: 'OTHER PLAN', id: 'OTHERPLAN' }, paid: '12.00', adjustments: [{ group: 'PR', amount: '5.00' }] },
    ]);
    expect(refusedOf(items)).toEqual([]);
  });

  it('is not read without the agreement, and later claims name no member', async () => {
    const items = await readText(withLoop(loop, claim));
    expect(memberOf(items, 'ACCT-3')).toBe('SYN0002');
    expect(memberOf(items, 'ACCT-4')).toBeUndefined();
    expect(codesOf(items)).toContain('LOOP_ORDER');
    expect(codesOf(items)).not.toContain('OTHER_SUBSCRIBER_AFTER_LINES');
  });

  it('never excuses a subscriber without HL: without OI later claims name no member', async () => {
    const withoutOi = loop.filter((line) => !line.startsWith('OI'));
    const items = await readText(withLoop(withoutOi, claim), agreed);
    expect(memberOf(items, 'ACCT-4')).toBeUndefined();
    const second = ['SBR*P*18*******CI~', 'NM1*IL*1*CEDARWOOD*CLEO****MI*SYN0009~'];
    expect(memberOf(await readText(withLoop([...loop, ...second], claim), agreed), 'ACCT-4')).toBeUndefined();
    const insured = ['NM1*IL*1*CEDARWOOD*CLEO****MI*SYN0009~'];
    expect(memberOf(await readText(withLoop([...loop, ...insured], claim), agreed), 'ACCT-4')).toBeUndefined();
    const lost = await readText(without(body, 'HL*3*1*22*1~'), agreed);
    expect(eventsOf(lost).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0001', undefined, undefined]);
  });

  it('rejects a claim that is not complete before it, agreed or not', async () => {
    const incomplete = withLoop(loop).replace('CLM*ACCT-3*20*', 'CLM*ACCT-3*25*');
    expect(refusedOf(await readText(incomplete, agreed))).toMatchObject([{ code: 'LOOP_ORDER', item: 'claim' }]);
  });

  it('owns the decisions on lines before it (SVD)', async () => {
    const decided = withLoop(loop).replace(last, `${last}\nSVD*OTHERPLAN*8*HC:99000**1~`);
    const event = lastEvent(await readText(decided, agreed));
    expect(event?.warnings.map(({ code }) => code)).toEqual(['OTHER_SUBSCRIBER_AFTER_LINES']);
    expect(event?.envelope.payload['prior_payers']).toMatchObject([{ lines: [{ line: 1, paid: '8.00' }] }]);
  });

  it('cut at every byte names no other member than the whole file', async () => {
    const whole = withLoop(loop, claim);
    const members = new Map(
      eventsOf(await readText(whole, agreed)).map(({ envelope }) => [envelope.payload['claim_id'], envelope.member_id]),
    );
    for (let at = whole.indexOf(loop[0] ?? ''); at < whole.length; at += 1) {
      for (const { envelope } of eventsOf(await readText(whole.slice(0, at), agreed))) {
        const { member_id } = envelope;
        if (member_id !== undefined) expect([at, member_id]).toEqual([at, members.get(envelope.payload['claim_id'])]);
      }
    }
  });
});

describe('an agreed fault', () => {
  const miscounted = body
    .replace(/SE\*\d+\*/, 'SE*7*')
    .replace(/GE\*\d+\*/, 'GE*9*')
    .replace(/IEA\*\d+\*/, 'IEA*9*');

  it('is no fault of the acknowledgement, and strict reading does not reject for it', async () => {
    const strict = await readText(miscounted, { ...agreed, strict: true });
    expect(eventsOf(strict)).toHaveLength(3);
    expect(refusedOf(strict)).toEqual([]);
    const answer = acknowledge(await readText(miscounted, agreed));
    expect(answer).toContain('*A*000~');
    expect(answer).toContain('IK5*A~');
    expect(answer).toMatch(/AK9\*A\*/);
  });

  it('that is not agreed is reported and rejected as ever', async () => {
    const others: Partial<AdapterOptions> = {
      agreementOf: () => ({ feedId: 'fed_1', faults: new Set(['LX_MISSING']) }),
    };
    expect(acknowledge(await readText(miscounted, others))).toContain('IK5*E*4~');
    const strict = await readText(miscounted, { ...others, strict: true });
    expect(eventsOf(strict)).toEqual([]);
    expect(refusedOf(strict).map(({ code }) => code)).toContain('SEGMENT_COUNT_MISMATCH');
  });

  it('of another sender is not excused: each interchange has the agreement of its sender alone', async () => {
    const sender = /^ISA\*[^*]*\*[^*]*\*[^*]*\*[^*]*\*[^*]*\*([^*]*)\*/.exec(miscounted)?.[1] ?? '';
    const own = sender.trim();
    const other = miscounted.replaceAll(sender, 'OTHERSENDER'.padEnd(sender.length));
    const ofOwn: Partial<AdapterOptions> = {
      agreementOf: (system) => (system === own ? { feedId: 'fed_1', faults: new Set(AGREED_FAULTS) } : null),
    };
    const items = await readText(miscounted + other, { ...ofOwn, strict: true });
    expect(new Set(eventsOf(items).map(({ envelope }) => envelope.source_system))).toEqual(new Set([own]));
  });

  it('of a line without LX is a marked warning', async () => {
    const lines = body.replaceAll(/LX\*\d+~\n/g, '');
    const event = eventsOf(await readText(lines, agreed))[0];
    expect(event?.warnings[0]).toMatchObject({ code: 'LX_MISSING', agreedBy: 'fed_1' });
    expect(eventsOf(await readText(lines))[0]?.warnings[0]?.agreedBy).toBeUndefined();
  });
});
