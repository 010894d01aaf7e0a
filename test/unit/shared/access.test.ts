import { describe, expect, test } from '@jest/globals';
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

const OF_ANY_KEY = ['ava-access:write', 'member-auth:write', 'webhooks:read', 'webhooks:write'];

const effective = (...granted: GrantedScope[]): string[] => [...effectiveScopes(granted)].sort();

describe('scopes', () => {
  test('that the specification publishes are all there, to the letter', () => {
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

  test('are each named once', () => {
    expect(new Set(ALL_SCOPES).size).toBe(ALL_SCOPES.length);
    expect(ALL_SCOPES).toHaveLength(PUBLISHED_SCOPES.length + FINER_SCOPES.length);
  });

  test('of any key at all: webhooks, and access of members and their assistants', () => {
    expect(effective()).toEqual(OF_ANY_KEY);
  });

  test.each<[GrantedScope, string[]]>([
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
  ])('%s implies what the table says and nothing else', (granted, implied) => {
    expect(effective(granted)).toEqual([...implied, ...OF_ANY_KEY].sort());
  });

  test('admin implies all but the reading of what was redacted', () => {
    expect(effective('admin')).toEqual(ALL_SCOPES.filter((scope) => scope !== 'documents:unredacted').sort());
    expect(effective('admin', 'documents:unredacted')).toEqual([...ALL_SCOPES].sort());
  });

  test('* is all', () => {
    expect(effective('*')).toEqual([...ALL_SCOPES].sort());
    expect(effective('events:read', '*')).toEqual([...ALL_SCOPES].sort());
  });

  test('are known by their exact names', () => {
    expect(ALL_SCOPES.every(isGrantedScope)).toBe(true);
    expect(isGrantedScope('*')).toBe(true);
    for (const name of ['', 'Admin', 'admin ', 'events', 'events:*', 'toString', '__proto__']) {
      expect(isGrantedScope(name)).toBe(false);
    }
  });
});

describe('nobody grants what they do not hold', () => {
  test.each<[GrantedScope[], GrantedScope[], GrantedScope[]]>([
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
  ])('%j by a holder of %j lacks %j', (wanted, held, lacking) => {
    expect(notGrantable(wanted, held)).toEqual(lacking);
  });

  test('for every scope alone: its holder may pass on all that it amounts to', () => {
    for (const scope of ALL_SCOPES) expect(notGrantable([...effectiveScopes([scope])], [scope])).toEqual([]);
  });

  test('and passing on never adds: what is grantable was effective', () => {
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
  test('with the scope and a tenant is let in, and told its tenant', () => {
    expect(authorise(context(principal('acme', 'events:read'), 'acme'), 'documents:read')).toBe('acme');
  });

  test('without the scope is FORBIDDEN, whatever its tenant, and told which scope it lacks', () => {
    for (const tenantId of ['acme', null]) {
      const asked = context(principal('acme', 'events:read'), tenantId);
      expect(() => authorise(asked, 'events:write')).toThrow(
        expect.objectContaining({ code: 'FORBIDDEN', status: 403, message: 'This needs the scope events:write.' }),
      );
      expect(() => requireScope(asked, 'events:write')).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
    }
  });

  test("of an operator's key that names no tenant is TENANT_REQUIRED where one is needed", () => {
    const asked = context(principal(null, '*'), null);
    expect(() => requireTenant(asked)).toThrow(expect.objectContaining({ code: 'TENANT_REQUIRED', status: 400 }));
    expect(() => authorise(asked, 'events:read')).toThrow(expect.objectContaining({ code: 'TENANT_REQUIRED' }));
    expect(requireTenant(context(principal(null, '*'), 'acme'))).toBe('acme');
  });

  test("is an operator's only with * and no tenant", () => {
    expect(isOperator(principal(null, '*'))).toBe(true);
    expect(isOperator(principal(null, 'admin'))).toBe(false);
    expect(isOperator(principal('acme', '*'))).toBe(false);
  });
});
