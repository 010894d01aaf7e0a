import { describe, expect, it } from '@jest/globals';
import { readMention } from '../../../../subgraphs/members-graph/members/domain/read-event.js';
import { codesOf, envelopesOf, eventsOf, fixtureText, readText, refusedOf, without } from './reading.js';

// An 834 says who is covered. Synthetic bodies.

const enrollment = fixtureText('enrollment.834');

describe('an 834', () => {
  it('yields one event per member, with person, coverages, sponsor and payer', async () => {
    const [first, ...others] = await envelopesOf(enrollment);
    expect(first).toMatchObject({
      event_family: 'eligibility',
      event_type: 'enrollment_added',
      outcome: 'recorded',
      member_id: 'SYN0001',
      source_record_id: '000000081/81/0001/1/SYN0001',
      event_effective_timestamp: '2026-03-01T09:04:00.000Z',
      payload: {
        timestamp_basis: 'BGN03+BGN04 read as UTC',
        policy_number: 'SYN-POLICY-1',
        group_number: 'SYN-GROUP-1',
        relationship: '18',
        is_subscriber: true,
        maintenance_reason: '28',
        eligibility_period: { from: '2026-03-01' },
        coverage_period: { from: '2026-03-01' },
        plan: 'SYNTHETIC GOLD',
        jurisdiction: 'US-NY',
        patient: {
          id: 'SYN0001',
          last_name: 'NAMEONE',
          birth_date: '1970-01-01',
          gender: 'F',
          state: 'NY',
          address: { lines: ['1 TEST PLAZA', 'UNIT 2'], city: 'ALBANY', state: 'NY', postal_code: '12207' },
        },
        identifiers: [{ type: 'SS', id: '000000011' }],
        coverages: [
          {
            insurance_line: 'HLT',
            coverage_level: 'FAM',
            premium: '125.50',
            group_number: 'SYN-GROUP-2',
            other_insurances: [{ responsibility: 'P', policy_number: 'SYN-OTHER-1' }],
          },
          { insurance_line: 'DEN', coverage_period: { from: '2026-04-01' } },
        ],
        providers: [{ role: 'primary_care', npi: '1999999984' }],
        sponsor: { name: 'SYNTHETIC EMPLOYER' },
        payer: { name: 'SYNTHETIC PLAN' },
      },
    });
    expect(others).toMatchObject([
      { member_id: 'SYN0001', event_type: 'enrollment_changed', payload: { patient: { first_name: 'CHILD' } } },
      { member_id: 'SYN0022', event_type: 'enrollment_terminated', payload: { coverage_period: { to: '2026-02-28' } } },
      { member_id: 'SYN0003', event_type: 'enrollment_audited' },
    ]);
  });

  it('accepts the relationship of a coverage’s provider (NM110), and no other element there', async () => {
    const withRelation = (more: string): string => enrollment.replace('XX*1999999984~', `XX*1999999984*${more}~`);
    const [first] = eventsOf(await readText(withRelation('25')));
    expect(first?.envelope).toMatchObject({ member_id: 'SYN0001', payload: { providers: [{ npi: '1999999984' }] } });
    for (const lost of ['02*5', 'D8*19700101', '99'])
      expect(refusedOf(await readText(withRelation(lost)))).toMatchObject([
        { code: 'TERMINATOR_LOST', segment: 'NM1' },
      ]);
    const onMember = enrollment.replace('34*000000011~', '34*000000011*25~');
    expect(refusedOf(await readText(onMember))).toMatchObject([{ code: 'TERMINATOR_LOST', segment: 'NM1' }]);
  });

  it('opens an exception for a date that is no date, and reads one of six digits in its century', async () => {
    const dated = (date: string): string => enrollment.replace('*20260301*0904*', `*${date}*0904*`);
    const items = await readText(dated('20261301'));
    expect(codesOf(items)).toContain('DATE_UNREADABLE');
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'exception', code: 'TIME_UNREADABLE', segment: 'INS' }),
    );
    const timesOf = async (date: string): Promise<unknown> =>
      (await envelopesOf(dated(date)))[0]?.event_effective_timestamp;
    expect(await timesOf('260301')).toBe('2026-03-01T09:04:00.000Z');
    expect(await timesOf('980520')).toBe('1998-05-20T09:04:00.000Z');
    expect(codesOf(await readText(dated('')))).not.toContain('TIME_UNREADABLE');
  });

  it.each([
    ['001', 'enrollment_changed'],
    ['021', 'enrollment_added'],
    ['024', 'enrollment_terminated'],
    ['025', 'enrollment_reinstated'],
    ['030', 'enrollment_audited'],
    ['999', 'enrollment_reported'],
  ])('INS03 %s is %s', async (code, type) => {
    const items = await readText(enrollment.replace('INS*Y*18*021*', `INS*Y*18*${code}*`));
    expect(eventsOf(items)[0]?.envelope.event_type).toBe(type);
    expect(codesOf(items).includes('CODE_UNKNOWN')).toBe(code === '999');
  });

  it('gives a dependent without an own number no person under the subscriber’s number', async () => {
    const [, dependent] = await envelopesOf(enrollment);
    expect(dependent?.payload['patient']).not.toHaveProperty('id');
    expect(dependent?.payload['subscriber']).toEqual({ id: 'SYN0001' });
    const repeated = await envelopesOf(
      enrollment.replace('NM1*IL*1*NAMEONE*CHILD~', 'NM1*IL*1*NAMEONE*CHILD****MI*SYN0001~'),
    );
    expect(repeated[1]?.payload['patient']).not.toHaveProperty('id');
  });

  it('names no member for a dependent with a lost NM1, because it may have held another number', async () => {
    const items = await readText(without(enrollment, 'NM1*74*1*NAMETWO*GIVEN****MI*SYN0022~'));
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual([
      'SYN0001',
      'SYN0001',
      undefined,
      'SYN0003',
    ]);
    expect(codesOf(items)).toEqual(expect.arrayContaining(['PERSON_MISSING', 'MEMBER_MISSING']));
  });

  it('fills the directory with each member who has an own number', async () => {
    const mentions = (await envelopesOf(enrollment)).map(({ member_id, payload }, at) => {
      const event = { event_id: `evt_${at}`, member_id: member_id ?? null, source_record_id: '', effectiveMs: at };
      return readMention({ ...event, payload: JSON.parse(JSON.stringify(payload)) });
    });
    expect(mentions).toMatchObject([
      {
        memberId: 'SYN0001',
        person: { name: { family: 'NAMEONE' }, identifiers: [{ system: 'ssn', value: '000000011' }] },
      },
      { memberId: 'SYN0001', person: null },
      { memberId: 'SYN0022', person: { name: { family: 'NAMETWO' }, birth_date: '1960-01-01', sex: 'MALE' } },
      { memberId: 'SYN0003', person: { name: { family: 'NAMETHREE' } } },
    ]);
  });

  it('never takes a social security number for the number of a member', async () => {
    const items = await readText(enrollment.replace('REF*0F*SYN0001~', 'REF*0F*000-00-0011~'));
    expect(eventsOf(items)[0]?.envelope.member_id).toBeUndefined();
    expect(codesOf(items)).toContain('MEMBER_MISSING');
    const unnumbered = await readText(without(enrollment, 'REF*0F*SYN0001~'));
    expect(eventsOf(unnumbered)[0]?.envelope.member_id).toBeUndefined();
  });

  it.each(['INS*N*01*024*XN*A~', 'INS*Y*18*030*XN*A***FT~'])(
    'rejects the member before a lost %s, and gives nothing of the next to anyone',
    async (lost) => {
      const items = await readText(without(enrollment, lost));
      expect(refusedOf(items)).toMatchObject([{ code: 'LOOP_ORDER' }]);
      expect(eventsOf(items)).toHaveLength(2);
    },
  );

  it('rejects a member with a number that ran into the next segment', async () => {
    const items = await readText(enrollment.replaceAll('\n', '').replace('REF*0F*SYN0003~', 'REF*0F*SYN0003'));
    expect(refusedOf(items)).toMatchObject([{ code: 'TERMINATOR_LOST', segment: 'REF' }]);
  });

  it('reports segments of a member before the first INS once', async () => {
    const items = await readText(without(enrollment, 'INS*Y*18*021*28*A***FT~'));
    expect(refusedOf(items)).toMatchObject([{ code: 'LOOP_ORDER' }]);
    expect(eventsOf(items)).toHaveLength(3);
  });

  it('warns of a malformed premium and date, and keeps the member', async () => {
    const body = enrollment.replace('AMT*P3*125.5', 'AMT*P3*12X').replace('DTP*356*D8*20260301', 'DTP*356*D8*20261301');
    const items = await readText(body);
    expect(codesOf(items)).toEqual(expect.arrayContaining(['AMOUNT_MALFORMED', 'DATE_MALFORMED']));
    expect(eventsOf(items)).toHaveLength(4);
  });

  it('keeps at most 500 coverages of one member', async () => {
    const many = 'HD*021**HLT*SYNTHETIC MANY~\n'.repeat(600);
    const items = await readText(enrollment.replace('HD*021**DEN*SYNTHETIC TEETH*EMP~\n', many));
    expect(eventsOf(items)[0]?.envelope.payload['coverages']).toHaveLength(500);
    expect(codesOf(items).filter((code) => code === 'COVERAGES_LEFT_OUT')).toHaveLength(1);
  });

  it('without members warns, and without a date is dated by its receipt', async () => {
    const none = enrollment.replace(/INS\*[\s\S]*(?=SE\*)/, '');
    expect(codesOf(await readText(none))).toContain('NO_MEMBERS');
    expect(codesOf(await readText(enrollment.replace('*20260301*0904*', '***')))).toContain('DATE_MISSING');
  });
});
