import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  codesOf,
  envelopesOf as envelopes,
  eventsOf,
  fixtureText as fixture,
  readText as read,
  refusedOf,
  without,
} from './reading.js';

// 278, 277 and 271: what the samples do not show, in synthetic bodies.

describe('a 278', () => {
  it('yields one event per patient event, with services and numbers', async () => {
    const [first, ...others] = await envelopes(fixture('review.278'));
    expect(first).toMatchObject({
      event_family: 'prior_authorization',
      event_type: 'authorization_decided',
      outcome: 'partially_approved',
      member_id: 'SYN0001',
      source_record_id: '000000041/41/0001/1/SYN-TRACE-1',
      event_effective_timestamp: '2026-03-01T09:01:00.000Z',
      payload: {
        authorization_number: 'SYN-AUTH-1',
        authorization_numbers: ['SYN-AUTH-1', 'SYN-AUTH-1A'],
        administrative_number: 'SYN-ADMIN-1',
        trace_numbers: ['SYN-TRACE-1'],
        decision_reason: ['82'],
        rationale: 'EIGHT OF TWELVE VISITS',
        service: '42',
        request_category: 'HS',
        urgency: 'U',
        procedure_codes: ['97110', '97140'],
        diagnosis_codes: ['M17.11'],
        jurisdiction: 'US-NY',
        service_period: { from: '2026-03-05', to: '2026-04-05' },
        lines: [
          { line: 1, quantity: '12', quantity_unit: 'VS' },
          { procedure_code: '97110', modifiers: ['GP'], charge: '480.00', outcome: 'approved' },
          { procedure_code: '97140', charge: '120.00', outcome: 'denied', decision_reason: ['82'] },
        ],
      },
    });
    expect(others).toMatchObject([
      { member_id: 'SYN0002', outcome: 'denied', payload: { patient: { first_name: 'CHILD' } } },
      { member_id: 'SYN0003', outcome: 'rejected', event_type: 'authorization_rejected' },
      { member_id: 'SYN0004', outcome: 'rejected', payload: { decision_reason: ['33'] } },
    ]);
  });

  it.each([
    ['13', 'UM*HS*I*', 'authorization_requested', 'submitted'],
    ['13', 'UM*HS*R*', 'authorization_renewal', 'submitted'],
    ['13', 'UM*HS*S*', 'authorization_revision', 'submitted'],
    ['13', 'UM*HS*3*', 'authorization_cancellation', 'submitted'],
    ['13', 'UM*HS*4*', 'authorization_extension', 'submitted'],
    ['13', 'UM*HS*1*', 'authorization_appeal', 'submitted'],
    ['01', 'UM*HS*I*', 'authorization_cancellation', 'submitted'],
    ['28', 'UM*HS*I*', 'authorization_inquired', 'submitted'],
  ])('BHT02 %s with %s is %s', async (purpose, um, type, outcome) => {
    const asked = fixture('review.278').replace(/(?:HCR|AAA)\*[^~]*~\n/g, '');
    const body = asked.replace('BHT*0007*11*', `BHT*0007*${purpose}*`).replace('UM*HS*I*', um);
    expect((await envelopes(body))[0]).toMatchObject({ event_type: type, outcome });
  });

  it('without BHT02 is a notification by guide X216 and an inquiry by X215', async () => {
    const asked = fixture('review.278')
      .replace(/(?:HCR|AAA)\*[^~]*~\n/g, '')
      .replace('BHT*0007*11*', 'BHT*0007*14*');
    const [notified] = await envelopes(asked.replaceAll('X217', 'X216'));
    expect(notified).toMatchObject({ event_type: 'authorization_notified', outcome: 'recorded' });
    expect((await envelopes(asked.replaceAll('X217', 'X215')))[0]?.event_type).toBe('authorization_inquired');
  });

  it('of 004010, without an event level, belongs to the patient with the services below', async () => {
    const body = fixture('review.278')
      .replaceAll('005010X217', '004010X094A1')
      .replace('HL*4*3*EV*1~', 'HL*4*3*SS*0~')
      .replaceAll('*4*SS*0~', '*3*SS*0~');
    const [first] = await envelopes(body);
    expect(first).toMatchObject({ member_id: 'SYN0001', outcome: 'partially_approved' });
    expect(first?.payload['lines']).toHaveLength(3);
    expect(first?.payload).toMatchObject({ service: '42', trace_numbers: ['SYN-TRACE-1'] });
  });

  it.each([
    ['A1', 'approved'],
    ['A3', 'denied'],
    ['A4', 'pended'],
    ['A6', 'partially_approved'],
    ['C', 'cancelled'],
    ['CT', 'pended'],
    ['NA', 'no_action_required'],
    ['Z9', 'unknown'],
  ])('HCR01 %s is %s', async (action, outcome) => {
    const items = await read(fixture('review.278').replace('HCR*A2*', `HCR*${action}*`));
    expect(eventsOf(items)[0]?.envelope.outcome).toBe(outcome);
    expect(codesOf(items).includes('STATUS_UNKNOWN')).toBe(outcome === 'unknown');
  });

  it('may have several reasons in one HCR03', async () => {
    const [first] = await envelopes(fixture('review.278').replace('HCR*A2*SYN-AUTH-1~', 'HCR*A2*SYN-AUTH-1*0U^15~'));
    expect(first?.payload['decision_reason']).toEqual(['0U', '15', '82']);
  });

  it('with an uncertain patient is stored without a member, and an exception opens', async () => {
    const items = await read(without(fixture('review.278'), 'HL*7*2*22*1~'));
    const events = eventsOf(items).map(({ envelope }) => envelope.member_id);
    expect(events).not.toContain('SYN0002');
    expect(codesOf(items)).toContain('LOOP_ORDER');
    const nobody = await read(without(fixture('review.278'), 'NM1*IL*1*NAMEONE*GIVEN****MI*SYN0001~'));
    expect(eventsOf(nobody)[0]?.envelope.member_id).toBeUndefined();
    expect(codesOf(nobody)).toContain('MEMBER_MISSING');
  });
});

