import { describe, expect, it } from '@jest/globals';
import { eventsOf, readBody } from './reading.js';

// Orders of drugs (OMP with RXO, RDE with RXO and RXE), and appointments with the time in their resources.

const message = (type: string, ...segments: readonly string[]): Buffer =>
  Buffer.from(
    `${[`MSH|^~\\&|SYNTH|NORTH|PLAN|PLAN|20260301||${type}|SYN-1|P|2.5`, 'PID|1||SYN-1^^^PLAN^MB||HOLLOWAY^ARI', ...segments].join('\r')}\r`,
  );

describe('an order of a drug', () => {
  it('has the drug, dose and quantity of RXO', async () => {
    const [event] = eventsOf(
      await readBody(
        message('OMP^O09', 'ORC|NW|O-1', 'RXO|197361^amlodipine 5 MG^RXNORM|5||mg|||||||30||2', 'RXR|PO^Oral^HL70162'),
      ),
    );
    expect(event?.envelope).toMatchObject({
      event_type: 'order_placed',
      payload: {
        procedure_codes: ['197361'],
        service: 'amlodipine 5 MG',
        order: { placer_number: 'O-1', dose: '5', dose_unit: 'mg', quantity: '30', refills: '2' },
      },
    });
  });

  it('that is encoded has the drug of RXE, not the one that RXO asked for', async () => {
    const [event] = eventsOf(
      await readBody(
        message(
          'RDE^O11',
          'ORC|NW|O-1',
          'RXO|197361^amlodipine^RXNORM|5||mg',
          'RXE||00093505601^atorvastatin^NDC|10||mg',
        ),
      ),
    );
    expect(event?.envelope.payload).toMatchObject({
      procedure_codes: ['00093505601'],
      order: { dose: '10', dose_unit: 'mg' },
    });
  });
});

describe('an appointment without SCH-11 and TQ1', () => {
  it.each([
    ['its service (AIS-4)', 'AIS|1||99213^Visit^C4|202604010900|||30|min'],
    ['its person (AIP-6)', 'AIP|1||1999999984^ROWAN^ROBIN|||202604010900|||30|min'],
  ])('is dated by %s', async (_, resource) => {
    const [event] = eventsOf(await readBody(message('SIU^S12', 'SCH|PL-1|FI-1', 'RGS|1', resource)));
    expect(event?.envelope.event_effective_timestamp).toBe('2026-04-01T09:00:00.000Z');
  });
});
