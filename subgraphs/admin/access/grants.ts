import type { RequestContext } from '../../../shared/auth/context.js';
import { builtInRole } from '../../../shared/auth/roles.js';
import { type GrantedScope, notGrantable, OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { fault, type Problem, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { ANY_TENANT, isTenantId } from '../../../shared/ids/tenant.js';
import type { Reach } from '../tenants/domain.js';
import type { Tenants } from '../tenants/index.js';
import { checkGrant, checkTenant, type GrantRejection } from './domain/key-grant.js';
import type { RoleStore } from './ports.js';

export const invalid = (path: string, code: string, message: string): Problem =>
  problem('VALIDATION_ERROR', { errors: [fault(path, code, message)] });

/** Returns the problem of a rejected grant. */
function problemOf(rejection: GrantRejection): Problem {
  switch (rejection.reason) {
    case 'FOREIGN_TENANT':
      return problem('TENANT_MISMATCH');
    case 'OPERATORS_ONLY':
      return problem('FORBIDDEN', { message: 'Only a platform operator creates records of operators (tenant_id *).' });
    case 'NOT_HELD':
      return notHeld(rejection.scopes);
    case 'UNKNOWN_SCOPES':
      return problem('VALIDATION_ERROR', {
        errors: rejection.indexes.map((index) =>
          fault(`/scopes/${index}`, 'scope', 'Must be a scope of this service.'),
        ),
      });
    case 'OPERATOR_SCOPE_IN_TENANT':
      return invalid(`/scopes/${rejection.index}`, 'scope', 'The scope * belongs to operator keys (tenant_id *).');
    case 'NO_OPERATOR_SCOPE':
      return invalid('/scopes', 'scope', 'An operator key (tenant_id *) holds the scope *.');
  }
}

/** Returns the scopes that the caller may grant, sorted. @throws FORBIDDEN, TENANT_MISMATCH, VALIDATION_ERROR */
export function scopesToGive(
  context: RequestContext,
  tenantId: Reach,
  wanted: readonly string[],
): readonly GrantedScope[] {
  const result = checkGrant(context.principal, tenantId, wanted);
  if (result.reason !== null) throw problemOf(result);
  return result.scopes;
}

/** @throws NOT_FOUND if there is no such tenant */
export async function requireTenant(tenants: Tenants, tenantId: Reach): Promise<void> {
  if (tenantId !== ANY_TENANT && (await tenants.within(ANY_TENANT).get(tenantId)) === null) {
    throw problem('NOT_FOUND', { message: 'No such tenant.' });
  }
}

const notHeld = (scopes: readonly GrantedScope[]): Problem =>
  problem('FORBIDDEN', { message: `This key cannot grant scopes that it does not hold: ${scopes.join(', ')}.` });

/** @throws FORBIDDEN if the caller lacks one of the scopes */
export function requireHeld(context: RequestContext, scopes: readonly GrantedScope[]): void {
  const missing = notGrantable(scopes, context.principal.grantedScopes);
  if (missing.length > 0) throw notHeld(missing);
}

/**
 * Returns the tenant of a new record: the one that the body names, else the caller's own or the one that the request names.
 *
 * @throws TENANT_REQUIRED, TENANT_MISMATCH, FORBIDDEN, VALIDATION_ERROR if body and request of an operator differ
 */
export function targetOf(context: RequestContext, named: string | undefined): Reach {
  const own = context.principal.tenantId ?? context.tenantId;
  const target = named ?? own;
  if (target === null) throw problem('TENANT_REQUIRED', { message: 'Name the tenant in tenant_id.' });
  // A tenant's key that names another tenant is a mismatch, checked below.
  if (named !== undefined && context.principal.tenantId === null && own !== null && own !== named) {
    throw invalid('/tenant_id', 'tenant', 'Must equal the tenant that the request names.');
  }
  const rejection = checkTenant(context.principal, target);
  if (rejection) throw problemOf(rejection);
  if (target === ANY_TENANT || isTenantId(target)) return target;
  throw invalid('/tenant_id', 'pattern', 'Must be a tenant identifier.');
}

/** A role to be given. */
interface GrantedRole {
  readonly role_id: string;
  readonly scopes: readonly GrantedScope[];
}

/** Returns a built-in role or a role of the tenant; undefined if it is missing, another tenant's, or being deleted. */
export async function findRole(roles: RoleStore, tenantId: Reach, roleId: string): Promise<GrantedRole | undefined> {
  const builtIn = builtInRole(roleId);
  if (builtIn) return builtIn;
  if (!isIdOf('role', roleId) || tenantId === ANY_TENANT) return undefined;
  const found = await roles.within(tenantId).get(roleId);
  return found === null || found.closed_at !== null ? undefined : found;
}

/** Checks that the caller may give this role within the tenant. @throws FORBIDDEN, VALIDATION_ERROR at `path` */
export function requireGrantable(context: RequestContext, tenantId: Reach, role: GrantedRole, path: string): void {
  const operators = role.scopes.includes(OPERATOR_SCOPE);
  if (operators && tenantId !== ANY_TENANT) {
    throw invalid(path, 'role', 'Only keys and actors of no tenant (tenant_id *) take the role operator.');
  }
  if (!operators && tenantId === ANY_TENANT) {
    throw invalid(path, 'role', 'A key or actor of no tenant takes only the role operator.');
  }
  requireHeld(context, role.scopes);
}

/** Returns the roles of `role_ids`. @throws VALIDATION_ERROR for a missing role, FORBIDDEN for one not held */
export async function rolesToGive(
  roles: RoleStore,
  context: RequestContext,
  tenantId: Reach,
  roleIds: readonly string[],
): Promise<readonly GrantedRole[]> {
  const found: GrantedRole[] = [];
  for (const [index, roleId] of roleIds.entries()) {
    const role = await findRole(roles, tenantId, roleId);
    if (!role) throw invalid(`/role_ids/${index}`, 'role', 'No such role.');
    requireGrantable(context, tenantId, role, `/role_ids/${index}`);
    found.push(role);
  }
  return found;
}

/** Returns whether these roles exist after they were given (see RolesInReach.close). */
export async function rolesExist(roles: RoleStore, tenantId: Reach, roleIds: readonly string[]): Promise<boolean> {
  for (const roleId of roleIds) if (!(await findRole(roles, tenantId, roleId))) return false;
  return true;
}
