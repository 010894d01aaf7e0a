import { isOperator, type Principal } from '../../../shared/auth/context.js';
import { type GrantedScope, isGrantedScope, notGrantable, OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { ANY_TENANT, type TenantId } from '../../../shared/ids/tenant.js';

/** Why a key may not be made: a word for the service to answer with, and the scopes or places it is about. */
export type GrantRefusal =
  | { readonly reason: 'FOREIGN_TENANT' }
  | { readonly reason: 'OPERATORS_ONLY' }
  | { readonly reason: 'NOT_HELD'; readonly scopes: readonly GrantedScope[] }
  | { readonly reason: 'UNKNOWN_SCOPES'; readonly indexes: readonly number[] }
  | { readonly reason: 'OPERATOR_SCOPE_IN_TENANT'; readonly index: number }
  | { readonly reason: 'NO_OPERATOR_SCOPE' };

export type GrantVerdict = GrantRefusal | { readonly reason: null; readonly scopes: readonly GrantedScope[] };

/**
 * May this principal give a key of `tenantId` these scopes? A tenant's key gives within its own tenant, nobody gives what
 * they do not hold, and a key is of no tenant exactly when it holds `*` (api.md section 1).
 */
export function judgeGrant(principal: Principal, tenantId: string, wanted: readonly string[]): GrantVerdict {
  const place = judgePlace(principal, tenantId);
  if (place !== null) return place;
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

/** May this principal make records of `tenantId` at all? */
export function judgePlace(
  principal: Principal,
  tenantId: string,
): Extract<GrantRefusal, { readonly reason: 'FOREIGN_TENANT' | 'OPERATORS_ONLY' }> | null {
  if (principal.tenantId !== null && principal.tenantId !== tenantId) return { reason: 'FOREIGN_TENANT' };
  return tenantId === ANY_TENANT && !isOperator(principal) ? { reason: 'OPERATORS_ONLY' } : null;
}

/** Whose records an administrative request may touch: repositories are made for a reach and for nothing else. */
export type Reach = TenantId | typeof ANY_TENANT;

/** A tenant's key reaches its own tenant; a key of no tenant the one that the request names, or all. */
export const reachOf = (principal: Principal, named: TenantId | null): Reach =>
  principal.tenantId ?? named ?? ANY_TENANT;
