import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { eventsOf, readBody, receivedAt } from './reading.js';

const folder = join(process.cwd(), 'test/ledger/formats/x12/fixtures');

async function eventsIn(name: string, options = {}): Promise<EventItem[]> {
  return eventsOf(await readBody(readFileSync(join(folder, name)), options));
}

async function payloadsIn(name: string): Promise<Record<string, unknown>[]> {
  return (await eventsIn(name)).map(({ envelope }) => envelope.payload);
}

describe('an 837 claim becomes one event with everything the plan needs', () => {
  it('a professional claim, element by element', async () => {
    const [event] = await eventsIn('professional.837');
    expect(event?.envelope).toMatchObject({
      event_family: 'claim',
      event_type: 'claim_submitted',
      source_system: 'SYNSENDER',
      source_record_id: '000000101/1/0001/1/ACCT-1',
      event_effective_timestamp: '2026-03-01T10:23:00.000Z',
      member_id: 'SYN0001',
      outcome: 'submitted',
    });
    expect(event?.envelope.payload).toMatchObject({
      timestamp_basis: 'BHT04+BHT05 read as UTC',
      claim_kind: 'professional',
      procedure_codes: ['99213', 'J1550'],
      diagnosis_codes: ['J20.9', 'E11.9'],
      diagnoses: [
        { qualifier: 'ABK', code: 'J20.9', raw: 'J209' },
        { qualifier: 'ABF', code: 'E11.9', raw: 'E119' },
      ],
      program: 'Medicare',
      program_code: 'MB',
      jurisdiction: 'US-OH',
      rationale: 'SECOND VISIT FOR THE SAME COMPLAINT',
      amounts: { charge: '150.00', patient_paid: '10.00' },
      place_of_service: '11',
      group_number: 'GRP01',
      payer: { name: 'SYNTHETIC PLAN', id: 'PLAN01', id_qualifier: 'PI' },
      prior_authorizations: ['AUTH-77'],
      referral_numbers: ['REFER-5'],
      clearinghouse_claim_id: 'CH-0001',
      medical_record_number: 'MRN-1',
      attachments: [{ report_type: 'OZ', transmission: 'EL', control_number: 'ATT-1' }],
      service_period: { from: '2026-02-14', to: '2026-02-16' },
    });
  });

  it('its lines keep modifiers, units, pointers, dates and drugs', async () => {
    const [payload] = await payloadsIn('professional.837');
    expect(payload?.['lines']).toEqual([
      {
        line: 1,
        qualifier: 'HC',
        procedure_code: '99213',
        modifiers: ['25', '59'],
        charge: '100.00',
        unit: 'UN',
        quantity: '1',
        diagnosis_pointers: ['1', '2'],
        service_period: { from: '2026-02-15', to: '2026-02-15' },
        control_number: 'L-1',
      },
      {
        line: 2,
        qualifier: 'HC',
        procedure_code: 'J1550',
        charge: '50.00',
        unit: 'UN',
        quantity: '2',
        place_of_service: '12',
        diagnosis_pointers: ['1'],
        service_period: { from: '2026-02-14', to: '2026-02-16' },
        drug: { ndc: '00026063512', quantity: '10.5', unit: 'ML' },
      },
    ]);
  });

  it('the decision of another payer is separate from the reasons of this payer', async () => {
    const [payload] = await payloadsIn('professional.837');
    expect(payload).not.toHaveProperty('carc');
    expect(payload?.['prior_payers']).toEqual([
      {
        responsibility: 'S',
        program_code: 'CI',
        payer: { name: 'OTHER PLAN', id: 'OTH01', id_qualifier: 'PI' },
        member_id: 'OTHER-9',
        paid: '94.50',
        adjustments: [
          { group: 'PR', reason: '1', amount: '20.00', quantity: '1' },
          { group: 'PR', reason: '2', amount: '5.50' },
          { group: 'CO', reason: '45', amount: '30.00' },
        ],
        lines: [
          {
            line: 1,
            procedure_code: '99213',
            paid: '60.00',
            adjustments: [{ group: 'CO', reason: '45', amount: '20.00' }],
          },
        ],
      },
    ]);
  });

  it('providers are named by role, with their NPI', async () => {
    const [payload] = await payloadsIn('professional.837');
    expect(payload?.['providers']).toEqual([
      { role: 'billing', name: 'SYNTHETIC CLINIC', npi: '1999999984' },
      { role: 'referring', name: 'REFERRER, REX', npi: '1999999968' },
      { role: 'rendering', name: 'RENDERER, ROWAN', npi: '1999999976', taxonomy: '207Q00000X' },
    ]);
  });

  it('a dependent’s claim is the subscriber’s member, with the dependent as patient', async () => {
    const [, replaced, voided] = await eventsIn('professional.837');
    expect(replaced?.envelope).toMatchObject({ event_type: 'claim_replaced', member_id: 'SYN0002' });
    expect(replaced?.envelope.payload).toMatchObject({
      replaces: 'PAYERCLAIM-9',
      jurisdiction: 'US-IN',
      patient: { last_name: 'BRIARWOOD', first_name: 'PIP', birth_date: '2015-05-05', gender: 'M', relationship: '19' },
    });
    expect(voided?.envelope).toMatchObject({ event_type: 'claim_voided', member_id: 'SYN0002' });
  });

  it('an institutional claim has a bill type, its stay and its ICD procedures', async () => {
    const [event] = await eventsIn('institutional.837');
    expect(event?.envelope.payload).toMatchObject({
      claim_kind: 'institutional',
      bill_type: '111',
      procedure_codes: ['0BH17EZ', '5A1945Z', '82270'],
      diagnosis_codes: ['J18.9', 'R06.02'],
      service_period: { from: '2026-02-01', to: '2026-02-05' },
      admission: '2026-02-01T09:30',
      amounts: { charge: '1500.25' },
      lines: [
        { revenue_code: '0120', quantity: '4', unit: 'DA' },
        { revenue_code: '0301', procedure_code: '82270' },
      ],
    });
    expect(event?.envelope.payload['raw']).toMatchObject({ transaction: '837I', version: '005010X223A2' });
  });

  it('a dental predetermination differs from a claim', async () => {
    const [event] = await eventsIn('dental-predetermination.837');
    expect(event?.envelope.event_type).toBe('claim_predetermination');
    expect(event?.envelope.payload).toMatchObject({
      claim_kind: 'dental',
      procedure_codes: ['D2750'],
      diagnosis_codes: ['K02.9'],
    });
  });

  it('a 004010 claim: ICD-9 codes get their dots, and ISA11 is no separator', async () => {
    const [event] = await eventsIn('professional-4010.837');
    expect(event?.envelope.payload).toMatchObject({
      claim_kind: 'professional',
      diagnosis_codes: ['477.9', 'E888.8', 'V73.89'],
      procedure_codes: ['15.3', '99213'],
      program: 'WorkersComp',
    });
  });

  it('times are read in the tenant’s zone, and the payload says so', async () => {
    const [event] = await eventsIn('professional.837', { tenantTimeZone: 'America/New_York' });
    expect(event?.envelope.event_effective_timestamp).toBe('2026-03-01T15:23:00.000Z');
    expect(event?.envelope.payload['timestamp_basis']).toBe('BHT04+BHT05 read as America/New_York');
  });

  it('the caller’s source system comes before ISA06', async () => {
    const [event] = await eventsIn('professional.837', { sourceSystem: 'clearinghouse-7' });
    expect(event?.envelope.source_system).toBe('clearinghouse-7');
  });
});

