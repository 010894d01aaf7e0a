import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { builtInRole } from '../../../shared/auth/roles.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { decodeCursor, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { platformAct } from '../acts/index.js';
import { reachOf } from '../tenants/domain.js';
import type { Tenants } from '../tenants/index.js';
import { BUILT_IN, builtInWithin, compareRoles, type ShownRole } from './domain/role-list.js';
import { invalid, requireTenant, scopesToGive, targetOf } from './grants.js';
import type { ActorStore, ApiKeys, RoleRecord, RoleStore } from './ports.js';

export interface RoleDeps extends WorkDeps {
  readonly roles: RoleStore;
  readonly actors: ActorStore;
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly clock: Clock;
}

interface NewRole {
  readonly tenant_id?: string | undefined;
  readonly name: string;
  readonly description?: string | undefined;
  readonly scopes: readonly string[];
}

interface RolePatch {
  readonly roleId: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

const shown = ({ closed_at: _, ...role }: RoleRecord): ShownRole => ({ ...role, built_in: false });

const nameTaken = () =>
  problem('CONFLICT', { message: 'The tenant has a role with this name already; choose another name.' });

/**
 * Creates a role of a tenant.
 *
 * @throws TENANT_REQUIRED, TENANT_MISMATCH, FORBIDDEN (a scope not held), VALIDATION_ERROR, NOT_FOUND (no such tenant), CONFLICT
 * (the name is taken)
 */
export async function createRole(deps: RoleDeps, context: RequestContext, input: NewRole): Promise<ShownRole> {
  requireScope(context, 'admin');
  const target = targetOf(context, input.tenant_id);
  if (target === ANY_TENANT) throw invalid('/tenant_id', 'tenant', 'A role must belong to one tenant.');
  await requireTenant(deps.tenants, target);
  const scopes = scopesToGive(context, target, input.scopes);
  rejectBuiltInName(input.name);
  const nowMs = deps.clock.nowMs();
  const { ids } = forWork(deps, context, 'create-role');
  const role: RoleRecord = {
    role_id: ids.next('role'),
    tenant_id: target,
    name: input.name,
    description: input.description ?? null,
    scopes,
    created_at: new Date(nowMs),
    created_by: context.principal.keyId,
    updated_at: new Date(nowMs),
    closed_at: null,
  };
  const payload = { role_id: role.role_id, scopes: [...scopes] };
  const pending = [platformAct(ids, context, { type: 'role.created', tenantId: target, atMs: nowMs, payload })];
  if (await deps.roles.insert(role, pending)) return shown(role);
  const current = await deps.roles.within(target).get(role.role_id);
  if (current === null) throw nameTaken();
  return shown(current);
}

/** Lists the built-in roles and the roles in the caller's reach. */
export async function listRoles(
  deps: Pick<RoleDeps, 'roles'>,
  context: RequestContext,
  query: ListQuery<RoleRecord>,
): Promise<Page<ShownRole>> {
  requireScope(context, 'admin');
  const own = await deps.roles.within(reachOf(context.principal, context.tenantId)).list(query);
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const rows = [...own.map(shown), ...builtInWithin({ ...query, after, name: query.where.name })];
  rows.sort((a, b) => compareRoles(a, b, query.order));
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.role_id }));
}

/** @returns null alike for a missing role and for one out of reach. */
export async function getRole(
  deps: Pick<RoleDeps, 'roles'>,
  context: RequestContext,
  roleId: string,
): Promise<ShownRole | null> {
  requireScope(context, 'admin');
  const builtIn = BUILT_IN.find((role) => role.role_id === roleId);
  if (builtIn) return builtIn;
  const found = await ownRole(deps, context, roleId);
  return found && shown(found);
}

/** Changes a role; its holders have the new scopes within 5 s. @throws NOT_FOUND, CONFLICT, FORBIDDEN, VALIDATION_ERROR */
export async function changeRole(deps: RoleDeps, context: RequestContext, patch: RolePatch): Promise<ShownRole> {
  const role = await requireOwnRole(deps, context, patch.roleId, 'changed');
  const tenantId = role.tenant_id;
  const atMs = deps.clock.nowMs();
  const wanted = {
    ...(patch.name === undefined ? {} : { name: patch.name }),
    ...(patch.description === undefined ? {} : { description: patch.description }),
    ...(patch.scopes === undefined ? {} : { scopes: scopesToGive(context, tenantId, patch.scopes) }),
  };
  if (patch.name !== undefined) rejectBuiltInName(patch.name);
  const changed = (['name', 'description', 'scopes'] as const).filter(
    (field) => wanted[field] !== undefined && String(wanted[field]) !== String(role[field]),
  );
  if (changed.length === 0) return shown(role);
  const scopes = changed.includes('scopes') && wanted.scopes ? { scopes: [...wanted.scopes] } : {};
  const payload = { role_id: role.role_id, changed, ...scopes };
  const pending = [platformAct(deps.ids, context, { type: 'role.updated', tenantId, atMs, payload })];
  const stored = await deps.roles
    .within(tenantId)
    .change(role.role_id, { set: { ...wanted, updated_at: new Date(atMs), closed_at: null }, pending });
  if (stored === 'taken') throw nameTaken();
  if (stored === null) throw problem('NOT_FOUND');
  return shown(stored);
}

/** Deletes a role without holders. @throws NOT_FOUND, CONFLICT if an actor or a live key has it, or it is built in */
export async function deleteRole(deps: RoleDeps, context: RequestContext, roleId: string): Promise<ShownRole> {
  const role = await requireOwnRole(deps, context, roleId, 'deleted');
  const tenantId = role.tenant_id;
  const roles = deps.roles.within(tenantId);
  const atMs = deps.clock.nowMs();
  // Closed before the search for holders: a grant checks the role again after giving it (rolesExist).
  const closed = await roles.change(roleId, { set: { closed_at: new Date(atMs) }, pending: [] });
  if (closed === null) throw problem('NOT_FOUND');
  if ((await deps.actors.isRoleHeld(tenantId, roleId)) || (await deps.keys.isRoleHeld(tenantId, roleId, atMs))) {
    await roles.change(roleId, { set: { closed_at: null }, pending: [] });
    throw problem('CONFLICT', { message: 'Actors or keys have the role; take it from them first.' });
  }
  const payload = { role_id: roleId };
  const pending = [platformAct(deps.ids, context, { type: 'role.deleted', tenantId, atMs, payload })];
  await roles.change(roleId, { set: { closed_at: new Date(atMs) }, deleted: true, pending });
  return shown(role);
}

async function ownRole(deps: Pick<RoleDeps, 'roles'>, context: RequestContext, roleId: string) {
  if (!isIdOf('role', roleId)) return null;
  return deps.roles.within(reachOf(context.principal, context.tenantId)).get(roleId);
}

async function requireOwnRole(
  deps: RoleDeps,
  context: RequestContext,
  roleId: string,
  what: string,
): Promise<RoleRecord> {
  requireScope(context, 'admin');
  if (builtInRole(roleId)) throw problem('CONFLICT', { message: `A built-in role cannot be ${what}.` });
  const found = await ownRole(deps, context, roleId);
  if (found === null) throw problem('NOT_FOUND');
  return found;
}

function rejectBuiltInName(name: string): void {
  if (builtInRole(name)) throw nameTaken();
}
