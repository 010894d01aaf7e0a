import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { codesOf, eventsOf, fixture, readBody } from './reading.js';

// ORU: one event an OBR group (docs/formats.md).

const PERSON = 'PID|1||SYN-MEMBER-1^^^SYNTHPLAN^MB||ALDERBROOK^TESSA';

function body(trigger: string, ...segments: readonly string[]): Buffer {
  const header = `MSH|^~\\&|SYNTH-LAB|LAB|PLAN|PLAN|20260302080000||ORU^${trigger}|SYN-R|P|2.5.1`;
  return Buffer.from(`${[header, PERSON, ...segments].join('\r')}\r`, 'latin1');
}

const order = (status: string, at = '20260302070000'): string =>
  `OBR|1|ORD-1|FIL-1|4548-4^Hemoglobin A1c^LN|||${at}|||||||||||||||20260302075500|||${status}`;
const observation = (status: string, at = ''): string =>
  `OBX|1|NM|4548-4^Hemoglobin A1c^LN||7.5|%|4.0-5.6|H|||${status}|||${at}`;

async function onlyEvent(message: Buffer): Promise<EventItem> {
  const [event, ...more] = eventsOf(await readBody(message));
  if (event === undefined || more.length > 0) throw new Error('the message has not one event');
  return event;
}

describe('a message of several result groups', () => {
  it('yields one event a group, each with its own type, time, order, observations and bytes', async () => {
    const bytes = fixture('results');
    const events = eventsOf(await readBody(bytes));
    expect(
      events.map(({ envelope }) => [
        envelope.event_type,
        envelope.source_record_id,
        envelope.event_effective_timestamp,
      ]),
    ).toEqual([
      ['result_reported', 'SYN-0013/1', '2026-03-02T13:00:00.000Z'],
      ['result_preliminary', 'SYN-0013/2', '2026-03-02T12:15:00.000Z'],
      ['result_corrected', 'SYN-0013/3', '2026-03-02T13:30:00.000Z'],
    ]);
    for (const { envelope } of events) {
      expect(envelope).toMatchObject({ event_family: 'clinical', outcome: 'recorded', member_id: 'SYN-MEMBER-1' });
    }
    expect(events.map(({ envelope }) => envelope.payload['procedure_codes'])).toEqual([
      ['57021-8'],
      ['600-7'],
      ['2345-7'],
    ]);
    expect(events[0]?.envelope.payload).toMatchObject({
      order: { control: 'RE', placer_number: 'ORD-1', filler_number: 'FIL-1' },
      groups: [{ placer_number: 'ORD-1', status: 'F', status_text: 'final' }],
      results: [
        { text: 'Body weight', values: ['70'] },
        {
          group: 1,
          code: '718-7',
          system: 'LN',
          values: ['13.2'],
          unit: 'g/dL',
          reference_range: '12-16',
          flags: ['N'],
          status: 'F',
        },
        { code: '6690-2', flags: ['H', 'A'] },
      ],
      rationale: 'Sample was haemolysed',
    });
    const text = events.map(({ part }) => bytes.subarray(part.offset, part.offset + part.length).toString('latin1'));
    expect(text.map((own) => own.slice(0, 5))).toEqual(['ORC|R', 'OBR|2', 'ORC|R']);
    expect(text.map((own) => own.match(/\rOBX/g)?.length)).toEqual([2, 1, 1]);
  });

  it('opens one exception a group where the patient has no member number', async () => {
    const text = fixture('results').toString('latin1').replace('SYN-MEMBER-1^^^SYNTHPLAN^MB', '');
    const items = await readBody(Buffer.from(text, 'latin1'));
    expect(codesOf(items)).toEqual(['MEMBER_MISSING', 'MEMBER_MISSING', 'MEMBER_MISSING']);
  });
});

describe('the event type of a result', () => {
  it.each([
    ['F', 'result_reported'],
    ['P', 'result_preliminary'],
    ['A', 'result_preliminary'],
    ['R', 'result_preliminary'],
    ['C', 'result_corrected'],
    ['M', 'result_corrected'],
    ['I', 'result_pending'],
    ['N', 'result_pending'],
    ['O', 'result_pending'],
    ['S', 'result_pending'],
    ['X', 'result_cancelled'],
  ])('follows OBR-25: %s is %s', async (status, type) => {
    const { envelope } = await onlyEvent(body('R01', order(status), observation('F')));
    expect([envelope.event_type, envelope.outcome]).toEqual([type, 'recorded']);
  });

  it.each([
    [['F', 'F'], 'result_reported'],
    [['F', 'P'], 'result_preliminary'],
    [['P', 'C'], 'result_corrected'],
    [['F', 'W'], 'result_corrected'],
    [['I', 'F'], 'result_pending'],
    [['X', 'X'], 'result_cancelled'],
    [['X', 'F'], 'result_reported'],
    [['O'], 'result_reported'],
    [[''], 'result_reported'],
  ])('follows OBX-11 where OBR-25 is empty: %j is %s', async (statuses, type) => {
    const message = body('R01', order(''), ...statuses.map((status) => observation(status)));
    expect((await onlyEvent(message)).envelope.event_type).toBe(type);
  });

  it('is never guessed from an unknown OBR-25', async () => {
    const event = await onlyEvent(body('R01', order('Q'), observation('P')));
    expect(event.envelope).toMatchObject({ event_type: 'result_reported', outcome: 'unknown' });
    expect(event.warnings).toMatchObject([{ code: 'STATUS_UNKNOWN', segment: 'OBR', element: 25 }]);
  });

  it.each(['R01', 'R03', 'R30', 'R31', 'R32', 'R40', 'W01'])('is the same for ORU^%s', async (trigger) => {
    const { envelope } = await onlyEvent(body(trigger, order('P'), observation('P')));
    expect(envelope).toMatchObject({ event_type: 'result_preliminary', payload: { trigger_event: trigger } });
  });
});

describe('the time of a result', () => {
  it.each([
    ['OBR-7', order('F'), observation('F', '20260302071000'), '2026-03-02T07:00:00.000Z'],
    ['OBX-14', order('F', ''), observation('F', '20260302071000'), '2026-03-02T07:10:00.000Z'],
    ['OBR-22', order('F', ''), observation('F'), '2026-03-02T07:55:00.000Z'],
  ])('is %s', async (field, group, observed, time) => {
    const { envelope } = await onlyEvent(body('R01', group, observed));
    expect(envelope.event_effective_timestamp).toBe(time);
    expect(envelope.payload['timestamp_basis']).toBe(`${field} read as UTC`);
  });

  it('is the first OBX-14 that is valued', async () => {
    const message = body('R01', order('F', ''), observation('F'), observation('F', '20260302072000'));
    expect((await onlyEvent(message)).envelope.event_effective_timestamp).toBe('2026-03-02T07:20:00.000Z');
  });
});
