import { describe, expect, it } from '@jest/globals';
import { eventsOf, fixture, readBody, refusedOf } from './reading.js';

// A body that ends too early, at every byte of the messages with several events and of the notices.

const NAMES = ['results', 'immunizations', 'two-patients', 'charges', 'orders', 'document', 'appointment'];

describe.each(NAMES)('a message cut at every byte: %s', (name) => {
  const body = fixture(name);

  it('names no member but those of the whole message, and loses no part silently', async () => {
    const whole = eventsOf(await readBody(body));
    const members = [undefined, ...new Set(whole.map(({ envelope }) => envelope.member_id))];
    for (let length = 0; length < body.length; length += 1) {
      const items = await readBody(body.subarray(0, length));
      for (const { envelope, part } of eventsOf(items)) {
        expect([length, members]).toEqual([length, expect.arrayContaining([envelope.member_id])]);
        expect(part.offset + part.length).toBeLessThanOrEqual(length);
      }
      if (length > 0) expect([length, eventsOf(items).length + refusedOf(items).length > 0]).toEqual([length, true]);
    }
  });

  it('in a frame grades every event CUT, and names no member', async () => {
    for (let length = 4; length < body.length; length += 1) {
      const framed = Buffer.concat([Buffer.from('\u000b'), body.subarray(0, length)]);
      for (const { envelope } of eventsOf(await readBody(framed))) {
        expect(envelope.payload['raw']).toMatchObject({ wholeness: { grade: 'CUT' } });
        expect([length, envelope.member_id]).toEqual([length, undefined]);
      }
    }
  });
});
