import { describe, expect, it } from '@jest/globals';
import type { ItemOutcome } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { Hl7Acknowledger } from '../../../../subgraphs/ledger/formats/hl7v2/acknowledge.js';
import { fixture, readBody } from './reading.js';

const about = { nowIso: '2026-04-01T12:30:45.678Z', controlNumber: '77' };
const accepted: ItemOutcome = { status: 'ACCEPTED' };

/** The acknowledgement of a body as segments, each split into its fields; null when none is sent. */
async function answerTo(
  body: Buffer | string,
  outcomeOf: (index: number) => ItemOutcome = () => accepted,
  options = {},
): Promise<string[][] | null> {
  const acknowledger = new Hl7Acknowledger();
  for (const item of await readBody(typeof body === 'string' ? Buffer.from(body, 'latin1') : body, options)) {
    acknowledger.take(item, item.kind === 'event' ? outcomeOf(item.index) : undefined);
  }
  const answer = acknowledger.finish(about);
  if (answer === null) return null;
  expect(answer).toMatchObject({ format: 'hl7v2', mediaType: 'application/hl7-v2' });
  expect(answer.text.endsWith('\r')).toBe(true);
  return answer.text
    .slice(0, -1)
    .split('\r')
    .map((segment) => segment.split('|'));
}

const codesIn = (answer: string[][] | null): (string | undefined)[] =>
  (answer ?? []).filter(([id]) => id === 'MSA').map(([, code]) => code);

const message = (msh: string, member = 'M-1'): string =>
  `${msh}\rEVN|A08|20260301\rPID|1||${member}^^^PLAN^MB||NAME^GIVEN\r`;
const plain = 'MSH|^~\\&|SYNTH|NORTH^2.999^ISO|PLAN|DESK|20260301||ADT^A08^ADT_A01|C-1|P|2.5';

describe('an accepted message', () => {
  it('is answered AA with swapped addresses and its control id', async () => {
    expect(await answerTo(message(plain))).toEqual([
      [
        'MSH',
        '^~\\&',
        'PLAN',
        'DESK',
        'SYNTH',
        'NORTH^2.999^ISO',
        '20260401123045+0000',
        '',
        'ACK^A08^ACK',
        '77',
        'P',
        '2.5',
      ],
      ['MSA', 'AA', 'C-1'],
    ]);
  });

  it('is answered AA as a duplicate when repeated', async () => {
    const answer = await answerTo(message(plain), () => ({ status: 'DUPLICATE' }));
    expect(codesIn(answer)).toEqual(['AA']);
    expect(answer?.[2]).toEqual([
      'ERR',
      '',
      'MSH^1^10',
      '205^Duplicate key identifier^HL70357',
      'I',
      'DUPLICATE^^L',
      '',
      '',
      'the event was stored before',
    ]);
  });

  it('is answered in the separators and version of the sender', async () => {
    const acknowledger = new Hl7Acknowledger();
    for (const item of await readBody(fixture('separators'))) acknowledger.take(item, accepted);
    expect(acknowledger.finish(about)?.text).toBe(
      'MSH$%*!/$PLAN$PLAN$SYNTH-ADT$NORTH$20260401123045+0000$$ACK%A40%ACK$77$P$2.4\rMSA$AA$SYN-0006\r',
    );
  });
});

