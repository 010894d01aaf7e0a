import type { FastifyRequest } from 'fastify';
import type { Principal, RequestContext } from '../../shared/auth/context.js';
import type { KeyAuthority, TenantDirectory, TenantSummary } from '../../shared/contracts/tenants.js';
import { fault, problem } from '../../shared/errors/problem.js';
import { isTenantId, OPERATOR_TENANT } from '../../shared/ids/tenant.js';
import { isJsonObject, type JsonValue } from '../../shared/json/strict-json.js';
import type { FailedLogins } from '../../shared/limits/failed-logins.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { objectOf } from '../object-of.js';
import { ANY_KEY, type Route } from '../route.js';
import { refuseForeignOrigin, sessionTokenIn } from './session-cookie.js';

/** The caller and the tenant of a request, known before the body is read. */
export interface Identity {
  readonly principal: Principal;
  readonly tenant: TenantSummary | null;
  /** The tenant that header or query name, if any. */
  readonly named: string | undefined;
}

export interface IdentityDeps {
  readonly keys: KeyAuthority;
  readonly tenants: TenantDirectory;
  readonly failedLogins: FailedLogins;
  readonly metrics: Pick<Metrics, 'limited'>;
}

/**
 * Authenticates the key. An address with too many wrong keys is rejected before the lookup, except for keys that were valid
 * here before.
 *
 * @throws UNAUTHENTICATED, RATE_LIMITED, FORBIDDEN for a write by cookie from another origin
 */
export async function authenticate(deps: IdentityDeps, request: FastifyRequest): Promise<Principal> {
  const key = presentedKey(request) ?? sessionToken(request);
  if (key === undefined) throw problem('UNAUTHENTICATED');
  const retryAfterSeconds = deps.failedLogins.waitSeconds(request.ip);
  if (retryAfterSeconds !== null && !deps.failedLogins.isProven(key)) {
    deps.metrics.limited('address');
    throw problem('RATE_LIMITED', { message: 'Too many wrong keys came from this address.', retryAfterSeconds });
  }
  const principal = await deps.keys.authenticate(key, request.ip);
  if (principal) {
    deps.failedLogins.prove(principal.sessionId ?? principal.keyId, key);
    return principal;
  }
  deps.failedLogins.note(request.ip);
  throw problem('UNAUTHENTICATED');
}

/** Checks tenant and scope of an authenticated request. @throws VALIDATION_ERROR, TENANT_*, NOT_FOUND, FORBIDDEN */
export async function identify(
  deps: IdentityDeps,
  route: Route,
  request: FastifyRequest,
  principal: Principal,
): Promise<Identity> {
  const named = namedTenant(request);
  refuseForeignTenant(principal, named);
  const tenant = await tenantOf(deps, route, principal, named ?? principal.tenantId ?? undefined);
  refuseUnscoped(route, principal);
  return { principal, tenant, named };
}

/** A member token opens only routes with `members`, not even those that any key may use. */
function refuseUnscoped({ scope, members }: Route, principal: Principal): void {
  if (principal.member !== undefined) {
    if (members !== undefined) return;
    throw problem('FORBIDDEN', { message: 'A token of member access does not open this route.' });
  }
  if (scope === null || scope === ANY_KEY || principal.scopes.has(scope)) return;
  throw problem('FORBIDDEN', { message: `This route needs the scope ${scope}.` });
}

/**
 * Settles the tenant after the body is read: it must agree with header and query, and may name the tenant for an operator's
 * key. Returns the identity with that tenant.
 */
export async function settleTenant(
  deps: IdentityDeps,
  route: Route,
  identity: Identity,
  body: JsonValue | undefined,
): Promise<Identity> {
  if (route.tenant !== 'required') return identity;
  const { principal } = identity;
  let { named } = identity;
  for (const [path, inBody] of tenantsInBody(route, body)) {
    if (named !== undefined && named !== inBody) throw disagreement(path);
    refuseForeignTenant(principal, inBody);
    named = inBody;
  }
  if (identity.tenant) return identity;
  if (named === undefined) throw problem('TENANT_REQUIRED');
  return { ...identity, tenant: await tenantOf(deps, route, principal, named) };
}

