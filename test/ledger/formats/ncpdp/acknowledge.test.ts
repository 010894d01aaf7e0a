import { describe, expect, it } from '@jest/globals';
import { XMLValidator } from 'fast-xml-parser';
import type { ItemOutcome } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { NcpdpAcknowledger } from '../../../../subgraphs/ledger/formats/ncpdp/acknowledge.js';
import { eventsOf, fixture, readBody, requestHeader, responseHeader, segment } from './reading.js';

const about = { nowIso: '2026-04-01T12:30:45.678Z', controlNumber: '77' };
const accepted: ItemOutcome = { status: 'ACCEPTED' };

/** The text of the answer to a body; null when none is sent. */
async function answerTo(
  body: Buffer | string,
  outcomeOf: (index: number) => ItemOutcome = () => accepted,
  options = {},
): Promise<{ mediaType: string; text: string } | null> {
  const acknowledger = new NcpdpAcknowledger();
  for (const item of await readBody(body, options)) {
    acknowledger.take(item, item.kind === 'event' ? outcomeOf(item.index) : undefined);
  }
  return acknowledger.finish(about);
}

const claim = (number: string): string => `\x1d${segment('AM07', 'EM1', `D2${number}`, 'E103', 'D700093505601')}`;
const request = (code = 'B1', more = ''): string =>
  requestHeader({ code }) + segment('AM04', 'C2M-1', 'C301') + claim('RX-1') + more;
/** The header that every answer to `request` begins with. */
const head = (code: string, count: number, status: string): string =>
  `D0${code}${count}${status}01${'1234567893'.padEnd(15)}20260302`;

describe('a D.0 request', () => {
  it('is answered captured when accepted', async () => {
    expect(await answerTo(request())).toEqual({
      format: 'ncpdp',
      mediaType: 'application/x-ncpdp',
      text: `${head('B1', 1, 'A')}\x1d\x1e\x1cAM21\x1cANC\x1e\x1cAM22\x1cEM1\x1cD2RX-1`,
    });
  });

  it('is answered duplicate of captured when repeated', async () => {
    const answer = await answerTo(request(), () => ({ status: 'DUPLICATE' }));
    expect(answer?.text).toContain('\x1cAM21\x1cANQ\x1e');
  });

  it('is answered per claim', async () => {
    const answer = await answerTo(fixture('several-claims.ncpdp'), (index) =>
      index === 0
        ? accepted
        : { status: 'REJECTED', code: 'VALIDATION_ERROR', message: 'A field is not as it must be.' },
    );
    expect(answer?.text).toBe(
      `${head('B1', 2, 'A')}\x1d\x1e\x1cAM21\x1cANC\x1e\x1cAM22\x1cEM1\x1cD2RX-1` +
        '\x1d\x1e\x1cAM21\x1cANR\x1cFA1\x1cFB85\x1cUF2\x1cUH01\x1cFQclaim not processed: A field is not as i\x1cUG+' +
        '\x1cUH02\x1cFQt must be.\x1e\x1cAM22\x1cEM1\x1cD2RX-2',
    );
  });

  it('is rejected with a reject code if unreadable', async () => {
    const cases: [string, string, string][] = [
      [request('N1'), 'N1', '03'],
      [request().replace('D0B1', '51B1'), 'B1', '02'],
      [`${requestHeader()}${segment('AM04', 'C2M-1')}`, 'B1', '85'],
      [`${requestHeader()}${segment('AM04', 'C2M-1')}\x1d${segment('AM07', 'D2RX')}`, 'B1', '16'],
    ];
    for (const [body, code, reject] of cases) {
      const answer = await answerTo(body);
      expect(answer?.text.startsWith(`${head(code, 1, 'R')}\x1d\x1e\x1cAM21\x1cANR\x1cFA1\x1cFB${reject}\x1cUF`)).toBe(
        true,
      );
    }
  });

  it('is rejected without an address if its header is unreadable', async () => {
    const answer = await answerTo('no bytes of ours');
    expect(answer?.text).toMatch(/^D0 {2}1R {17}20260401/);
    expect(answer?.text).toContain('\x1cANR\x1cFA1\x1cFB85');
  });

  it('gets an answer that this reader reads as a response', async () => {
    for (const body of [request(), fixture('several-claims.ncpdp'), request('P4'), request('E1')]) {
      const asked = eventsOf(await readBody(body)).map(({ envelope }) => envelope.payload['claim_id']);
      const read = eventsOf(await readBody(Buffer.from((await answerTo(body))?.text ?? '', 'latin1')));
      expect(read.map(({ envelope }) => [envelope.outcome, envelope.payload['claim_id']])).toEqual(
        asked.map((id) => ['accepted', id]),
      );
    }
  });

  it('in a batch is answered in a batch with swapped addresses', async () => {
    const answer = await answerTo(fixture('batch.ncpdp'));
    const records = (answer?.text ?? '').split('\r\n').map((record) => record.slice(1, -1));
    expect(records).toHaveLength(5);
    expect(records[0]).toBe(`00R${'SYNPLAN'.padEnd(24)}0000042202604011230P12${'SYNSENDER'.padEnd(24)}`);
    expect(records[1]?.startsWith(`G10000000001${head('B1', 1, 'A')}`)).toBe(true);
    expect(records[3]?.startsWith(`G10000000003${head('N1', 1, 'R')}`)).toBe(true);
    expect(records[4]).toBe(`9900000420000000005${' '.repeat(35)}`);
    const read = await readBody(Buffer.from(answer?.text ?? '', 'latin1'));
    expect(read.at(-1)).toMatchObject({ level: 'group', count: 3, complete: true, warnings: [] });
  });

  it('keeps at most a thousand answers', async () => {
    const body = `${fixture('batch.ncpdp').toString('latin1').split('\x02G1')[0]}${`\x02G10000000001${request()}\x03`.repeat(1_200)}`;
    const answer = await answerTo(body);
    expect(answer?.text.split('\r\n')).toHaveLength(1_002);
    expect(answer?.text).toContain('200 further answers are left out');
  });
});

