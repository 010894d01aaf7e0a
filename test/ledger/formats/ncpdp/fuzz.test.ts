import { describe, expect, it } from '@jest/globals';
import { NcpdpAcknowledger } from '../../../../subgraphs/ledger/formats/ncpdp/acknowledge.js';
import { seeded } from '../../../support/random.js';
import { eventsOf, fixture, readBody, requestHeader, segment } from './reading.js';

const rounds = Number(process.env['NCPDP_FUZZ_ROUNDS'] ?? 400);
const names = [
  'several-claims.ncpdp',
  'several-statuses.ncpdp',
  'prior-authorization.ncpdp',
  'prior-authorization-answer.ncpdp',
  'eligibility.ncpdp',
  'batch.ncpdp',
  'f6.ncpdp',
  'prior-authorization-answer.xml',
  'refill-response-10-6.xml',
  'two-answers.xml',
];
const bodies = names.map(fixture);
const odd = [
  '\x1c',
  '\x1d',
  '\x1e',
  '\x02',
  '\x03',
  '\0',
  'AM04',
  'D0',
  '610066D0B1',
  'F6',
  '61006699F6B1',
  '<',
  '>',
  '"',
  '&',
  '&#x0;',
];
const pieces = [
  ...odd,
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<!DOCTYPE',
  '<?xml ',
  '</Message>',
  '<Message>',
  '\xff',
  '{',
  '}',
];

/** Damage as lines and tools do it: bytes changed, lost, doubled, turned round; pieces of markup where none should be. */
function damage(body: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * body.length);
  const length = 1 + Math.floor(random() * 40);
  const [before, taken, after] = [body.subarray(0, at), body.subarray(at, at + length), body.subarray(at + length)];
  switch (Math.floor(random() * 7)) {
    case 0:
      return Buffer.concat([before, Buffer.from([Math.floor(random() * 256)]), body.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, taken, taken, after]);
    case 3:
      return Buffer.concat([before, Buffer.from(taken).reverse(), after]);
    case 4:
      return Buffer.concat([body, bodies[Math.floor(random() * bodies.length)] ?? body]);
    case 5:
      return body.subarray(0, at);
    default:
      return Buffer.concat([before, Buffer.from(pieces[Math.floor(random() * pieces.length)] ?? '', 'latin1'), after]);
  }
}

describe('damaged bodies', () => {
  it(
    `${rounds} seeded rounds: nothing is thrown, every event is well formed, every body can be acknowledged`,
    async () => {
      const random = seeded(20_260_304);
      for (let round = 0; round < rounds; round += 1) {
        let body: Buffer = bodies[Math.floor(random() * bodies.length)] ?? Buffer.alloc(0);
        for (let times = Math.floor(random() * 3); times >= 0; times -= 1) body = damage(body, random);
        const items = await readBody(body, { strict: random() < 0.2 });
        for (const { envelope, part } of eventsOf(items)) {
          expect(envelope.event_effective_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          expect(part.length).toBeGreaterThan(0);
          expect(part.offset + part.length).toBeLessThanOrEqual(body.length);
          expect(JSON.parse(JSON.stringify(envelope))).toEqual(envelope);
          // Half a surrogate pair shows in JSON as an escape.
          expect(JSON.stringify(envelope)).not.toMatch(/(?<!\\)\\ud[89a-f]/);
        }
        const acknowledger = new NcpdpAcknowledger();
        for (const item of items) acknowledger.take(item, item.kind === 'event' ? { status: 'ACCEPTED' } : undefined);
        const answer = acknowledger.finish({ nowIso: '2026-04-01T12:00:00.000Z', controlNumber: '1' });
        expect(answer?.text ?? 'D0').toMatch(/D0|F6|<\/Message>\n$/);
      }
    },
    30 * 60_000,
  );

  it(
    `${rounds} seeded rounds: a header that is broken or lost never gives a claim to another member`,
    async () => {
      const random = seeded(78);
      for (let round = 0; round < rounds; round += 1) {
        const framed = random() < 0.5;
        const wide = random() < 0.5;
        const transmissions = Array.from({ length: 6 }, (_, at) => transmission(at + 1, framed, wide));
        const headerBytes = wide ? 58 : 56;
        const from = Math.floor(random() * 6);
        const whole = transmissions[from] ?? '';
        const cut = Math.floor(random() * headerBytes);
        // Its header lost, a byte of it changed, its end lost.
        const instead = [
          whole.slice(headerBytes + (framed ? 1 : 0)),
          `${whole.slice(0, cut)}?${whole.slice(cut + 1)}`,
          whole.slice(0, whole.length - 1 - Math.floor(random() * 60)),
        ];
        const broken = transmissions.toSpliced(from, 1, instead[Math.floor(random() * 3)] ?? '').join('');
        for (const { envelope } of eventsOf(await readBody(broken))) {
          const number = /^RX-(\d)$/.exec(String(envelope.payload['claim_id']))?.[1];
          if (number === undefined || envelope.member_id === undefined) continue;
          if (envelope.member_id === `SYN-MEMBER-${number}`) continue;
          throw new Error(`round ${round}: RX-${number} was given to ${envelope.member_id}`);
        }
      }
    },
    30 * 60_000,
  );
});

/** A transmission of version D.0, or F6 with an issuer of eight digits. */
function transmission(number: number, framed: boolean, wide: boolean): string {
  const header = wide ? `61006699F6${requestHeader().slice(8)}` : requestHeader();
  const claim = segment('AM07', 'EM1', `D2RX-${number}`, 'E103', 'D700093505601', 'D300');
  const text = `${header}${segment('AM04', `C2SYN-MEMBER-${number}`, 'C301')}\x1d${claim}`;
  return framed ? `\x02${text}\x03` : text;
}
