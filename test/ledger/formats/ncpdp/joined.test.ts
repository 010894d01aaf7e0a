import { describe, expect, it } from '@jest/globals';
import { codesOf, eventsOf, readBody, requestHeader, responseHeader, segment } from './reading.js';

// A response seldom names its member: a request before it in the same body does.

const framed = (text: string): string => `\x02${text}\x03`;
const claimSegment = (id: string, number: string): string => segment(id, 'EM1', `D2${number}`, 'D300');

const asked = (member: string, number: string, about: Parameters<typeof requestHeader>[0] = {}): string =>
  framed(`${requestHeader(about)}${segment('AM04', `C2${member}`)}\x1d${claimSegment('AM07', number)}`);
const answered = (number: string, ...insurance: string[]): string => {
  const shared = insurance.length === 0 ? '' : segment('AM25', ...insurance);
  return framed(
    `${responseHeader()}${shared}\x1d${segment('AM21', 'ANP', 'F3A1')}${segment('AM22', 'EM1', `D2${number}`)}`,
  );
};
const membersOf = async (body: string) => eventsOf(await readBody(body)).map(({ envelope }) => envelope.member_id);

describe('a response after its request in one body', () => {
  it('takes the member of the request, without an exception', async () => {
    const items = await readBody(asked('SYN-1', 'RX1') + asked('SYN-2', 'RX2') + answered('RX2') + answered('RX1'));
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['SYN-1', 'SYN-2', 'SYN-2', 'SYN-1']);
    expect(codesOf(items)).not.toContain('MEMBER_MISSING');
    expect(items.some(({ kind }) => kind === 'exception')).toBe(false);
  });

  it('has no member for another pharmacy, day or number', async () => {
    expect(await membersOf(asked('SYN-1', 'RX1', { provider: '9999999999' }) + answered('RX1'))).toEqual([
      'SYN-1',
      undefined,
    ]);
    expect(await membersOf(asked('SYN-1', 'RX1', { date: '20260301' }) + answered('RX1'))).toEqual([
      'SYN-1',
      undefined,
    ]);
    expect(await membersOf(asked('SYN-1', 'RX1', { code: 'B3' }) + answered('RX1'))).toEqual(['SYN-1', undefined]);
    expect(await membersOf(asked('SYN-1', 'RX1') + answered('RX11'))).toEqual(['SYN-1', undefined]);
  });

  it('has no member if two members have its number', async () => {
    const body = asked('SYN-1', 'RX1') + asked('SYN-2', 'RX1') + answered('RX1');
    expect(await membersOf(body)).toEqual(['SYN-1', 'SYN-2', undefined]);
  });

  it('takes the member that it names itself', async () => {
    expect(await membersOf(asked('SYN-1', 'RX1') + answered('RX1', 'C2SYN-7'))).toEqual(['SYN-1', 'SYN-7']);
  });

  it('cut anywhere has its own member or none', async () => {
    const body = asked('SYN-1', 'RX12') + asked('SYN-2', 'RX1') + answered('RX12') + answered('RX1');
    const whole = await membersOf(body);
    for (let length = 60; length < body.length; length++) {
      for (const [at, member] of (await membersOf(body.slice(0, length))).entries()) {
        if (member !== undefined) expect([length, member]).toEqual([length, whole[at]]);
      }
    }
  });
});

describe('the numbers of a response', () => {
  it('503-F3 is the authorization, 993-A7 the number of the claim', async () => {
    const text = `${responseHeader()}\x1d${segment('AM21', 'ANP', 'F3AUTH-1', 'A7ICN-1')}${claimSegment('AM22', 'RX1')}`;
    const [event] = eventsOf(await readBody(framed(text)));
    expect(event?.envelope.payload).toMatchObject({ authorization_number: 'AUTH-1', payer_claim_id: 'ICN-1' });
    const [plain] = eventsOf(await readBody(answered('RX1')));
    expect(plain?.envelope.payload['authorization_number']).toBe('A1');
    expect(plain?.envelope.payload).not.toHaveProperty('payer_claim_id');
  });
});