describe('a rejected message', () => {
  it('is answered AE with the place, a code of table 0357 and text for faults in its content', async () => {
    const answer = await answerTo(message(plain), () => ({
      status: 'REJECTED',
      code: 'VALIDATION_ERROR',
      message: 'A field is wrong.',
    }));
    expect(answer?.slice(1)).toEqual([
      ['MSA', 'AE', 'C-1', 'A field is wrong.'],
      ['ERR', '', 'MSH^1', '102^Data type error^HL70357', 'E', 'VALIDATION_ERROR^^L', '', '', 'A field is wrong.'],
    ]);
  });

  it('is answered AR for its type, version or processing id', async () => {
    expect((await answerTo(fixture('acknowledgement')))?.slice(1)).toEqual([
      ['MSA', 'AR', 'SYN-0014', 'message ACK\\S\\A01 yields no event'],
      [
        'ERR',
        '',
        'MSH^1^9',
        '200^Unsupported message type^HL70357',
        'E',
        'UNSUPPORTED_TRANSACTION^^L',
        '',
        '',
        'message ACK\\S\\A01 yields no event',
      ],
    ]);
    const strict = { strict: true };
    const conditions = async (msh: string): Promise<unknown> =>
      (await answerTo(message(msh), undefined, strict))?.[2]?.[3];
    expect(await conditions(plain.replace('2.5', '3.0'))).toBe('203^Unsupported version id^HL70357');
    expect(await conditions(plain.replace('|P|', '|X|'))).toBe('202^Unsupported processing id^HL70357');
    expect(await conditions(plain.replace('C-1', ''))).toBe('101^Required field missing^HL70357');
    const missing = await answerTo(`${plain}\rPID|1||M-1^^^PLAN^MB\r`, undefined, strict);
    expect(missing?.[1]?.[1]).toBe('AE');
    expect(missing?.[2]?.[3]).toBe('100^Segment sequence error^HL70357');
  });

  it('has all faults in ERR-1 and no warnings before version 2.5', async () => {
    const old = plain.replace('|2.5', '|2.3');
    const answer = await answerTo(message(old).replace('PID|1', '?ID|1'));
    expect(answer?.slice(1)).toEqual([
      ['MSA', 'AE', 'C-1', 'a line of the message does not begin with a segment id'],
      ['ERR', 'MSH^3^^100&Segment sequence error&HL70357'],
    ]);
    expect(answer?.[0]?.[8]).toBe('ACK^A08');
    expect(await answerTo(message(old).trimEnd())).toHaveLength(2);
  });

  it('is answered AR without an address if it has no header', async () => {
    const answer = await answerTo('PID|1||M-1\r');
    expect(answer?.[1]).toEqual(['MSA', 'AR', '', 'segments outside any message: no MSH precedes them']);
  });
});

describe('a message with a warning', () => {
  it('is answered AA with the warning', async () => {
    const answer = await answerTo(message(plain).trimEnd());
    expect(codesIn(answer)).toEqual(['AA']);
    expect(answer?.[2]?.slice(3, 6)).toEqual(['100^Segment sequence error^HL70357', 'W', 'SEGMENT_UNTERMINATED^^L']);
  });
});

describe('enhanced mode', () => {
  const wants = (accept: string, application: string): string => message(`${plain}|||${accept}|${application}`);
  const refused: ItemOutcome = { status: 'REJECTED', code: 'VALIDATION_ERROR', message: 'A field is wrong.' };

  it.each([
    ['AL', 'NE', ['CA'], ['CE']],
    ['NE', 'AL', ['AA'], ['AE']],
    ['AL', 'AL', ['CA', 'AA'], ['CE', 'AE']],
    ['ER', 'SU', ['AA'], ['CE']],
    ['SU', 'ER', ['CA'], ['AE']],
    ['AL', '', ['CA'], ['CE']],
    ['NE', 'NE', [], []],
  ])('MSH-15 %s and MSH-16 %s', async (accept, application, taken, failed) => {
    expect(codesIn(await answerTo(wants(accept, application)))).toEqual(taken);
    expect(codesIn(await answerTo(wants(accept, application), () => refused))).toEqual(failed);
  });
});

describe('a batch', () => {
  it('is answered by a batch with one answer per message', async () => {
    const answer = await answerTo(fixture('batch-wrong-count'));
    expect(answer?.[0]).toEqual([
      'BHS',
      '^~\\&',
      'PLAN',
      'PLAN',
      'SYNTH-ADT',
      'NORTH',
      '20260401123045+0000',
      '',
      '',
      '',
      '77',
      'B-1',
    ]);
    const messages = (answer ?? []).filter(([id]) => id === 'MSA').map(([, code, id]) => [code, id]);
    expect(messages).toEqual([
      ['AA', 'SYN-0003'],
      ['AE', 'SYN-0004'],
      ['AA', 'SYN-0005'],
    ]);
    expect(answer?.at(-1)).toEqual(['BTS', '3']);
    const ids = (answer ?? []).filter(([id]) => id === 'MSH').map((segment) => segment[9]);
    expect(ids).toEqual(['77-1', '77-2', '77-3']);
  });

  it('answers AA to the neighbour of a message without a header, which gets a separate answer', async () => {
    const lost = `${message(plain)}EVN|A08|20260301\rPID|1||M-2\r${message(plain.replace('C-1', 'C-3'), 'M-3')}`;
    expect(codesIn(await answerTo(lost))).toEqual(['AA', 'AA', 'AR']);
  });

  it('states how many answers are left out above the limit, in bounded memory', async () => {
    const many = `BHS|^~\\&|SYNTH|NORTH|PLAN|PLAN|20260301||||B-9\r${message(plain).repeat(1_200)}BTS|1200\r`;
    const answer = await answerTo(many);
    expect(codesIn(answer)).toHaveLength(1_000);
    expect(answer?.at(-1)).toEqual(['BTS', '1000', '200 further answers are left out']);
  });
});