describe('an 835 claim payment becomes one event with an outcome that follows the money', () => {
  it('each shape of payment has its outcome, member and reasons', async () => {
    const events = await eventsIn('remittance.835');
    const seen = events.map(({ envelope: { event_type, outcome, member_id, payload } }) => [
      payload['claim_id'],
      event_type,
      outcome,
      member_id,
      payload['carc'],
    ]);
    expect(seen).toEqual([
      ['ACCT-1', 'claim_adjudicated', 'paid', 'SYN0001', ['1', '2', '45', '3']],
      ['ACCT-2', 'claim_adjudicated', 'denied', 'SYN0002', ['197']],
      ['ACCT-3', 'claim_adjudicated', 'partially_paid', 'SYN0003', ['50']],
      ['ACCT-4', 'claim_adjudicated', 'applied_to_member', 'SYN0004', ['1', '45']],
      ['ACCT-5', 'claim_adjudicated', 'denied', 'SYN0005', ['29']],
      ['ACCT-6', 'claim_reversed', 'reversed', 'SYN0006', ['45']],
      ['ACCT-7', 'claim_adjudicated', 'paid', 'SYN0007', ['66']],
    ]);
  });

  it('adjustments have group, amount, level and line; a changed code is marked', async () => {
    const [payload] = await payloadsIn('remittance.835');
    expect(payload).toMatchObject({
      payer_claim_id: 'PAY-1',
      procedure_codes: ['99213', 'J1550'],
      recoded: true,
      rarc: ['N130'],
      amounts: { charge: '150.00', paid: '94.50', member_share: '35.50' },
      service_period: { from: '2026-02-15', to: '2026-02-16' },
      timestamp_basis: 'BPR16 read as UTC',
    });
    expect(payload?.['adjustments']).toEqual([
      { group: 'PR', reason: '1', amount: '20.00', level: 'line', line: 1 },
      { group: 'PR', reason: '2', amount: '5.50', level: 'line', line: 1 },
      { group: 'CO', reason: '45', amount: '10.00', level: 'line', line: 1 },
      { group: 'PR', reason: '3', amount: '10.00', level: 'line', line: 2 },
      { group: 'CO', reason: '45', amount: '10.00', level: 'line', line: 2 },
    ]);
    expect(payload?.['lines']).toMatchObject([
      { control_number: 'L-1' },
      { procedure_code: 'J1550', submitted_code: 'J1551' },
    ]);
  });

  it('authorizations, policies and the payment are on the event', async () => {
    const [, denied] = await payloadsIn('remittance.835');
    expect(denied).toMatchObject({
      prior_authorizations: ['AUTH-88'],
      lines: [{ policies: ['POLICY-3'], remarks: ['M62'] }],
      payment: {
        amount: '424.50',
        method: 'ACH',
        trace_number: 'TRACE-1',
        payer: { name: 'SYNTHETIC PLAN' },
        payee: { name: 'SYNTHETIC CLINIC', npi: '1999999984' },
      },
    });
  });

  it('remark codes of MOA and MIA; a revenue code is no procedure', async () => {
    const payloads = await payloadsIn('remittance.835');
    expect(payloads[4]?.['rarc']).toEqual(['MA01', 'MA18']);
    expect(payloads[6]).not.toHaveProperty('procedure_codes');
    expect(payloads[6]?.['lines']).toMatchObject([{ revenue_code: '0120' }]);
    const [, inpatient] = await payloadsIn('remittance-4010.835');
    expect(inpatient?.['rarc']).toEqual(['MA02', 'N1', 'N2', 'N3', 'N4']);
  });

  it('a pended 004010 payment is not denied', async () => {
    const [pended, paid] = await eventsIn('remittance-4010.835');
    expect(pended?.envelope).toMatchObject({ outcome: 'pended', member_id: 'SYN0008' });
    expect(paid?.envelope).toMatchObject({ outcome: 'paid', member_id: 'SYN0010' });
  });

  it.each(['123456789', '123-45-6789'])('a social security number such as %s names no member', async (number) => {
    const text = readFileSync(join(folder, 'remittance-4010.835'), 'latin1');
    expect(text).toContain('34*SYN0008');
    const harmed = text.replace('34*SYN0008', `34*${number}`);
    const [pended] = eventsOf(await readBody(Buffer.from(harmed, 'latin1')));
    expect(pended?.envelope).not.toHaveProperty('member_id');
    expect(pended?.envelope).toMatchObject({ payload: { patient: { id: number } } });
  });

  it('the transaction item has the balance and the provider-level adjustments', async () => {
    const items = await readBody(readFileSync(join(folder, 'remittance.835')));
    expect(items.find(({ kind }) => kind === 'transaction')).toMatchObject({
      accepted: 7,
      detail: {
        balance: { balanced: true, claims_paid: '424.50', provider_adjustments: '0.00', payment_difference: '0.00' },
        provider_adjustments: [
          { reason: 'WO', reference: 'OLD-1', amount: '20.00' },
          { reason: 'CS', reference: 'OLD-2', amount: '-20.00' },
          { reason: '72', reference: 'X', amount: '0.00' },
        ],
      },
    });
    expect(items.some(({ kind }) => kind === 'exception')).toBe(false);
  });

  it('reports an imbalance, an unreadable date, a missing member and an unknown status', async () => {
    const items = await readBody(readFileSync(join(folder, 'unbalanced.835')));
    const [paid, unknown] = eventsOf(items);
    expect(paid?.duplicateKeyOmitsTime).toBe(true);
    expect(paid?.envelope).toMatchObject({
      event_effective_timestamp: receivedAt,
      payload: { timestamp_basis: 'received', program: 'Other' },
    });
    expect(paid?.warnings.find(({ code }) => code === 'LINE_UNBALANCED')?.message).toContain('10.00');
    expect(paid?.envelope.payload['raw']).toMatchObject({
      warnings: [{ code: 'LINE_UNBALANCED', segment: 'SVC', segment_number: 11 }, { code: 'DATE_UNREADABLE' }],
    });
    expect(unknown?.envelope.outcome).toBe('unknown');
    expect(unknown?.envelope).not.toHaveProperty('member_id');
    const exceptions = items.filter((item) => item.kind === 'exception');
    expect(exceptions).toMatchObject([
      { exceptionKind: 'PARSE_FAILED', code: 'TIME_UNREADABLE', index: 0, segment: 'CLP' },
      { exceptionKind: 'PARSE_FAILED', code: 'TIME_UNREADABLE', index: 1, segment: 'CLP' },
      { exceptionKind: 'UNKNOWN_MEMBER', index: 1, segment: 'CLP' },
      {
        exceptionKind: 'REMITTANCE_UNBALANCED',
        detail: {
          unbalanced_lines: 1,
          lines_difference: '10.00',
          first_lines: [{ segment_number: 11, difference: '10.00' }],
          payment_difference: '0.00',
        },
      },
    ]);
  });
});
