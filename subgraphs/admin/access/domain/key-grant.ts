import { isOperator, type Principal } from '../../../../shared/auth/context.js';
import {
  effectiveScopes,
  type GrantedScope,
  isGrantedScope,
  notGrantable,
  OPERATOR_SCOPE,
} from '../../../../shared/auth/scopes.js';
import { ANY_TENANT } from '../../../../shared/ids/tenant.js';

/** Reason of a rejected grant, with the scopes or indexes concerned. */
export type GrantRejection =
  | { readonly reason: 'FOREIGN_TENANT' }
  | { readonly reason: 'OPERATORS_ONLY' }
  | { readonly reason: 'NOT_HELD'; readonly scopes: readonly GrantedScope[] }
  | { readonly reason: 'UNKNOWN_SCOPES'; readonly indexes: readonly number[] }
  | { readonly reason: 'OPERATOR_SCOPE_IN_TENANT'; readonly index: number }
  | { readonly reason: 'NO_OPERATOR_SCOPE' };

type GrantResult = GrantRejection | { readonly reason: null; readonly scopes: readonly GrantedScope[] };

/**
 * Checks whether a principal may give a key of `tenantId` these scopes. A tenant's key grants within its own tenant, a grant
 * needs every scope, and exactly the keys of no tenant hold `*` (api.md section 1).
 */
export function checkGrant(principal: Principal, tenantId: string, wanted: readonly string[]): GrantResult {
  const rejection = checkTenant(principal, tenantId);
  if (rejection !== null) return rejection;
  const unknown = wanted.flatMap((scope, index) => (isGrantedScope(scope) ? [] : [index]));
  if (unknown.length > 0) return { reason: 'UNKNOWN_SCOPES', indexes: unknown };
  const scopes = [...new Set(wanted.filter(isGrantedScope))].sort();
  const missing = notGrantable(scopes, principal.grantedScopes);
  if (missing.length > 0) return { reason: 'NOT_HELD', scopes: missing };
  const operators = scopes.includes(OPERATOR_SCOPE);
  if (tenantId === ANY_TENANT && !operators) return { reason: 'NO_OPERATOR_SCOPE' };
  if (tenantId !== ANY_TENANT && operators) {
    return { reason: 'OPERATOR_SCOPE_IN_TENANT', index: wanted.indexOf(OPERATOR_SCOPE) };
  }
  return { reason: null, scopes };
}

/** Checks whether a principal may create records of `tenantId`. */
export function checkTenant(
  principal: Principal,
  tenantId: string,
): Extract<GrantRejection, { readonly reason: 'FOREIGN_TENANT' | 'OPERATORS_ONLY' }> | null {
  if (principal.tenantId !== null && principal.tenantId !== tenantId) return { reason: 'FOREIGN_TENANT' };
  return tenantId === ANY_TENANT && !isOperator(principal) ? { reason: 'OPERATORS_ONLY' } : null;
}

/** The stored parts of a key's grant. */
interface GrantParts {
  readonly isOperatorKey: boolean;
  readonly scopes: readonly GrantedScope[];
  /** Scopes of the key's existing roles. */
  readonly roleScopes: readonly GrantedScope[];
  /** Scopes of the actor's roles; null for a key without an actor. */
  readonly actorScopes: readonly GrantedScope[] | null;
}

/**
 * Returns the effective scopes of a key (docs/api-keys.md): its own scopes and those of its roles, limited to the scopes of its
 * actor's roles. Null for an operator's key without `*`: no rule covers such a key.
 */
export function effectiveGrant(parts: GrantParts): readonly GrantedScope[] | null {
  const own = [...new Set([...parts.scopes, ...parts.roleScopes])].sort();
  const granted = parts.actorScopes === null ? own : within(own, parts.actorScopes);
  return parts.isOperatorKey && !granted.includes(OPERATOR_SCOPE) ? null : granted;
}

// Both sides are closed under implication, so their intersection is too.
function within(own: readonly GrantedScope[], ceiling: readonly GrantedScope[]): readonly GrantedScope[] {
  if (ceiling.includes(OPERATOR_SCOPE)) return own;
  const allowed = effectiveScopes(ceiling);
  return [...effectiveScopes(own)].filter((scope) => allowed.has(scope)).sort();
}
