import { describe, expect, it } from '@jest/globals';
import { addressMatcher, isCidr } from '../../../shared/auth/cidr.js';
import { BUILT_IN_ROLES } from '../../../shared/auth/roles.js';
import { ALL_SCOPES, effectiveScopes, type GrantedScope, isGrantedScope } from '../../../shared/auth/scopes.js';
import { allowedActions, transition } from '../../../shared/state-machine/state-machine.js';
import { API_KEY_MACHINE, graceEnd } from '../../../subgraphs/admin/access/domain/api-key-status.js';
import { effectiveGrant } from '../../../subgraphs/admin/access/domain/key-grant.js';
import { SIGNING_KEY_MACHINE } from '../../../subgraphs/admin/signing-keys/domain.js';
import { seeded } from '../../support/random.js';
import { statesOf } from '../../support/state-machine.js';

const worth = (parts: Partial<Parameters<typeof effectiveGrant>[0]>) =>
  effectiveGrant({ isOperatorKey: false, scopes: [], roleScopes: [], actorScopes: null, ...parts });

describe('the effective scopes of a key', () => {
  it('are its scopes and those of its roles, once each, for an unbound key', () => {
    expect(worth({ scopes: ['events:write'], roleScopes: ['events:read', 'events:write'] })).toEqual([
      'events:read',
      'events:write',
    ]);
  });

  it('never exceed the roles of the actor or its own scopes for a bound key', () => {
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

  it("an operator's key bound to less than an operator is nothing; bound to an operator it is itself", () => {
    expect(worth({ isOperatorKey: true, scopes: ['*'], actorScopes: ['admin'] })).toBeNull();
    expect(worth({ isOperatorKey: true, scopes: ['*'], actorScopes: ['*'] })).toEqual(['*']);
    expect(worth({ isOperatorKey: true, scopes: ['*'] })).toEqual(['*']);
  });
});

describe('the built-in roles', () => {
  it('have existing scopes, each once; only the operator has *', () => {
    for (const { role_id, scopes } of BUILT_IN_ROLES) {
      expect([role_id, scopes.filter((scope) => !isGrantedScope(scope)), new Set(scopes).size]).toEqual([
        role_id,
        [],
        scopes.length,
      ]);
      expect(scopes.includes('*')).toBe(role_id === 'operator');
    }
  });

  it('give an auditor no writing scope', () => {
    const auditor = BUILT_IN_ROLES.find(({ role_id }) => role_id === 'auditor');
    const own = effectiveScopes(auditor?.scopes ?? []);
    const anyKey = effectiveScopes([]);
    const changing = [...own].filter((scope) => /:(write|apply|release|request)$/.test(scope) && !anyKey.has(scope));
    expect(changing).toEqual([]);
  });
});

describe('the state tables', () => {
  it('make REVOKED final for a key and never reactivate a signing key', () => {
    expect(allowedActions(API_KEY_MACHINE, 'REVOKED')).toEqual(['revoke']);
    expect(allowedActions(API_KEY_MACHINE, 'ROTATING')).toEqual(['revoke']);
    expect(allowedActions(SIGNING_KEY_MACHINE, 'RETIRED').sort()).toEqual(['retire', 'revoke']);
    expect(allowedActions(SIGNING_KEY_MACHINE, 'REVOKED')).toEqual(['revoke']);
    expect(statesOf(SIGNING_KEY_MACHINE)).toEqual(['PENDING', 'ACTIVE', 'RETIRED', 'REVOKED']);
  });

  it('describe a rejected step in a sentence', () => {
    expect(() => transition(API_KEY_MACHINE, 'EXPIRED', 'rotate')).toThrow(
      'An API key that is EXPIRED does not take "rotate".',
    );
    expect(() => transition(SIGNING_KEY_MACHINE, 'RETIRED', 'activate')).toThrow('A signing key that is RETIRED');
  });

  it('end grace at the requested time or at the expiry of the key', () => {
    const expires_at = new Date(50_000);
    expect(graceEnd({ expires_at: null }, 1_000, 60).getTime()).toBe(61_000);
    expect(graceEnd({ expires_at }, 1_000, 60)).toEqual(expires_at);
    expect(graceEnd({ expires_at }, 1_000, 40).getTime()).toBe(41_000);
  });
});

describe('address blocks', () => {
  it.each(['203.0.113.0/24', '0.0.0.0/0', '::/0', '2001:db8::/32', '198.51.100.7', '::1'])('accept %s', (text) => {
    expect(isCidr(text)).toBe(true);
  });

  it.each([
    '',
    '/',
    '203.0.113.0/',
    '203.0.113.0/33',
    '203.0.113/24',
    'fe80::1%eth0',
    '::/129',
    '1.2.3.4/-1',
    '1.2.3.4/1/1',
  ])('reject %j', (text) => {
    expect(isCidr(text)).toBe(false);
  });

  it('match every address of their family with /0 and none of the other family', () => {
    const v4 = addressMatcher(['0.0.0.0/0']);
    expect(['1.2.3.4', '::ffff:1.2.3.4', '::1'].map((address) => v4(address))).toEqual([true, true, false]);
    const v6 = addressMatcher(['::/0']);
    expect(['2001:db8::1', '1.2.3.4'].map((address) => v6(address))).toEqual([true, false]);
  });

  it('treat an IPv4 block inside IPv6 as the IPv4 block', () => {
    const one = addressMatcher(['::ffff:198.51.100.7']);
    expect(['198.51.100.7', '::ffff:198.51.100.7', '198.51.100.8'].map((address) => one(address))).toEqual([
      true,
      true,
      false,
    ]);
    const block = addressMatcher(['::ffff:198.51.100.0/120']);
    expect(['198.51.100.200', '198.51.101.1', '::1'].map((address) => block(address))).toEqual([true, false, false]);
  });

  it('agree with arithmetic on random addresses and prefixes', () => {
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
