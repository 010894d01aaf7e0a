import type { RequestContext } from '../../../shared/auth/context.js';
import { builtInRole } from '../../../shared/auth/roles.js';
import { type GrantedScope, notGrantable, OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { fault, type Problem, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { type GrantRefusal, judgePlace, type Reach } from '../domain/key-grant.js';
import type { RoleStore } from './ports/role-store.js';

export const invalid = (path: string, code: string, message: string): Problem =>
  problem('VALIDATION_ERROR', { errors: [fault(path, code, message)] });

/** The answer to a grant that is refused. */
export function refusalOf(refusal: GrantRefusal): Problem {
  switch (refusal.reason) {
    case 'FOREIGN_TENANT':
      return problem('TENANT_MISMATCH');
    case 'OPERATORS_ONLY':
      return problem('FORBIDDEN', { message: 'Only a platform operator makes what belongs to operators.' });
    case 'NOT_HELD':
      return notHeld(refusal.scopes);
    case 'UNKNOWN_SCOPES':
      return problem('VALIDATION_ERROR', {
        errors: refusal.indexes.map((index) => fault(`/scopes/${index}`, 'scope', 'Not a scope of this service.')),
      });
    case 'OPERATOR_SCOPE_IN_TENANT':
      return invalid(`/scopes/${refusal.index}`, 'scope', 'The scope * belongs to operator keys (tenant_id *).');
    case 'NO_OPERATOR_SCOPE':
      return invalid('/scopes', 'scope', 'An operator key (tenant_id *) holds the scope *.');
  }
}

const notHeld = (scopes: readonly GrantedScope[]): Problem =>
  problem('FORBIDDEN', { message: `This key cannot grant what it does not hold: ${scopes.join(', ')}.` });

/** @throws FORBIDDEN when the caller lacks one of the scopes: nobody gives what they do not hold. */
export function requireHeld(context: RequestContext, scopes: readonly GrantedScope[]): void {
  const missing = notGrantable(scopes, context.principal.grantedScopes);
  if (missing.length > 0) throw notHeld(missing);
}

/**
 * Whose record is to be made: the tenant that the body names, else the caller's own or the one that the request names.
 * @throws TENANT_REQUIRED, TENANT_MISMATCH, FORBIDDEN, VALIDATION_ERROR for an operator that contradicts itself
 */
export function targetOf(context: RequestContext, named: string | undefined): Reach {
  const own = context.principal.tenantId ?? context.tenantId;
  const target = named ?? own;
  if (target === null) throw problem('TENANT_REQUIRED', { message: 'Name the tenant in tenant_id.' });
  // A tenant's key naming another tenant is a mismatch, judged below; an operator contradicting itself is not.
  if (named !== undefined && context.principal.tenantId === null && own !== null && own !== named) {
    throw invalid('/tenant_id', 'tenant', 'Differs from the tenant that the request names.');
  }
  const refusal = judgePlace(context.principal, target);
  if (refusal) throw refusalOf(refusal);
  return target as Reach;
}

/** A role as somebody is about to give it. */
export interface GivenRole {
  readonly role_id: string;
  readonly scopes: readonly GrantedScope[];
}

/** The role, built-in or of the tenant's own; undefined for a missing one, another tenant's, and one being deleted. */
export async function findRole(roles: RoleStore, tenantId: Reach, roleId: string): Promise<GivenRole | undefined> {
  const builtIn = builtInRole(roleId);
  if (builtIn) return builtIn;
  if (!isIdOf('role', roleId) || tenantId === ANY_TENANT) return undefined;
  const found = await roles.within(tenantId).get(roleId);
  return found === null || found.closed_at !== null ? undefined : found;
}

/** May this role be given to somebody of this tenant? @throws FORBIDDEN, VALIDATION_ERROR at `path` */
export function judgeRole(context: RequestContext, tenantId: Reach, role: GivenRole, path: string): void {
  const operators = role.scopes.includes(OPERATOR_SCOPE);
  if (operators && tenantId !== ANY_TENANT) {
    throw invalid(path, 'role', 'The role operator is for those who belong to no tenant (tenant_id *).');
  }
  if (!operators && tenantId === ANY_TENANT) {
    throw invalid(path, 'role', 'Who belongs to no tenant takes the role operator alone.');
  }
  requireHeld(context, role.scopes);
}

/** The roles of a body's `role_ids`. @throws VALIDATION_ERROR for one that is not there, FORBIDDEN for one not held */
export async function rolesToGive(
  roles: RoleStore,
  context: RequestContext,
  tenantId: Reach,
  roleIds: readonly string[],
): Promise<readonly GivenRole[]> {
  const given: GivenRole[] = [];
  for (const [index, roleId] of roleIds.entries()) {
    const role = await findRole(roles, tenantId, roleId);
    if (!role) throw invalid(`/role_ids/${index}`, 'role', 'No such role.');
    judgeRole(context, tenantId, role, `/role_ids/${index}`);
    given.push(role);
  }
  return given;
}

/** Are these roles still there, after they were given? See RolesInReach.close. */
export async function areStillThere(roles: RoleStore, tenantId: Reach, roleIds: readonly string[]): Promise<boolean> {
  for (const roleId of roleIds) if (!(await findRole(roles, tenantId, roleId))) return false;
  return true;
}
