import { problem } from '../errors/problem.js';
import type { TenantId } from '../ids/tenant.js';
import { type GrantedScope, type HeldScope, INTERNAL_SCOPE, OPERATOR_SCOPE } from './scopes.js';

/** The member with the record that the token opens: the holder, or the member that the holder acts for. */
export interface MemberGrant {
  readonly kind: 'MEMBER' | 'AVA';
  readonly member_id: string;
  /** The same person under every identifier. */
  readonly member_ids: readonly string[];
  /** What consent is asked about at every read. */
  readonly purpose: string;
  /** Who asked for it; null for the member. */
  readonly requested_by: string | null;
}

/** Who is asking: an API key, or a token of member access, already checked. */
export interface Principal {
  readonly keyId: string;
  readonly keyName: string;
  readonly actorId: string | null;
  /** The key's tenant; null for a platform operator's key, which may name any. */
  readonly tenantId: TenantId | null;
  readonly grantedScopes: readonly GrantedScope[];
  readonly scopes: ReadonlySet<HeldScope>;
  /** Set for a token of member access alone: it holds the scope `member:self` and nothing else. */
  readonly member?: MemberGrant;
  /** Set for a session that the key opened: it has the rights of the key. */
  readonly sessionId?: string;
  /** When the session was opened; set with sessionId. */
  readonly signedInAtMs?: number;
}

/**
 * One request's identity, made by the facade and handed through the gateway to every resolver as the graph context.
 * Resolvers check it again: the facade is not trusted to have done so.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly traceparent: string | null;
  readonly principal: Principal;
  /** The tenant of this request, looked up and active; null on routes about no tenant. */
  readonly tenantId: TenantId | null;
  /**
   * Names the work of a request that came with an Idempotency-Key: the same for the same request sent again, also after a
   * crash. What makes ids or secrets takes them from forWork (shared/ids/work.ts). Null without a key.
   */
  readonly workId: string | null;
  /**
   * Aborted when the client leaves before the end of its answer; present for reads alone. Writes and calls between
   * subgraphs have none: nothing may cut a write, and several requests may share the answer of a call.
   */
  readonly signal?: AbortSignal;
}

/** @throws FORBIDDEN unless the principal holds the scope. */
export function requireScope(context: RequestContext, scope: HeldScope): void {
  if (context.principal.scopes.has(scope)) return;
  throw problem('FORBIDDEN', { message: `This needs the scope ${scope}.` });
}

/** @throws TENANT_REQUIRED when an operator's key named none. */
export function requireTenant(context: RequestContext): TenantId {
  if (context.tenantId === null) throw problem('TENANT_REQUIRED');
  return context.tenantId;
}

/** Scope and tenant at once: what nearly every resolver begins with. */
export function authorise(context: RequestContext, scope: HeldScope): TenantId {
  requireScope(context, scope);
  return requireTenant(context);
}

export const isOperator = (principal: Principal): boolean =>
  principal.tenantId === null && principal.grantedScopes.includes(OPERATOR_SCOPE);

/**
 * The identity under which one part of the service calls an internal root field of another. It holds the scope
 * `internal` alone: what callers may do is out of its reach, as its fields are out of theirs.
 *
 * @param tenantId null if the call concerns no tenant.
 * @param service the part that calls.
 */
export function internalContext(tenantId: TenantId | null, service: string): RequestContext {
  const name = `service:${service}`;
  return {
    requestId: name,
    traceparent: null,
    workId: null,
    tenantId,
    principal: {
      keyId: name,
      keyName: name,
      actorId: null,
      tenantId,
      grantedScopes: [],
      scopes: new Set([INTERNAL_SCOPE]),
    },
  };
}
