import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { eventsOf, readBody } from './reading.js';

// DFT: one event an FT1 (docs/formats.md).

async function eventsIn(...charges: readonly string[]): Promise<EventItem[]> {
  const header = 'MSH|^~\\&|SYNTH-BILL|NORTH|PLAN|PLAN|20260305||DFT^P03|SYN-C|P|2.6';
  const segments = [header, 'EVN|P03|20260305', 'PID|1||SYN-MEMBER-5^^^SYNTHPLAN^MB', ...charges];
  return eventsOf(await readBody(Buffer.from(`${segments.join('\r')}\r`, 'latin1')));
}

/** An FT1 with FT1-11, FT1-12, FT1-15 and FT1-22. */
const charge = (extended: string, unit: string, insurance = '', cost = ''): string =>
  `FT1|1|TX-1||20260301|20260302|CG|CHG-1^Office visit|||2|${extended}|${unit}|CARD||${insurance}|11|||I10^^I10|||${cost}|||99213^Visit^C4|25~59|||00093-7202-10`;

describe('a charge message', () => {
  it('yields one event an FT1 with its own procedures, and the diagnoses of the account', async () => {
    const events = await eventsIn(
      charge('100.5&USD', '50.25&USD'),
      'PR1|1||71045^Chest X-ray^C4||20260301',
      charge('-20', ''),
      'DG1|1||E119^Diabetes^I10',
    );
    expect(events.map(({ envelope }) => [envelope.event_type, envelope.source_record_id])).toEqual([
      ['charge_posted', 'SYN-C/1'],
      ['charge_posted', 'SYN-C/2'],
    ]);
    expect(events.map(({ envelope }) => envelope.payload['procedure_codes'])).toEqual([['99213', '71045'], ['99213']]);
    for (const { envelope } of events) {
      expect(envelope.payload['diagnosis_codes']).toEqual(expect.arrayContaining(['I10', 'E11.9']));
    }
    expect(events.map(({ envelope }) => envelope.payload['amounts'])).toEqual([
      { charge: '100.50', unit_price: '50.25', currency: 'USD' },
      { charge: '-20.00' },
    ]);
  });

  it('has its line with code, modifiers, department, drug and day of posting', async () => {
    const [event] = await eventsIn(charge('100', '50'));
    expect(event?.envelope.payload).toMatchObject({
      transaction_id: 'TX-1',
      transaction_type: 'CG',
      lines: [
        {
          charge_code: 'CHG-1',
          procedure_code: '99213',
          modifiers: ['25', '59'],
          quantity: '2',
          department: 'CARD',
          posted_at: '2026-03-02',
          ndc: '00093-7202-10',
        },
      ],
    });
  });

  it('has all amounts as decimal strings, and warns of one that is none', async () => {
    const [event] = await eventsIn(charge('100&USD', '50&USD', '80&USD', 'about 12'));
    expect(event?.envelope.payload['amounts']).toEqual({
      charge: '100.00',
      unit_price: '50.00',
      insurance: '80.00',
      currency: 'USD',
    });
    expect(event?.warnings).toMatchObject([{ code: 'AMOUNT_UNREADABLE', segment: 'FT1', element: 22 }]);
  });
});
