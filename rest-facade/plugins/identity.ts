import type { FastifyRequest } from 'fastify';
import type { Principal, RequestContext } from '../../shared/auth/context.js';
import type { KeyAuthority, TenantDirectory, TenantSummary } from '../../shared/contracts/tenants.js';
import { fault, problem } from '../../shared/errors/problem.js';
import { isTenantId, OPERATOR_TENANT, type TenantId } from '../../shared/ids/tenant.js';
import { isJsonObject, type JsonValue } from '../../shared/json/strict-json.js';
import type { FailedLogins } from '../../shared/limits/failed-logins.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { ANY_KEY, type Route } from '../route.js';

/** Who asks, and for which tenant; made before the body is read. */
export interface Identity {
  readonly principal: Principal;
  readonly tenant: TenantSummary | null;
  /** The tenant as the request names it in header and query; undefined when it names none. */
  readonly named: string | undefined;
}

export interface IdentityDeps {
  readonly keys: KeyAuthority;
  readonly tenants: TenantDirectory;
  readonly failedLogins: FailedLogins;
  readonly metrics: Pick<Metrics, 'limited'>;
}

/**
 * Whose key it is. An address that has presented too many wrong keys is turned away before any look-up, but for keys that
 * were good here before.
 * @throws UNAUTHENTICATED, RATE_LIMITED
 */
export async function authenticate(deps: IdentityDeps, request: FastifyRequest): Promise<Principal> {
  const key = presentedKey(request);
  if (key === undefined) throw problem('UNAUTHENTICATED');
  const retryAfterSeconds = deps.failedLogins.waitSeconds(request.ip);
  if (retryAfterSeconds !== null && !deps.failedLogins.isProven(key)) {
    deps.metrics.limited('address');
    throw problem('RATE_LIMITED', { message: 'Too many wrong keys came from this address.', retryAfterSeconds });
  }
  const principal = await deps.keys.authenticate(key, request.ip);
  if (principal) {
    deps.failedLogins.prove(principal.keyId, key);
    return principal;
  }
  deps.failedLogins.note(request.ip);
  throw problem('UNAUTHENTICATED');
}

/** Tenant and scope of an authenticated request. @throws VALIDATION_ERROR, TENANT_*, NOT_FOUND, FORBIDDEN */
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

/** A token of member access opens the routes that say so, and no other: not even those that any key may use. */
function refuseUnscoped({ scope, members }: Route, principal: Principal): void {
  if (principal.member !== undefined) {
    if (members !== undefined) return;
    throw problem('FORBIDDEN', { message: 'A token of member access does not open this route.' });
  }
  if (scope === null || scope === ANY_KEY || principal.scopes.has(scope)) return;
  throw problem('FORBIDDEN', { message: `This route needs the scope ${scope}.` });
}

/**
 * The body's turn: what it says of the tenant must agree with header and query, and where an operator's key has named
 * none there, the body may do so. Gives the identity with the tenant that the request is about.
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

/** Where the body names the tenant, and how: at its top, and in the member that the route declares. */
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
  tenantId: (identity.tenant?.tenant_id as TenantId | undefined) ?? null,
});

const BEARER = /^Bearer +(\S+) *$/i;

/** Whether the request brings anything for a key, good or bad. */
export const presentsKey = ({ headers }: FastifyRequest): boolean =>
  headers.authorization !== undefined || headers['x-api-key'] !== undefined;

/** X-Api-Key, or Authorization: Bearer; two different keys are no key. */
function presentedKey(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  const apiKey = request.headers['x-api-key'];
  const bearer = authorization === undefined ? undefined : (BEARER.exec(authorization)?.[1] ?? '');
  if (typeof apiKey !== 'string' || apiKey === '') return bearer || undefined;
  return bearer === undefined || bearer === apiKey ? apiKey : undefined;
}

/** The tenant by header and query, which must agree (api.md section 1 "Tenant"). */
export function namedTenant(request: FastifyRequest): string | undefined {
  const header = request.headers['x-tenant-id'];
  const query = (request.query as Readonly<Record<string, unknown>>)['tenant_id'];
  if (query !== undefined && typeof query !== 'string') {
    throw problem('VALIDATION_ERROR', { errors: [fault('/tenant_id', 'repeated', 'Must be given once.')] });
  }
  const inHeader = typeof header === 'string' && header !== '' ? header : undefined;
  if (inHeader !== undefined && query !== undefined && inHeader !== query) throw disagreement('/tenant_id');
  return inHeader ?? query;
}

const disagreement = (path: string) =>
  problem('VALIDATION_ERROR', {
    errors: [fault(path, 'tenant', 'Differs from the tenant that the request names elsewhere.')],
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
    // A body may still name it; without one there is nothing more to come.
    if (route.tenant === 'required' && !route.body) throw problem('TENANT_REQUIRED');
    return null;
  }
  if (route.tenant === 'none' && principal.tenantId === null) return null;
  // The pattern of callers' tenants keeps the reserved ones of the platform out of reach.
  const known = isTenantId(tenantId) || isOwnTrail(route, principal, tenantId);
  const tenant = known ? await deps.tenants.find(tenantId) : undefined;
  if (!tenant) throw problem('NOT_FOUND', { message: 'No such tenant.' });
  // An operator manages a suspended tenant's keys; its data wait for everybody.
  const managing = principal.tenantId === null && route.tenant !== 'required';
  if (tenant.status === 'SUSPENDED' && !managing) throw problem('TENANT_SUSPENDED');
  return tenant;
}

/** Operators read, and verify, the chain of what they did to keys and actors of their own; nobody writes to it from outside. */
const isOwnTrail = (route: Route, principal: Principal, tenantId: string): boolean =>
  tenantId === OPERATOR_TENANT && principal.tenantId === null && route.method === 'GET';
