import { describe, expect, test } from '@jest/globals';
import { addressMatcher, isCidr } from '../../../shared/auth/cidr.js';
import { BUILT_IN_ROLES } from '../../../shared/auth/roles.js';
import { ALL_SCOPES, effectiveScopes, type GrantedScope, isGrantedScope } from '../../../shared/auth/scopes.js';
import { allowedActions, statesOf, transition } from '../../../shared/state-machine/state-machine.js';
import { API_KEY_MACHINE, graceEnd } from '../../../subgraphs/admin/domain/api-key-status.js';
import { keyWorth, type WorthParts } from '../../../subgraphs/admin/domain/key-worth.js';
import { SIGNING_KEY_MACHINE } from '../../../subgraphs/admin/domain/signing-key-states.js';
import { seeded } from '../../support/random.js';

const worth = (parts: Partial<WorthParts>) =>
  keyWorth({ isOperatorKey: false, scopes: [], roleScopes: [], actorScopes: null, ...parts });

describe('what a key amounts to', () => {
  test('unbound: its scopes and those of its roles, once each', () => {
    expect(worth({ scopes: ['events:write'], roleScopes: ['events:read', 'events:write'] })).toEqual([
      'events:read',
      'events:write',
    ]);
  });

  test('bound: never more than the roles of the actor amount to, and never more than its own', () => {
    const random = seeded(20_260_302);
    const some = (): GrantedScope[] => ALL_SCOPES.filter(() => random() < 0.1);
    for (let round = 0; round < 500; round++) {
      const [scopes, roleScopes, actorScopes] = [some(), some(), some()];
      const granted = worth({ scopes, roleScopes, actorScopes }) ?? [];
      const effective = effectiveScopes(granted);
      const own = effectiveScopes([...scopes, ...roleScopes]);
      const ceiling = effectiveScopes(actorScopes);
      expect([...effective].filter((scope) => !own.has(scope) || !ceiling.has(scope))).toEqual([]);
      expect([...own].filter((scope) => ceiling.has(scope) && !effective.has(scope))).toEqual([]);
    }
  });

  test("an operator's key bound to less than an operator is nothing; bound to an operator it is itself", () => {
    expect(worth({ isOperatorKey: true, scopes: ['*'], actorScopes: ['admin'] })).toBeNull();
    expect(worth({ isOperatorKey: true, scopes: ['*'], actorScopes: ['*'] })).toEqual(['*']);
    expect(worth({ isOperatorKey: true, scopes: ['*'] })).toEqual(['*']);
  });
});

describe('the built-in roles', () => {
  test('hold scopes that there are, each once; only the operator holds *', () => {
    for (const { role_id, scopes } of BUILT_IN_ROLES) {
      expect([role_id, scopes.filter((scope) => !isGrantedScope(scope)), new Set(scopes).size]).toEqual([
        role_id,
        [],
        scopes.length,
      ]);
      expect(scopes.includes('*')).toBe(role_id === 'operator');
    }
  });

  test('an auditor changes nothing', () => {
    const auditor = BUILT_IN_ROLES.find(({ role_id }) => role_id === 'auditor');
    const own = effectiveScopes(auditor?.scopes ?? []);
    const anyKey = effectiveScopes([]);
    const changing = [...own].filter((scope) => /:(write|apply|release|request)$/.test(scope) && !anyKey.has(scope));
    expect(changing).toEqual([]);
  });
});

describe('the state tables', () => {
  test('REVOKED is final for a key, and a signing key that signed once does not come back', () => {
    expect(allowedActions(API_KEY_MACHINE, 'REVOKED')).toEqual(['revoke']);
    expect(allowedActions(API_KEY_MACHINE, 'ROTATING')).toEqual(['revoke']);
    expect(allowedActions(SIGNING_KEY_MACHINE, 'RETIRED').sort()).toEqual(['retire', 'revoke']);
    expect(allowedActions(SIGNING_KEY_MACHINE, 'REVOKED')).toEqual(['revoke']);
    expect(statesOf(SIGNING_KEY_MACHINE)).toEqual(['PENDING', 'ACTIVE', 'RETIRED', 'REVOKED']);
  });

  test('a refused step is told in a sentence', () => {
    expect(() => transition(API_KEY_MACHINE, 'EXPIRED', 'rotate')).toThrow(
      'An API key that is EXPIRED does not take "rotate".',
    );
    expect(() => transition(SIGNING_KEY_MACHINE, 'RETIRED', 'activate')).toThrow('A signing key that is RETIRED');
  });

  test('grace ends where it was asked to, or with the key', () => {
    const expires_at = new Date(50_000);
    expect(graceEnd({ expires_at: null }, 1_000, 60).getTime()).toBe(61_000);
    expect(graceEnd({ expires_at }, 1_000, 60)).toEqual(expires_at);
    expect(graceEnd({ expires_at }, 1_000, 40).getTime()).toBe(41_000);
  });
});

describe('address blocks', () => {
  test.each(['203.0.113.0/24', '0.0.0.0/0', '::/0', '2001:db8::/32', '198.51.100.7', '::1'])('%s is one', (text) => {
    expect(isCidr(text)).toBe(true);
  });

  test.each([
    '',
    '/',
    '203.0.113.0/',
    '203.0.113.0/33',
    '203.0.113/24',
    'fe80::1%eth0',
    '::/129',
    '1.2.3.4/-1',
    '1.2.3.4/1/1',
  ])('%j is none', (text) => {
    expect(isCidr(text)).toBe(false);
  });

  test('everything is within /0 of its own family, and nothing of the other', () => {
    const v4 = addressMatcher(['0.0.0.0/0']);
    expect(['1.2.3.4', '::ffff:1.2.3.4', '::1'].map((address) => v4(address))).toEqual([true, true, false]);
    const v6 = addressMatcher(['::/0']);
    expect(['2001:db8::1', '1.2.3.4'].map((address) => v6(address))).toEqual([true, false]);
  });

  test('a block of IPv4 written inside IPv6 is that block, for callers named either way', () => {
    const one = addressMatcher(['::ffff:198.51.100.7']);
    expect(['198.51.100.7', '::ffff:198.51.100.7', '198.51.100.8'].map((address) => one(address))).toEqual([
      true,
      true,
      false,
    ]);
    const block = addressMatcher(['::ffff:198.51.100.0/120']);
    expect(['198.51.100.200', '198.51.101.1', '::1'].map((address) => block(address))).toEqual([true, false, false]);
  });

  test('agrees with arithmetic on random addresses and prefixes', () => {
    const random = seeded(7);
    const word = () => Math.floor(random() * 2 ** 32);
    const text = (n: number) => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.');
    for (let round = 0; round < 2_000; round++) {
      const [base, prefix] = [word(), Math.floor(random() * 33)];
      // Near the block more often than chance would have it.
      const address = random() < 0.5 ? word() : (base ^ (1 << Math.floor(random() * 32))) >>> 0;
      const mask = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
      const inside = (base & mask) >>> 0 === (address & mask) >>> 0;
      expect(addressMatcher([`${text(base)}/${prefix}`])(text(address))).toBe(inside);
    }
  });
});
