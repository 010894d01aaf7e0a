import { describe, expect, it } from '@jest/globals';
import { codesOf, envelopesOf, eventsOf, fixtureText, linksBetween, readText, refusedOf, without } from './reading.js';

// A 270 asks whether a person is covered; a 271 answers. Synthetic bodies.

const inquiry = fixtureText('inquiry.270');

describe('a 270', () => {
  it('yields one event per subscriber or dependent asked for, with numbers and questions', async () => {
    const [first, ...others] = await envelopesOf(inquiry);
    expect(first).toMatchObject({
      event_family: 'eligibility',
      event_type: 'eligibility_asked',
      outcome: 'submitted',
      member_id: 'SYN0001',
      source_record_id: '000000062/62/0001/1/SYN-ASK-11',
      event_effective_timestamp: '2026-03-01T08:03:00.000Z',
      payload: {
        trace_numbers: ['SYN-ASK-11'],
        submission_reference: 'SYN-REF-3',
        service_type: '30',
        service_period: { from: '2026-03-01', to: '2026-03-01' },
        questions: [{ service_types: ['30', '98'] }, { qualifier: 'HC', procedure_code: '99213' }],
        procedure_codes: ['99213'],
        prior_authorizations: ['SYN-AUTH-1'],
        group_number: 'SYN-GROUP-1',
        jurisdiction: 'US-NY',
        subscriber: { last_name: 'NAMEONE', birth_date: '1970-01-01' },
        payer: { name: 'SYNTHETIC PLAN' },
        receiver: { npi: '1999999984' },
      },
    });
    expect(others).toMatchObject([
      { member_id: 'SYN0002', payload: { relationship: '19', patient: { first_name: 'CHILD' } } },
      { member_id: 'SYN0003', payload: { service_type: '35' } },
    ]);
    expect(others).toHaveLength(2);
  });

  it('is joined to the 271 that answers it', async () => {
    const answers = await envelopesOf(fixtureText('eligibility.271'));
    expect(linksBetween(await envelopesOf(inquiry), answers)).toEqual([
      ['SYN-ASK-11', 'ANSWERED_BY TRACE', 'SYN-ASK-11'],
      ['SYN-ASK-12', 'ANSWERED_BY TRACE', 'SYN-ASK-12'],
      ['SYN-ASK-13', 'ANSWERED_BY TRACE', 'SYN-ASK-13'],
    ]);
  });

  it('with BHT02 01 is cancelled', async () => {
    expect((await envelopesOf(inquiry.replace('*0022*13*', '*0022*01*')))[0]?.outcome).toBe('cancelled');
  });

  it('names no member after a lost NM1, and rejects a second patient in one level', async () => {
    const nameless = await readText(without(inquiry, 'NM1*IL*1*NAMEONE*GIVEN****MI*SYN0001~'));
    expect(eventsOf(nameless)[0]?.envelope.member_id).toBeUndefined();
    expect(codesOf(nameless)).toContain('MEMBER_MISSING');
    const lost = await readText(without(inquiry, 'HL*6*2*22*0~'));
    expect(refusedOf(lost)).toMatchObject([{ code: 'LOOP_ORDER' }]);
    expect(eventsOf(lost).map(({ envelope }) => envelope.member_id)).toEqual(['SYN0001']);
  });

  it('keeps at most 500 questions of one person, and warns when it names no person', async () => {
    const items = await readText(inquiry.replace('EQ*35~\n', 'EQ*35~\n'.repeat(600)));
    expect(eventsOf(items)[2]?.envelope.payload['questions']).toHaveLength(500);
    expect(codesOf(items).filter((code) => code === 'QUESTIONS_LEFT_OUT')).toHaveLength(1);
    expect(codesOf(await readText(inquiry.replace(/(?:EQ|TRN)\*[^~]*~\n/g, '')))).toContain('NO_INQUIRIES');
  });
});
