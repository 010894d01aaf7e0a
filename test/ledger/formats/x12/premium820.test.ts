import { describe, expect, it } from '@jest/globals';
import { codesOf, envelopesOf, eventsOf, fixtureText, readText, refusedOf, without } from './reading.js';

// An 820 pays premiums. Synthetic bodies.

const premiums = fixtureText('premium.820');
const policiesOf = (items: Awaited<ReturnType<typeof readText>>): unknown[] =>
  eventsOf(items).map(({ envelope }) => [envelope.member_id, envelope.payload['remittance_reference']]);

describe('an 820', () => {
  it('yields one event per premium, with amounts, numbers, person and payment', async () => {
    const [first, ...others] = await envelopesOf(premiums);
    expect(first).toMatchObject({
      event_family: 'premium',
      event_type: 'premium_paid',
      outcome: 'paid',
      member_id: 'SYN0001',
      source_record_id: '000000091/91/0001/1/SYN-POLICY-11',
      event_effective_timestamp: '2026-03-02T00:00:00.000Z',
      payload: {
        timestamp_basis: 'BPR16 read as UTC',
        policy_number: 'SYN-POLICY-11',
        group_number: 'SYN-GROUP-1',
        remittance_reference: { qualifier: 'AZ', value: 'SYN-POLICY-11' },
        employee_number: 'SYN-EMPLOYEE-1',
        amounts: { paid: '125.50', billed: '125.50' },
        coverage_period: { from: '2026-03-01', to: '2026-03-31' },
        jurisdiction: 'US-NY',
        patient: { id: 'SYN0001', last_name: 'NAMEONE' },
        payment: {
          amount: '340.50',
          method: 'ACH',
          trace_number: 'SYN-PAYMENT-1',
          payer: { name: 'SYNTHETIC EMPLOYER' },
          payee: { name: 'SYNTHETIC PLAN' },
        },
      },
    });
    expect(others).toMatchObject([
      {
        member_id: 'SYN0001',
        event_type: 'premium_reversed',
        outcome: 'reversed',
        payload: {
          policy_number: 'SYN-POLICY-1',
          invoice_number: 'SYN-INVOICE-1',
          group_number: 'SYN-GROUP-2',
          amounts: { paid: '-10.00' },
          adjustments: [{ amount: '-10.00', reason: '52' }],
        },
      },
      { outcome: 'partially_paid', payload: { identifiers: [{ type: 'SS', id: '000000012' }] } },
      { member_id: 'SYN0003', outcome: 'paid' },
    ]);
    expect(others).toHaveLength(3);
  });

  it('never takes a social security or employee number for the number of a member', async () => {
    const items = await readText(premiums);
    const [, , social] = eventsOf(items).map(({ envelope }) => envelope);
    expect(social?.member_id).toBeUndefined();
    expect(social?.payload['patient']).not.toHaveProperty('id');
    expect(codesOf(items)).toContain('MEMBER_MISSING');
    const [employee] = await envelopesOf(premiums.replace('****N*SYN0001~', '****EI*SYN-EMPLOYEE-1~'));
    expect(employee?.member_id).toBeUndefined();
  });

  it.each([
    ['125.50', 'paid'],
    ['1', 'partially_paid'],
    ['0', 'recorded'],
    ['', 'recorded'],
    ['-1', 'reversed'],
  ])('RMR04 %p of 125.50 is %s', async (amount, outcome) => {
    const [first] = await envelopesOf(premiums.replace('**125.5*125.50~', `**${amount}*125.50~`));
    expect(first?.outcome).toBe(outcome);
  });

  it('rejects a premium with a malformed amount, and warns of one of the payment', async () => {
    const items = await readText(
      premiums.replace('**100*125.50~', '**1O0*125.50~').replace('BPR*I*340.5*', 'BPR*I*X*'),
    );
    expect(refusedOf(items)).toMatchObject([{ code: 'AMOUNT_MALFORMED', segment: 'RMR', element: 4 }]);
    expect(eventsOf(items)).toHaveLength(3);
    expect(codesOf(items).filter((code) => code === 'AMOUNT_MALFORMED')).toHaveLength(2);
  });

  it.each(['ENT*3*2J*EI*SYN-EMPLOYEE-3~', 'NM1*EY*1*NAMETHREE*GIVEN****N*SYN0003~'])(
    'gives a premium to no other person after a lost %s',
    async (lost) => {
      const items = await readText(without(premiums, lost));
      expect(policiesOf(items).at(-1)).toEqual([undefined, { qualifier: 'AZ', value: 'SYN-POLICY-13' }]);
      expect(refusedOf(items)).toMatchObject(lost.startsWith('ENT') ? [{ code: 'LOOP_ORDER' }] : []);
    },
  );

  it('rejects a premium that holds the period of the next, and reports a period without a premium', async () => {
    const merged = await readText(premiums.replace('RMR*IK*SYN-INVOICE-1**-10~\nREF*1L*SYN-GROUP-2~\n', ''));
    expect(refusedOf(merged)).toMatchObject([{ code: 'LOOP_ORDER', segment: 'DTM' }]);
    const none = await readText(without(premiums, 'RMR*AZ*SYN-POLICY-13**125.00*125~'));
    expect(refusedOf(none)).toMatchObject([{ code: 'LOOP_ORDER', segment: 'DTM' }]);
  });

  it('keeps at most 500 adjustments of one premium, and warns when it has no premium', async () => {
    const items = await readText(premiums.replace('ADX*-10*52~\n', 'ADX*-10*52~\n'.repeat(600)));
    expect(eventsOf(items)[1]?.envelope.payload['adjustments']).toHaveLength(500);
    expect(codesOf(items).filter((code) => code === 'ADJUSTMENTS_LEFT_OUT')).toHaveLength(1);
    expect(codesOf(await readText(premiums.replace(/RMR\*[\s\S]*?(?=SE\*)/, '')))).toContain('NO_PREMIUMS');
  });

  it('states the payment in the summary of the transaction', async () => {
    const transaction = (await readText(premiums)).find(({ kind }) => kind === 'transaction');
    expect(transaction).toMatchObject({ transaction: '820', detail: { payment: { amount: '340.50' } } });
  });
});
