import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../../shared/auth/context.js';
import { effectiveScopes, type GrantedScope } from '../../../shared/auth/scopes.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { apiKeyStatusAt } from '../../../subgraphs/admin/access/domain/api-key-status.js';
import { checkGrant } from '../../../subgraphs/admin/access/domain/key-grant.js';
import { reachOf } from '../../../subgraphs/admin/tenants/domain.js';

const principal = (tenantId: string | null, grantedScopes: readonly GrantedScope[]): Principal => ({
  keyId: 'key_01JQ0000000000000000000001',
  keyName: 'test',
  actorId: null,
  tenantId: tenantId as TenantId | null,
  grantedScopes,
  scopes: effectiveScopes(grantedScopes),
});

const operator = principal(null, ['*']);
const acmeAdmin = principal('acme', ['admin']);
const platformReader = principal(null, ['admin', 'events:read']);

describe('checkGrant', () => {
  it.each<[string, Principal, string, string[], unknown]>([
    ['an operator gives a tenant anything but *', operator, 'acme', ['events:read'], ['events:read']],
    ['an operator makes operator keys', operator, '*', ['*'], ['*']],
    [
      'an operator gives what admin does not imply',
      operator,
      'acme',
      ['documents:unredacted'],
      ['documents:unredacted'],
    ],
    [
      'scopes are sorted, and said once',
      operator,
      'acme',
      ['events:write', 'admin', 'admin'],
      ['admin', 'events:write'],
    ],
    ["an admin gives its own tenant's key admin", acmeAdmin, 'acme', ['admin'], ['admin']],
    ['an admin gives what admin implies', acmeAdmin, 'acme', ['quarantine:release'], ['quarantine:release']],
  ])('%s', (_name, who, tenant, wanted, scopes) => {
    expect(checkGrant(who, tenant, wanted)).toEqual({ reason: null, scopes });
  });

  it.each<[string, Principal, string, string[], unknown]>([
    ['an admin names another tenant', acmeAdmin, 'other', ['admin'], { reason: 'FOREIGN_TENANT' }],
    ['an admin asks for an operator key', acmeAdmin, '*', ['admin'], { reason: 'FOREIGN_TENANT' }],
    [
      'a key of no tenant without * asks for an operator key',
      platformReader,
      '*',
      ['admin'],
      { reason: 'OPERATORS_ONLY' },
    ],
    ['an admin gives * in its tenant', acmeAdmin, 'acme', ['*'], { reason: 'NOT_HELD', scopes: ['*'] }],
    [
      'an admin gives the one scope that admin does not imply',
      acmeAdmin,
      'acme',
      ['documents:unredacted', 'admin'],
      { reason: 'NOT_HELD', scopes: ['documents:unredacted'] },
    ],
    [
      'a reader gives writing',
      principal('acme', ['events:read']),
      'acme',
      ['events:write'],
      { reason: 'NOT_HELD', scopes: ['events:write'] },
    ],
    [
      'an operator gives * inside a tenant',
      operator,
      'acme',
      ['admin', '*'],
      { reason: 'OPERATOR_SCOPE_IN_TENANT', index: 1 },
    ],
    ['an operator makes a lesser key of no tenant', operator, '*', ['events:read'], { reason: 'NO_OPERATOR_SCOPE' }],
    [
      'a scope is unknown',
      operator,
      'acme',
      ['admin', 'events:reed', ''],
      { reason: 'UNKNOWN_SCOPES', indexes: [1, 2] },
    ],
    ['a scope is spelt in another case', operator, 'acme', ['Admin'], { reason: 'UNKNOWN_SCOPES', indexes: [0] }],
    [
      'a scope is the name of an object member',
      operator,
      'acme',
      ['constructor'],
      { reason: 'UNKNOWN_SCOPES', indexes: [0] },
    ],
  ])('rejects: %s', (_name, who, tenant, wanted, refusal) => {
    expect(checkGrant(who, tenant, wanted)).toEqual(refusal);
  });
});

describe('reachOf', () => {
  it("of a tenant's key is its tenant, whatever the request names", () => {
    expect(reachOf(acmeAdmin, null)).toBe('acme');
    expect(reachOf(acmeAdmin, 'other' as TenantId)).toBe('acme');
  });

  it("returns the named tenant, or all, for an operator's key", () => {
    expect(reachOf(operator, 'other' as TenantId)).toBe('other');
    expect(reachOf(operator, null)).toBe('*');
  });
});

describe('apiKeyStatusAt', () => {
  const at = (ms: number): Date => new Date(ms);

  it.each([
    ['without expiry', { revoked_at: null, expires_at: null }, 'ACTIVE'],
    ['a millisecond before its expiry', { revoked_at: null, expires_at: at(1001) }, 'ACTIVE'],
    ['at its expiry', { revoked_at: null, expires_at: at(1000) }, 'EXPIRED'],
    ['after its expiry', { revoked_at: null, expires_at: at(1) }, 'EXPIRED'],
    ['revoked', { revoked_at: at(999), expires_at: null }, 'REVOKED'],
    ['revoked and expired', { revoked_at: at(999), expires_at: at(1) }, 'REVOKED'],
    ['rotated, in its grace', { revoked_at: null, expires_at: null, grace_ends_at: at(1001) }, 'ROTATING'],
    [
      'rotated, at the end of its grace',
      { revoked_at: null, expires_at: at(1000), grace_ends_at: at(1000) },
      'REVOKED',
    ],
    ['rotated and revoked', { revoked_at: at(999), expires_at: null, grace_ends_at: at(1001) }, 'REVOKED'],
  ])('%s', (_name, key, status) => {
    expect(apiKeyStatusAt({ grace_ends_at: null, ...key }, 1000)).toBe(status);
  });
});
