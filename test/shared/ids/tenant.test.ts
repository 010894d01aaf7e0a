import { describe, expect, it } from '@jest/globals';
import { isReservedSourceSystem, isTenantId, OPERATOR_TENANT } from '../../../shared/ids/tenant.js';

describe('a tenant identifier', () => {
  it.each(['acme', 'A', '0', 'a.b-c_d', `a${'x'.repeat(63)}`])('may be %s', (text) => {
    expect(isTenantId(text)).toBe(true);
  });

  it.each(['', '_operator', '*', '.a', '-a', 'a b', 'a/b', 'é', 'a\n', `a${'x'.repeat(64)}`])(
    'may not be %j',
    (text) => {
      expect(isTenantId(text)).toBe(false);
    },
  );

  it('of the operator is one that no caller can name', () => {
    expect(isTenantId(OPERATOR_TENANT)).toBe(false);
  });

  it.each([
    ['_custody', true],
    ['_', true],
    ['ai-provenance', true],
    ['ai-provenance2', false],
    ['um_core', false],
  ])('source system %s is reserved: %s', (name, is) => {
    expect(isReservedSourceSystem(name)).toBe(is);
  });
});
