import { describe, expect, it } from '@jest/globals';
import type { FieldFault } from '../../../shared/errors/problem.js';
import { eventKeysOf, type KeyFilters, keysOfFilters } from '../../../shared/event-keys/event-keys.js';

const parsed = (filters: KeyFilters): { keys: readonly string[]; faults: readonly FieldFault[] } => {
  const faults: FieldFault[] = [];
  return { keys: keysOfFilters(filters, faults), faults };
};

describe('eventKeysOf', () => {
  it('names member, family, outcome, program, jurisdiction, claim, providers and codes', () => {
    const record = {
      member_id: 'M-1',
      event_family: 'Claim',
      outcome: 'DENIED',
      payload: {
        claim_id: 'CLM-1',
        program: 'Medicare',
        jurisdiction: 'US-CA',
        providers: [{ npi: '1234567893' }, { npi: 'none' }],
        rendering_npi: '1999999984',
        carc: ['CO-50', '50'],
        rarc: ['n115'],
        reject_codes: ['75'],
        procedure_codes: ['73721', 'J1234', '0002-8215-01'],
        diagnosis_codes: ['M5450', 'M25.561'],
      },
    };
    expect(eventKeysOf(record)).toEqual([
      'member:M-1',
      'family:claim',
      'outcome:denied',
      'program:medicare',
      'jurisdiction:us-ca',
      'claim:CLM-1',
      'npi:1234567893',
      'npi:1999999984',
      'carc:50',
      'rarc:N115',
      'ncpdp:75',
      'cpt:73721',
      'hcpcs:J1234',
      'ndc:00002821501',
      'icd10cm:M54.50',
      'icd10cm:M25.561',
    ]);
  });

  it('has no key for hidden, missing and overlong values', () => {
    expect(eventKeysOf({ payload: { carc: [null], claim_id: 'C'.repeat(500), program: '' } })).toEqual([]);
  });
});

describe('keysOfFilters', () => {
  it.each([
    ['carc:50', 'carc:50'],
    ['CARC:CO50', 'carc:50'],
    ['icd10:m5450', 'icd10cm:M54.50'],
    ['ndc:0002-8215-01', 'ndc:00002821501'],
    ['hcpcs:j1234', 'hcpcs:J1234'],
  ])('reads code=%s as %s', (code, key) => {
    expect(parsed({ code })).toEqual({ keys: [key], faults: [] });
  });

  it('puts the narrowest kind first, whatever the order of the filters', () => {
    const { keys } = parsed({ program: 'Medicare', code: 'carc:50', provider: 'npi:1234567893', claim: 'C-1' });
    expect(keys).toEqual(['claim:C-1', 'npi:1234567893', 'carc:50', 'program:medicare']);
  });

  it.each([
    [{ code: 'drg:470' }, '/code', 'code_system'],
    [{ code: '50' }, '/code', 'code_system'],
    [{ code: 'carc:' }, '/code', 'empty'],
    [{ provider: '1234567893' }, '/provider', 'npi'],
    [{ provider: 'npi:1234567890' }, '/provider', 'npi'],
    [{ provider: 'npi:' }, '/provider', 'npi'],
    [{ program: ' ' }, '/program', 'empty'],
    [{ jurisdiction: '' }, '/jurisdiction', 'empty'],
    [{ claim: '' }, '/claim', 'empty'],
  ])('rejects %j with the name of the parameter', (filters, path, code) => {
    const { keys, faults } = parsed(filters);
    expect(keys).toEqual([]);
    expect(faults).toMatchObject([{ path, code }]);
  });
});
