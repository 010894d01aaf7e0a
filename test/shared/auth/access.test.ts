import { describe, expect, it } from '@jest/globals';
import {
  authorise,
  isOperator,
  type Principal,
  type RequestContext,
  requireScope,
  requireTenant,
} from '../../../shared/auth/context.js';
import {
  ALL_SCOPES,
  effectiveScopes,
  FINER_SCOPES,
  type GrantedScope,
  isGrantedScope,
  notGrantable,
  PUBLISHED_SCOPES,
  type Scope,
} from '../../../shared/auth/scopes.js';
import type { TenantId } from '../../../shared/ids/tenant.js';

const OF_ANY_KEY = ['ava-access:write', 'member-auth:write', 'webhooks:own'];

const effective = (...granted: GrantedScope[]): string[] => [...effectiveScopes(granted)].sort();

describe('scopes', () => {
  it('include every published one, spelt exactly', () => {
    expect([...PUBLISHED_SCOPES].sort()).toEqual([
      'admin',
      'ai-provenance:read',
      'ai-provenance:write',
      'appointments:read',
      'appointments:write',
      'bundles:export',
      'bundles:read',
      'bundles:request',
      'care-team:read',
      'care-team:write',
      'events:read',
      'events:write',
    ]);
  });

  it('have unique names', () => {
    expect(new Set(ALL_SCOPES).size).toBe(ALL_SCOPES.length);
    expect(ALL_SCOPES).toHaveLength(PUBLISHED_SCOPES.length + FINER_SCOPES.length);
  });

  it('of every key cover webhooks, and the access of members and their assistants', () => {
    expect(effective()).toEqual(OF_ANY_KEY);
  });

  it.each<[GrantedScope, string[]]>([
    ['events:write', ['documents:write', 'events:write', 'feeds:write', 'members:write']],
    [
      'events:read',
      [
        'custody:read',
        'dashboard:read',
        'documents:read',
        'events:read',
        'exceptions:read',
        'graph:read',
        'members:read',
        'rules:read',
        'search:read',
      ],
    ],
    ['bundles:read', ['bundles:read']],
    ['documents:unredacted', ['documents:unredacted']],
  ])('%s implies exactly the scopes of the table', (granted, implied) => {
    expect(effective(granted)).toEqual([...implied, ...OF_ANY_KEY].sort());
  });

  it('admin implies every scope except the one to read redacted data', () => {
    expect(effective('admin')).toEqual(ALL_SCOPES.filter((scope) => scope !== 'documents:unredacted').sort());
    expect(effective('admin', 'documents:unredacted')).toEqual([...ALL_SCOPES].sort());
  });

  it('* implies every scope', () => {
    expect(effective('*')).toEqual([...ALL_SCOPES].sort());
    expect(effective('events:read', '*')).toEqual([...ALL_SCOPES].sort());
  });

  it('match only by exact name', () => {
    expect(ALL_SCOPES.every(isGrantedScope)).toBe(true);
    expect(isGrantedScope('*')).toBe(true);
    for (const name of ['', 'Admin', 'admin ', 'events', 'events:*', 'toString', '__proto__']) {
      expect(isGrantedScope(name)).toBe(false);
    }
  });
});

describe('a grant of scopes', () => {
  it.each<[GrantedScope[], GrantedScope[], GrantedScope[]]>([
    [['events:read'], ['events:read'], []],
    [['events:read', 'documents:read'], ['events:read'], []],
    [['events:read'], ['documents:read'], ['events:read']],
    [['admin'], ['events:read'], ['admin']],
    [['admin', 'quarantine:release'], ['admin'], []],
    [['documents:unredacted'], ['admin'], ['documents:unredacted']],
    [['*'], ['admin'], ['*']],
    [['*'], [...ALL_SCOPES], ['*']],
    [['*', 'documents:unredacted'], ['*'], []],
    [[], [], []],
  ])('of %j by a holder of %j lacks %j', (wanted, held, lacking) => {
    expect(notGrantable(wanted, held)).toEqual(lacking);
  });

  it('may pass on every scope that a single scope implies', () => {
    for (const scope of ALL_SCOPES) expect(notGrantable([...effectiveScopes([scope])], [scope])).toEqual([]);
  });

  it('never adds a scope: every grantable scope was effective', () => {
    for (const held of ALL_SCOPES) {
      const grantable = ALL_SCOPES.filter((scope) => notGrantable([scope], [held]).length === 0);
      const after = new Set<Scope>(grantable.flatMap((scope) => [...effectiveScopes([scope])]));
      expect([...after].filter((scope) => !effectiveScopes([held]).has(scope))).toEqual([]);
    }
  });
});

const principal = (tenantId: string | null, ...granted: GrantedScope[]): Principal => ({
  keyId: 'key_1',
  keyName: 'k',
  actorId: null,
  tenantId: tenantId as TenantId | null,
  grantedScopes: granted,
  scopes: effectiveScopes(granted),
});

const context = (who: Principal, tenantId: string | null): RequestContext => ({
  requestId: 'req_1',
  traceparent: null,
  workId: null,
  principal: who,
  tenantId: tenantId as TenantId | null,
});

describe('a request', () => {
  it('with the scope and a tenant is accepted for its tenant', () => {
    expect(authorise(context(principal('acme', 'events:read'), 'acme'), 'documents:read')).toBe('acme');
  });

  it('without the scope returns FORBIDDEN for any tenant, and names the missing scope', () => {
    for (const tenantId of ['acme', null]) {
      const asked = context(principal('acme', 'events:read'), tenantId);
      expect(() => authorise(asked, 'events:write')).toThrow(
        expect.objectContaining({ code: 'FORBIDDEN', status: 403, message: 'This needs the scope events:write.' }),
      );
      expect(() => requireScope(asked, 'events:write')).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
    }
  });

  it("with an operator's key and no tenant returns TENANT_REQUIRED where a route needs one", () => {
    const asked = context(principal(null, '*'), null);
    expect(() => requireTenant(asked)).toThrow(expect.objectContaining({ code: 'TENANT_REQUIRED', status: 400 }));
    expect(() => authorise(asked, 'events:read')).toThrow(expect.objectContaining({ code: 'TENANT_REQUIRED' }));
    expect(requireTenant(context(principal(null, '*'), 'acme'))).toBe('acme');
  });

  it("is an operator's only with * and no tenant", () => {
    expect(isOperator(principal(null, '*'))).toBe(true);
    expect(isOperator(principal(null, 'admin'))).toBe(false);
    expect(isOperator(principal('acme', '*'))).toBe(false);
  });
});