describe('a 277', () => {
  it('yields one event per claim, by the first status code', async () => {
    const events = await envelopes(fixture('status.277'));
    expect(events).toMatchObject([
      { member_id: 'SYN0001', outcome: 'paid', payload: { claim_id: 'SYN-CLAIM-1', payer_claim_id: 'SYN-PAYER-1' } },
      {
        member_id: 'SYN0001',
        outcome: 'denied',
        payload: { procedure_codes: ['99213'], lines: [{ modifiers: ['25'] }] },
      },
      { member_id: 'SYN0002', outcome: 'pended', payload: { patient: { first_name: 'CHILD' } } },
      { member_id: 'SYN0003', outcome: 'partially_paid', payload: { status_category: 'F0' } },
    ]);
    expect(events[0]?.payload).toMatchObject({
      status_code: '65',
      amounts: { charge: '100.00', paid: '80.00' },
      service_period: { from: '2026-01-10', to: '2026-01-10' },
    });
  });

  it.each([
    ['A0', 'forwarded'],
    ['A1', 'accepted'],
    ['A2', 'accepted'],
    ['A3', 'rejected'],
    ['A7', 'rejected'],
    ['P3', 'pended'],
    ['R4', 'pended'],
    ['E1', 'error'],
    ['F4', 'no_action_required'],
    ['X9', 'unknown'],
  ])('STC01-1 %s is %s', async (category, outcome) => {
    const [first] = await envelopes(fixture('status.277').replace('STC*F1:65', `STC*${category}:65`));
    expect(first?.outcome).toBe(outcome);
  });

  it('that acknowledges claims uses their numbers; statuses above the patient yield no events', async () => {
    const body = fixture('status.277')
      .replaceAll('X212', 'X214')
      .replace('BHT*0010*08', 'BHT*0085*08')
      .replace('HL*4*3*22*0~', 'TRN*1*BATCH~\nSTC*A1:19*20260228*WQ*200~\nREF*1K*SYN-X~\nHL*4*3*PT*0~')
      .replace('NM1*IL*1*NAMEONE', 'NM1*QC*1*NAMEONE');
    const items = await read(body);
    const events = eventsOf(items).map(({ envelope }) => envelope);
    expect(events).toHaveLength(4);
    expect(events[0]).toMatchObject({ member_id: 'SYN0001', payload: { claim_id: 'SYN-CLAIM-1' } });
    expect(codesOf(items)).toContain('STATUS_ABOVE_PATIENT');
    expect(items.find(({ kind }) => kind === 'transaction')).toMatchObject({ transaction: '277CA' });
  });

  it('with a lost TRN never adds the status of one claim to another', async () => {
    const items = await read(without(fixture('status.277'), 'TRN*2*SYN-ASK-2~'));
    expect(refusedOf(items).map(({ code }) => code)).toEqual(['LOOP_ORDER']);
    expect(eventsOf(items).map(({ envelope }) => envelope.payload['claim_id'])).toEqual(['SYN-CLAIM-3', 'SYN-CLAIM-4']);
  });
});

