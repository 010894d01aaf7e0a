// The one table of scopes (api.md section 1): which scope implies which. Each route declares its required scope;
// OpenAPI's x-required-scope and docs/scopes.md are generated from both.

const ADMIN_ONLY = ['admin'] as const;

/** Scopes that the specification publishes. */
export const PUBLISHED_SCOPES = [
  'events:read',
  'events:write',
  'ai-provenance:read',
  'ai-provenance:write',
  'appointments:read',
  'appointments:write',
  'bundles:read',
  'bundles:request',
  'bundles:export',
  'care-team:read',
  'care-team:write',
  ...ADMIN_ONLY,
] as const;

/** Finer scopes that api.md adds; each is implied by a published one, or by being a key of the tenant at all. */
export const FINER_SCOPES = [
  'documents:read',
  'documents:write',
  'documents:unredacted',
  'quarantine:release',
  'members:read',
  'members:write',
  'custody:read',
  'custody:write',
  'holds:read',
  'holds:write',
  'matters:read',
  'matters:write',
  'exceptions:read',
  'exceptions:write',
  'redactions:read',
  'redactions:write',
  'redactions:apply',
  'rules:read',
  'rules:write',
  'search:read',
  'graph:read',
  'graph:query',
  'connectors:read',
  'connectors:write',
  'feeds:read',
  'feeds:write',
  'webhooks:own',
  'webhooks:read',
  'webhooks:write',
  'dashboard:read',
  'consent:read',
  'consent:write',
  'data-rights:read',
  'data-rights:write',
  'leads:read',
  'leads:write',
  'flags:read',
  'flags:write',
  'retention:read',
  'retention:write',
  'member-auth:write',
  'ava-access:write',
] as const;

export type Scope = (typeof PUBLISHED_SCOPES)[number] | (typeof FINER_SCOPES)[number];

/** Of the service's own parts among themselves: no key can hold it, nothing implies it, no route needs it. */
export const INTERNAL_SCOPE = 'internal';
/** The only scope of a token for one member's record, so that the token opens nothing else. */
export const MEMBER_SCOPE = 'member:self';
export type HeldScope = Scope | typeof INTERNAL_SCOPE | typeof MEMBER_SCOPE;

export const ALL_SCOPES: readonly Scope[] = [...PUBLISHED_SCOPES, ...FINER_SCOPES];

/** The platform operator's scope: everything, in any tenant. */
export const OPERATOR_SCOPE = '*';
export type GrantedScope = Scope | typeof OPERATOR_SCOPE;

/** `admin` implies everything inside its tenant but this. */
const NOT_IMPLIED_BY_ADMIN: ReadonlySet<Scope> = new Set(['documents:unredacted']);

const IMPLIED: Partial<Record<Scope, readonly Scope[]>> = {
  'events:write': ['documents:write', 'members:write', 'feeds:write'],
  'events:read': [
    'documents:read',
    'members:read',
    'search:read',
    'graph:read',
    'rules:read',
    'custody:read',
    'exceptions:read',
    'dashboard:read',
  ],
  admin: ALL_SCOPES.filter((scope) => !NOT_IMPLIED_BY_ADMIN.has(scope)),
};

/** What any key of a tenant may do. */
const IMPLIED_BY_ANY_KEY: readonly Scope[] = ['webhooks:own', 'ava-access:write', 'member-auth:write'];

const KNOWN: ReadonlySet<string> = new Set([...ALL_SCOPES, OPERATOR_SCOPE]);

export const isGrantedScope = (text: string): text is GrantedScope => KNOWN.has(text);

const HELD: ReadonlySet<string> = new Set([...ALL_SCOPES, INTERNAL_SCOPE, MEMBER_SCOPE]);

export const isHeldScope = (text: string): text is HeldScope => HELD.has(text);

/** Every scope that the granted ones amount to. */
export function effectiveScopes(granted: Iterable<GrantedScope>): ReadonlySet<Scope> {
  const effective = new Set<Scope>(IMPLIED_BY_ANY_KEY);
  for (const scope of granted) {
    if (scope === OPERATOR_SCOPE) return new Set(ALL_SCOPES);
    effective.add(scope);
    for (const implied of IMPLIED[scope] ?? []) effective.add(implied);
  }
  return effective;
}

/** Scopes among `wanted` that a holder of `held` may not grant: a holder grants only scopes that it holds. */
export function notGrantable(wanted: Iterable<GrantedScope>, held: Iterable<GrantedScope>): GrantedScope[] {
  const own = new Set<string>(held);
  if (own.has(OPERATOR_SCOPE)) return [];
  const effective: ReadonlySet<string> = effectiveScopes(held);
  return [...wanted].filter((scope) => !effective.has(scope));
}
