import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { eventsOf, fixture, readBody } from './reading.js';

// VXU: one event an RXA (docs/formats.md).

async function onlyEvent(administration: string): Promise<EventItem> {
  const header = 'MSH|^~\\&|SYNTH-IZ|NORTH|PLAN|PLAN|20260310||VXU^V04|SYN-V|P|2.5.1';
  const text = [header, 'PID|1||SYN-MEMBER-10^^^SYNTHPLAN^MB', administration].join('\r');
  const [event, ...more] = eventsOf(await readBody(Buffer.from(`${text}\r`, 'latin1')));
  if (event === undefined || more.length > 0) throw new Error('the message has not one event');
  return event;
}

/** An RXA of a code with RXA-18, RXA-20 and RXA-21. */
const administration = (code: string, refusal: string, completion: string, action: string): string =>
  `RXA|0|1|20260310103000||${code}^Vaccine^CVX|0.5|mL|||||||||||${refusal}||${completion}|${action}`;

describe('a message of several immunizations', () => {
  it('yields one event each: given, refused, deleted, not given', async () => {
    const events = eventsOf(await readBody(fixture('immunizations'))).map(({ envelope }) => envelope);
    expect(
      events.map(({ event_type, outcome, source_record_id, event_effective_timestamp }) =>
        [event_type, outcome, source_record_id, event_effective_timestamp].join(' '),
      ),
    ).toEqual([
      'immunization_given recorded SYN-0014/1 2026-03-10T10:30:00.000Z',
      'immunization_refused recorded SYN-0014/2 2026-03-10T10:35:00.000Z',
      'immunization_deleted cancelled SYN-0014/3 2025-03-10T00:00:00.000Z',
      'immunization_not_given recorded SYN-0014/4 2026-03-11T00:00:00.000Z',
    ]);
    for (const { event_family, member_id } of events) {
      expect([event_family, member_id]).toEqual(['clinical', 'SYN-MEMBER-10']);
    }
  });

  it('gives each the vaccine with CVX and NDC, lot, maker, place, route and its own observations', async () => {
    const [given, refused, deleted] = eventsOf(await readBody(fixture('immunizations')));
    expect(given?.envelope.payload).toMatchObject({
      procedure_codes: ['115'],
      service: 'Tdap',
      order: { control: 'RE', placer_number: 'IZ-1', filler_number: 'IZF-1' },
      immunizations: [
        {
          code: '115',
          system: 'CVX',
          codes: [
            { code: '115', system: 'CVX' },
            { code: '58160-0842-52', text: 'Tdap prefilled', system: 'NDC' },
          ],
          administered_at: '2026-03-10T10:30:00',
          amount: '0.5',
          unit: 'mL',
          source: '00',
          location: 'NORTH-CLINIC',
          lot_number: 'LOT-1',
          expires: '2027-12-31',
          manufacturer: 'Synthetic Biologicals',
          manufacturer_code: 'SKB',
          completion_status: 'CP',
          action: 'A',
          route: 'Intramuscular',
          site: 'Left arm',
        },
      ],
      results: [{ code: '64994-7', values: ['Medicaid'] }],
    });
    expect(refused?.envelope.payload).toMatchObject({
      order: { filler_number: 'IZF-2' },
      immunizations: [{ code: '140', refusal_reason: 'Parental decision', refusal_reason_code: '00' }],
    });
    expect(refused?.envelope.payload).not.toHaveProperty('results');
    expect(deleted?.envelope.payload['immunizations']).toMatchObject([{ source: '01', action: 'D' }]);
  });
});

describe('the event type of an immunization', () => {
  it.each([
    ['a complete dose', administration('115', '', 'CP', 'A'), 'immunization_given recorded'],
    ['a partial dose', administration('115', '', 'PA', ''), 'immunization_given recorded'],
    ['an updated record', administration('115', '', 'CP', 'U'), 'immunization_given recorded'],
    ['a refused dose', administration('115', '00^Refused', 'RE', 'A'), 'immunization_refused recorded'],
    ['a dose that was not given', administration('115', '', 'NA', 'A'), 'immunization_not_given recorded'],
    ['a deleted refusal', administration('115', '', 'RE', 'D'), 'immunization_deleted cancelled'],
    ['a dose without a status', administration('115', '', '', ''), 'immunization_given recorded'],
    ['a refusal reason without a status', administration('115', '00^Refused', '', ''), 'immunization_refused recorded'],
    ['no vaccine without a status', administration('998', '', '', ''), 'immunization_not_given recorded'],
  ])('of %s follows RXA-20 and RXA-21', async (_, segment, wanted) => {
    const { envelope, warnings } = await onlyEvent(segment);
    expect(`${envelope.event_type} ${envelope.outcome}`).toBe(wanted);
    expect(warnings).toEqual([]);
  });

  it('is never guessed from an unknown RXA-20', async () => {
    const { envelope, warnings } = await onlyEvent(administration('115', '', 'ZZ', ''));
    expect(envelope).toMatchObject({ event_type: 'immunization_reported', outcome: 'unknown' });
    expect(warnings).toMatchObject([{ code: 'STATUS_UNKNOWN', segment: 'RXA', element: 20 }]);
  });
});
