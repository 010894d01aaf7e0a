import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { eventsOf, readBody, refusedOf } from './reading.js';

// SIU: one event a message, its type by the trigger (docs/formats.md).

const PERSON = 'PID|1||SYN-MEMBER-9^^^SYNTHPLAN^MB||IVERSEN^KIT';
const SCHEDULE =
  'SCH|PL-1|FI-1|0|GRP-1||RESCHED^Patient asked|CHECKUP^Yearly check-up|FOLLOW^Follow-up|30|min|^^30^20260401090000+0200^20260401093000+0200||||||||||||PL-0|FI-0|BOOKED^Booked|ORD-1|ORD-2';

const body = (trigger: string, ...segments: readonly string[]): Buffer =>
  Buffer.from(
    `${[`MSH|^~\\&|SYNTH-SCH|NORTH|PLAN|PLAN|20260309||SIU^${trigger}|SYN-S|P|2.5`, ...segments].join('\r')}\r`,
    'latin1',
  );

async function onlyEvent(message: Buffer): Promise<EventItem> {
  const [event, ...more] = eventsOf(await readBody(message));
  if (event === undefined || more.length > 0) throw new Error('the message has not one event');
  return event;
}

describe('an appointment message', () => {
  it.each([
    ['S12', 'booked', 'scheduled'],
    ['S13', 'rescheduled', 'scheduled'],
    ['S14', 'changed', 'scheduled'],
    ['S15', 'cancelled', 'cancelled'],
    ['S16', 'discontinued', 'cancelled'],
    ['S17', 'deleted', 'cancelled'],
    ['S18', 'changed', 'scheduled'],
    ['S19', 'changed', 'scheduled'],
    ['S20', 'changed', 'scheduled'],
    ['S21', 'changed', 'scheduled'],
    ['S22', 'changed', 'scheduled'],
    ['S23', 'slots_blocked', 'recorded'],
    ['S24', 'slots_opened', 'recorded'],
    ['S26', 'no_show', 'no_show'],
  ])('SIU^%s is the event %s with the outcome %s', async (trigger, type, outcome) => {
    const { envelope } = await onlyEvent(body(trigger, SCHEDULE, PERSON));
    expect(envelope).toMatchObject({
      event_family: 'appointment',
      event_type: type,
      outcome,
      member_id: 'SYN-MEMBER-9',
      event_effective_timestamp: '2026-04-01T07:00:00.000Z',
    });
  });

  it('that asks for a schedule (S25) yields no event', async () => {
    expect(refusedOf(await readBody(body('S25', SCHEDULE, PERSON)))).toMatchObject([
      { code: 'UNSUPPORTED_TRANSACTION', item: 'SIU^S25' },
    ]);
  });

  it('has its numbers, those of its parent and orders, its reasons, times and status', async () => {
    const { payload } = (await onlyEvent(body('S13', SCHEDULE, PERSON))).envelope;
    expect(payload).toMatchObject({ service: 'Yearly check-up' });
    expect(payload['appointment']).toEqual({
      placer_number: 'PL-1',
      filler_number: 'FI-1',
      group_number: 'GRP-1',
      parent_placer_number: 'PL-0',
      parent_filler_number: 'FI-0',
      reason: 'Yearly check-up',
      event_reason: 'Patient asked',
      type: 'Follow-up',
      duration: '30',
      duration_unit: 'min',
      starts_at: '2026-04-01T09:00:00+02:00',
      ends_at: '2026-04-01T09:30:00+02:00',
      status: 'BOOKED',
      placer_order_number: 'ORD-1',
      filler_order_number: 'ORD-2',
    });
  });

  it('takes its times from TQ1 where SCH-11 is empty', async () => {
    const message = body('S12', 'SCH|PL-1|FI-1', 'TQ1|1||||||20260401100000|20260401103000', PERSON);
    const { envelope } = await onlyEvent(message);
    expect(envelope.event_effective_timestamp).toBe('2026-04-01T10:00:00.000Z');
    expect(envelope.payload['appointment']).toMatchObject({
      starts_at: '2026-04-01T10:00:00',
      ends_at: '2026-04-01T10:30:00',
    });
  });

  it('lists services, equipment, places and persons, each with its time and status', async () => {
    const message = body(
      'S12',
      SCHEDULE,
      PERSON,
      'RGS|1',
      'AIS|1||45378^Colonoscopy^C4|20260401090000|||30|min||BOOKED',
      'AIG|1||SCOPE-1^Endoscope^L|EQ^Equipment^L||||20260401091000|||15|min||BOOKED',
      'AIL|1||ENDO^ROOM-1^^NORTH|OR^Theatre^L||20260401092000|||30|min||PENDING',
      'AIP|1||1999999984^ROWAN^ROBIN|ATND^Attending^L||20260401093000|||30|min||BOOKED',
    );
    const { appointment } = (await onlyEvent(message)).envelope.payload;
    expect(appointment).toMatchObject({
      resources: [
        {
          kind: 'service',
          code: '45378',
          text: 'Colonoscopy',
          system: 'C4',
          starts_at: '2026-04-01T09:00:00',
          duration: '30',
          duration_unit: 'min',
          status: 'BOOKED',
        },
        { kind: 'equipment', code: 'SCOPE-1', type: 'Equipment', starts_at: '2026-04-01T09:10:00', duration: '15' },
        { kind: 'location', code: 'ENDO', text: 'ENDO ROOM-1 NORTH', type: 'Theatre', status: 'PENDING' },
        { kind: 'person', code: '1999999984', text: 'ROWAN, ROBIN', type: 'Attending', status: 'BOOKED' },
      ],
    });
  });
});
