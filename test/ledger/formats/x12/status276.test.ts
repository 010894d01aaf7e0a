import { describe, expect, it } from '@jest/globals';
import { envelopesOf, eventsOf, fixtureText, linksBetween, readText, refusedOf, without } from './reading.js';

// A 276 asks for the status of claims; a 277 answers. Synthetic bodies.

const request = fixtureText('status-request.276');

describe('a 276', () => {
  it('yields one event per claim asked for, with its numbers', async () => {
    const [first, ...others] = await envelopesOf(request);
    expect(first).toMatchObject({
      event_family: 'claim',
      event_type: 'claim_status_asked',
      outcome: 'submitted',
      member_id: 'SYN0001',
      source_record_id: '000000052/52/0001/1/SYN-ASK-1',
      event_effective_timestamp: '2026-03-01T08:02:00.000Z',
      payload: {
        claim_id: 'SYN-CLAIM-1',
        payer_claim_id: 'SYN-PAYER-1',
        trace_numbers: ['SYN-ASK-1'],
        bill_type: '111',
        amounts: { charge: '100.00' },
        service_period: { from: '2026-01-10', to: '2026-01-12' },
        subscriber: { last_name: 'NAMEONE', birth_date: '1970-01-01', gender: 'F' },
        payer: { name: 'SYNTHETIC PLAN' },
        providers: [{ npi: '1999999984' }],
      },
    });
    expect(others).toMatchObject([
      {
        member_id: 'SYN0001',
        payload: { procedure_codes: ['99213'], lines: [{ charge: '60.00', control_number: 'SYN-LINE-1' }] },
      },
      { member_id: 'SYN0002', payload: { patient: { first_name: 'CHILD', birth_date: '2015-01-01' } } },
    ]);
    expect(others).toHaveLength(2);
  });

  it('is joined to the 277 that answers it, and is no claim for a remittance', async () => {
    const asked = await envelopesOf(request);
    expect(linksBetween(asked, await envelopesOf(fixtureText('status.277')))).toEqual([
      ['SYN-ASK-1', 'ANSWERED_BY TRACE', 'SYN-ASK-1'],
      ['SYN-ASK-2', 'ANSWERED_BY TRACE', 'SYN-ASK-2'],
      ['SYN-ASK-3', 'ANSWERED_BY TRACE', 'SYN-ASK-3'],
    ]);
    const [paid] = await envelopesOf(fixtureText('remittance.835'));
    if (paid === undefined) throw new Error('the remittance has no event');
    const same = { ...paid, payload: { ...paid.payload, claim_id: 'SYN-CLAIM-1' } };
    expect(linksBetween(asked, [same])).toEqual([]);
  });

  it.each([
    ['TRN*1*SYN-ASK-2~', ['SYN-ASK-3']],
    ['HL*6*5*23~', ['SYN-ASK-1', 'SYN-ASK-2', 'SYN-ASK-3']],
  ])('never gives a claim the numbers or the member of another after a lost %s', async (lost, traces) => {
    const items = await readText(without(request, lost));
    const events = eventsOf(items).map(({ envelope }) => envelope);
    expect(events.map(({ payload }) => (payload['trace_numbers'] as string[])[0])).toEqual(traces);
    expect(refusedOf(items).map(({ code }) => code)).toEqual(lost.startsWith('TRN') ? ['LOOP_ORDER'] : []);
    expect(events.at(-1)?.member_id).toBe(lost.startsWith('TRN') ? 'SYN0002' : undefined);
  });

  it('reports the segments of a claim without a TRN', async () => {
    const items = await readText(without(request, 'TRN*1*SYN-ASK-3~'));
    expect(refusedOf(items)).toMatchObject([{ code: 'LOOP_ORDER', segment: 'REF' }]);
    expect(eventsOf(items)).toHaveLength(2);
  });
});