describe('an answer', () => {
  it('gets no answer', async () => {
    expect(await answerTo(`${responseHeader()}\x1d${segment('AM21', 'ANP')}`)).toBeNull();
    const status = (body: string): string =>
      `<Message><Header><MessageID>1</MessageID></Header><Body>${body}</Body></Message>`;
    expect(await answerTo(status('<Status><Code>010</Code></Status>'))).toBeNull();
    expect(await answerTo(status('<Error><Code>900</Code></Error>'))).toBeNull();
    expect(await answerTo(status('<Status/><Error/>'))).toBeNull();
  });
});

describe('a SCRIPT message', () => {
  const message = (body: string): string =>
    '<Message xmlns="http://www.ncpdp.org/schema/SCRIPT" version="2023011"><Header><To Qualifier="P">SYN &amp; CO</To>' +
    `<From Qualifier="C">SYN-FROM</From><MessageID>A&lt;1</MessageID></Header><Body>${body}</Body></Message>`;
  const start =
    '<?xml version="1.0" encoding="UTF-8"?>\n<Message xmlns="http://www.ncpdp.org/schema/SCRIPT" version="2023011"><Header>' +
    '<To Qualifier="C">SYN-FROM</To><From Qualifier="P">SYN &amp; CO</From><MessageID>77</MessageID>' +
    '<RelatesToMessageID>A&lt;1</RelatesToMessageID><SentTime>2026-04-01T12:30:45Z</SentTime></Header><Body>';

  it('is answered Status 010 when accepted or repeated', async () => {
    for (const status of ['ACCEPTED', 'DUPLICATE'] as const) {
      const answer = await answerTo(message('<NewRx/>'), () => ({ status }));
      expect(answer).toMatchObject({ mediaType: 'application/xml' });
      expect(answer?.text).toBe(`${start}<Status><Code>010</Code></Status></Body></Message>\n`);
    }
  });

  it('is answered Error 900 with the reason when rejected', async () => {
    const unknown = await answerTo(message('<Census/>'));
    expect(unknown?.text).toBe(
      `${start}<Error><Code>900</Code><Description>UNSUPPORTED_TRANSACTION: a transaction of this name yields no event</Description></Error></Body></Message>\n`,
    );
    const refused = await answerTo(message('<NewRx/>'), () => ({
      status: 'REJECTED',
      code: 'X',
      message: 'a < b \ud800',
    }));
    expect(refused?.text).toContain('<Description>X: a &lt; b </Description>');
  });

  it('is answered Error without an address if unreadable', async () => {
    const bodies = ['<Message><Header>', '<!DOCTYPE x><Message/>', message('<NewRx></NewRy>')];
    for (const body of bodies) {
      const answer = await answerTo(body);
      expect(XMLValidator.validate(answer?.text ?? '')).toBe(true);
      expect(answer?.text).toContain('<Error><Code>900</Code>');
    }
  });

  it('gets an answer that this reader relates to it', async () => {
    const answer = await answerTo(message('<NewRx/>'));
    expect(eventsOf(await readBody(Buffer.from(answer?.text ?? '')))[0]?.envelope).toMatchObject({
      event_type: 'status',
      outcome: 'accepted',
      payload: { relates_to: 'A<1', status_code: '010' },
    });
  });

  it('is answered per message of a body, by its id', async () => {
    const answer = await answerTo(message('<NewRx/>') + message('<CancelRx/>'));
    expect(answer?.text.match(/<MessageID>[^<]*/g)).toEqual(['<MessageID>77-1', '<MessageID>77-2']);
  });
});

describe('the reject code of a rejected claim', () => {
  it.each([
    ['VERSION_UNKNOWN', '02', 'version missing or wrong'],
    ['UNSUPPORTED_TRANSACTION', '03', 'transaction code missing or wrong'],
    ['PROVIDER_MISSING', '05', 'pharmacy id missing or wrong'],
    ['DATE_MISSING', '15', 'date of service missing or wrong'],
    ['TRANSACTION_CUT', '16', 'prescription number missing or wrong'],
    ['UNAVAILABLE', '92', 'system or host unavailable'],
    ['anything else', '85', 'claim not processed'],
  ])('for %s is %s with its meaning', async (code, reject, meaning) => {
    const answer = await answerTo(request(), () => ({ status: 'REJECTED', code }));
    expect(answer?.text).toContain(`\x1cFB${reject}\x1cUF1\x1cUH01\x1cFQ${meaning}`);
  });
});