/** Finds the tenants in the body: at its top, and in the member that the route declares. */
function tenantsInBody({ body: declared }: Route, body: JsonValue | undefined): [path: string, tenantId: string][] {
  const member = declared?.kind === 'json' ? declared.tenantIn : undefined;
  const tenantIn = (path: string, value: JsonValue | undefined): [string, string][] =>
    isJsonObject(value) && typeof value['tenant_id'] === 'string' ? [[`${path}/tenant_id`, value['tenant_id']]] : [];
  const inMember = member !== undefined && isJsonObject(body) ? tenantIn(`/${member}`, body[member]) : [];
  return [...tenantIn('', body), ...inMember];
}

export const contextOf = (
  identity: Identity,
  requestId: string,
  traceparent: string | null,
  workId: string | null,
): RequestContext => ({
  requestId,
  traceparent,
  workId,
  principal: identity.principal,
  tenantId: identity.tenant?.tenant_id ?? null,
});

const BEARER = /^Bearer +(\S+) *$/i;

const presentsHeader = ({ headers }: FastifyRequest): boolean =>
  headers.authorization !== undefined || headers['x-api-key'] !== undefined;

/** Returns whether the request presents a key or a session, valid or not. */
export const presentsKey = (request: FastifyRequest): boolean =>
  presentsHeader(request) || sessionTokenIn(request) !== undefined;

/** Returns the session token of a request without a key. @throws FORBIDDEN for a write from another origin */
function sessionToken(request: FastifyRequest): string | undefined {
  const token = presentsHeader(request) ? undefined : sessionTokenIn(request);
  if (token !== undefined) refuseForeignOrigin(request);
  return token;
}

/** Reads X-Api-Key or Authorization: Bearer; two different keys count as none. */
function presentedKey(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  const apiKey = request.headers['x-api-key'];
  const bearer = authorization === undefined ? undefined : (BEARER.exec(authorization)?.[1] ?? '');
  if (typeof apiKey !== 'string' || apiKey === '') return bearer || undefined;
  return bearer === undefined || bearer === apiKey ? apiKey : undefined;
}

/** Reads the tenant from header and query, which must agree (api.md section 1 "Tenant"). */
export function namedTenant(request: FastifyRequest): string | undefined {
  const header = request.headers['x-tenant-id'];
  const query = objectOf(request.query)['tenant_id'];
  if (query !== undefined && typeof query !== 'string') {
    throw problem('VALIDATION_ERROR', { errors: [fault('/tenant_id', 'repeated', 'Must be given once.')] });
  }
  const inHeader = typeof header === 'string' && header !== '' ? header : undefined;
  if (inHeader !== undefined && query !== undefined && inHeader !== query) throw disagreement('/tenant_id');
  return inHeader ?? query;
}

const disagreement = (path: string) =>
  problem('VALIDATION_ERROR', {
    errors: [fault(path, 'tenant', 'Must be the tenant that the request names elsewhere.')],
  });

function refuseForeignTenant(principal: Principal, named: string | undefined): void {
  if (named === undefined || principal.tenantId === null || principal.tenantId === named) return;
  throw problem('TENANT_MISMATCH');
}

async function tenantOf(
  deps: IdentityDeps,
  route: Route,
  principal: Principal,
  tenantId: string | undefined,
): Promise<TenantSummary | null> {
  if (tenantId === undefined) {
    // A body may still name it.
    if (route.tenant === 'required' && !route.body) throw problem('TENANT_REQUIRED');
    return null;
  }
  if (route.tenant === 'none' && principal.tenantId === null) return null;
  // The pattern of tenants excludes the reserved ones of the platform.
  const known = isTenantId(tenantId) || isOwnTrail(route, principal, tenantId);
  const tenant = known ? await deps.tenants.find(tenantId) : undefined;
  if (!tenant) throw problem('NOT_FOUND', { message: 'No such tenant.' });
  // An operator may manage the keys of a suspended tenant; its data are closed to all.
  const managing = principal.tenantId === null && route.tenant !== 'required';
  if (tenant.status === 'SUSPENDED' && !managing) throw problem('TENANT_SUSPENDED');
  return tenant;
}

/** Operators may read and verify the chain of their own acts; no caller writes to it. */
const isOwnTrail = (route: Route, principal: Principal, tenantId: string): boolean =>
  tenantId === OPERATOR_TENANT && principal.tenantId === null && route.method === 'GET';