describe('a 271', () => {
  it('with the relationship of a benefit’s party (NM110) yields its event', async () => {
    const related = fixture('eligibility.271').replace('*****PI*OTHER~', '*****PI*OTHER*41~');
    expect((await envelopes(related))[0]).toMatchObject({ member_id: 'SYN0001', outcome: 'active' });
    const subscriber = fixture('eligibility.271').replace('MI*SYN0001~', 'MI*SYN0001*41~');
    expect(eventsOf(await read(subscriber)).map(({ envelope }) => envelope.member_id)).not.toContain('SYN0001');
  });

  it('yields one event per subscriber or dependent with an answer', async () => {
    const events = await envelopes(fixture('eligibility.271'));
    expect(events).toMatchObject([
      { member_id: 'SYN0001', outcome: 'active', source_record_id: '000000061/61/0001/1/SYN-ASK-11' },
      { member_id: 'SYN0002', outcome: 'inactive', payload: { relationship: '19', patient: { first_name: 'CHILD' } } },
      { member_id: 'SYN0003', outcome: 'rejected', payload: { rejections: [{ reason: '72', follow_up: 'C' }] } },
    ]);
    expect(events[0]?.payload).toMatchObject({
      plan: 'SYNTHETIC GOLD',
      program: 'Commercial',
      jurisdiction: 'US-NY',
      coverage_period: { from: '2026-01-01' },
      benefits: [
        { information: '1', service_types: ['30', '1', '88'] },
        { information: 'B', amount: '25.00', in_network: 'Y' },
      ],
    });
  });

  it('has no member after a lost HL', async () => {
    for (const lost of ['HL*5*4*23*0~', 'HL*6*2*22*0~', 'HL*4*2*22*1~']) {
      for (const { envelope } of eventsOf(await read(without(fixture('eligibility.271'), lost)))) {
        const own: Record<string, string> = {
          'SYN-ASK-11': 'SYN0001',
          'SYN-ASK-12': 'SYN0002',
          'SYN-ASK-13': 'SYN0003',
        };
        const trace = (envelope.payload['trace_numbers'] as string[])[0] ?? '';
        if (envelope.member_id !== undefined) expect([lost, envelope.member_id]).toEqual([lost, own[trace]]);
      }
    }
  });
});

describe('a body cut at any byte', () => {
  const samples = join(process.cwd(), '..', 'shared', 'samples', 'x12');
  const files = existsSync(samples)
    ? readdirSync(samples).filter((name) => /27[01678]|834|eligib|status|auth_/.test(name))
    : [];
  const bodies = [
    ...[
      'review.278',
      'status.277',
      'eligibility.271',
      'enrollment.834',
      'inquiry.270',
      'status-request.276',
      'premium.820',
      'attachment.275',
    ].map((name) => [name, fixture(name), 1] as const),
    ...files.map((name) => [name, readFileSync(join(samples, name), 'latin1'), 5] as const),
  ];

  it.each(bodies)('yields for %s only events and members of the whole body', async (_name, whole, stride) => {
    const wanted = await envelopes(whole);
    for (let end = 0; end < whole.length; end += stride) {
      const items = await read(whole.slice(0, end));
      eventsOf(items).forEach(({ envelope }, at) => {
        expect([end, envelope.source_record_id]).toEqual([end, wanted[at]?.source_record_id]);
        expect([end, envelope.member_id]).toEqual([end, wanted[at]?.member_id]);
        expect([end, envelope.outcome]).toEqual([end, wanted[at]?.outcome]);
      });
    }
  });
});
