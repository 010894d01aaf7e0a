import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { builtInRole } from '../../../shared/auth/roles.js';
import type { GrantedScope } from '../../../shared/auth/scopes.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { ANY_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { decodeCursor, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { judgeGrant, reachOf } from '../domain/key-grant.js';
import { BUILT_IN, builtInWithin, compareRoles, type ShownRole } from '../domain/role-list.js';
import type { KeyCheck } from './check-api-key.js';
import { invalid, refusalOf, targetOf } from './grants.js';
import { platformAct } from './platform-act.js';
import type { ActorStore } from './ports/actor-store.js';
import type { RoleQuery, RoleRecord, RoleStore } from './ports/role-store.js';
import type { ApiKeys, Tenants } from './ports.js';

export interface RoleDeps extends WorkDeps {
  readonly roles: RoleStore;
  readonly actors: ActorStore;
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly check: KeyCheck;
  readonly outbox: EffectRelay;
  readonly clock: Clock;
}

export interface NewRole {
  readonly tenant_id?: string | undefined;
  readonly name: string;
  readonly description?: string | undefined;
  readonly scopes: readonly string[];
}

export interface RolePatch {
  readonly roleId: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

export const ROLES = 'roles';

const shown = ({ closed_at: _, ...role }: RoleRecord): ShownRole => ({ ...role, built_in: false });

const nameTaken = () => problem('CONFLICT', { message: 'There is a role of this name already.' });

/**
 * Makes a role of a tenant's own. @throws TENANT_REQUIRED, TENANT_MISMATCH, FORBIDDEN (a scope not held), VALIDATION_ERROR,
 * NOT_FOUND (no such tenant), CONFLICT when the name is taken.
 */
export async function createRole(deps: RoleDeps, context: RequestContext, input: NewRole): Promise<ShownRole> {
  requireScope(context, 'admin');
  const target = targetOf(context, input.tenant_id);
  if (target === ANY_TENANT) throw invalid('/tenant_id', 'tenant', 'A role of its own must be some tenant, not all.');
  if ((await deps.tenants.within(ANY_TENANT).get(target)) === null) {
    throw problem('NOT_FOUND', { message: 'No such tenant.' });
  }
  const scopes = scopesToGive(context, target, input.scopes);
  refuseBuiltInName(input.name);
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
  if (!(await deps.roles.insert(role, pending))) {
    const standing = await deps.roles.within(target).get(role.role_id);
    if (standing === null) throw nameTaken();
    return shown(standing);
  }
  await deps.outbox.relay(ROLES, role.role_id, pending);
  return shown(role);
}

/** Built-in roles and those in the caller's reach, in one list. */
export async function listRoles(
  deps: Pick<RoleDeps, 'roles'>,
  context: RequestContext,
  query: RoleQuery,
): Promise<Page<ShownRole>> {
  requireScope(context, 'admin');
  const own = await deps.roles.within(reachOf(context.principal, context.tenantId)).list(query);
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const rows = [...own.map(shown), ...builtInWithin({ ...query, after })];
  rows.sort((a, b) => compareRoles(a, b, query.order));
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.role_id }));
}

/** Null for a role that is not there and for one out of reach: the two must not differ. */
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

/** Changes an own role; its holders have the new scopes within 5 s. @throws NOT_FOUND, CONFLICT, FORBIDDEN, VALIDATION_ERROR */
export async function changeRole(deps: RoleDeps, context: RequestContext, patch: RolePatch): Promise<ShownRole> {
  const role = await ownRoleOrRefuse(deps, context, patch.roleId, 'changed');
  const tenantId = role.tenant_id as TenantId;
  const atMs = deps.clock.nowMs();
  const wanted = {
    ...(patch.name === undefined ? {} : { name: patch.name }),
    ...(patch.description === undefined ? {} : { description: patch.description }),
    ...(patch.scopes === undefined ? {} : { scopes: scopesToGive(context, tenantId, patch.scopes) }),
  };
  if (patch.name !== undefined) refuseBuiltInName(patch.name);
  const changed = (['name', 'description', 'scopes'] as const).filter(
    (field) => wanted[field] !== undefined && String(wanted[field]) !== String(role[field]),
  );
  if (changed.length === 0) return shown(role);
  const scopes = changed.includes('scopes') && wanted.scopes ? { scopes: [...wanted.scopes] } : {};
  const payload = { role_id: role.role_id, changed, ...scopes };
  const pending = [platformAct(deps.ids, context, { type: 'role.updated', tenantId, atMs, payload })];
  const stored = await deps.roles
    .within(tenantId)
    .change(role.role_id, { set: { ...wanted, updated_at: new Date(atMs) }, pending });
  if (stored === 'TAKEN') throw nameTaken();
  if (stored === null) throw problem('NOT_FOUND');
  deps.check.forgetAll();
  await deps.outbox.relay(ROLES, role.role_id, pending);
  return shown(stored);
}

/** Deletes an own role that nobody holds. @throws NOT_FOUND, CONFLICT when an actor or a live key has it, or it is built in */
export async function deleteRole(deps: RoleDeps, context: RequestContext, roleId: string): Promise<ShownRole> {
  const role = await ownRoleOrRefuse(deps, context, roleId, 'deleted');
  const tenantId = role.tenant_id as TenantId;
  const roles = deps.roles.within(tenantId);
  const atMs = deps.clock.nowMs();
  // Closed before it is looked for: who gives it looks again after giving (grants.ts).
  if ((await roles.close(roleId, new Date(atMs))) === null) throw problem('NOT_FOUND');
  if ((await deps.actors.isRoleHeld(tenantId, roleId)) || (await deps.keys.isRoleHeld(tenantId, roleId, atMs))) {
    await roles.reopen(roleId);
    throw problem('CONFLICT', { message: 'The role is in use; take it from its actors and keys first.' });
  }
  const payload = { role_id: roleId };
  const pending = [platformAct(deps.ids, context, { type: 'role.deleted', tenantId, atMs, payload })];
  if (await roles.remove(roleId, pending)) await deps.outbox.relay(ROLES, roleId, pending);
  deps.check.forgetAll();
  return shown(role);
}

async function ownRole(deps: Pick<RoleDeps, 'roles'>, context: RequestContext, roleId: string) {
  if (!isIdOf('role', roleId)) return null;
  return deps.roles.within(reachOf(context.principal, context.tenantId)).get(roleId);
}

async function ownRoleOrRefuse(
  deps: RoleDeps,
  context: RequestContext,
  roleId: string,
  what: string,
): Promise<RoleRecord> {
  requireScope(context, 'admin');
  if (builtInRole(roleId)) throw problem('CONFLICT', { message: `A built-in role is not ${what}.` });
  const found = await ownRole(deps, context, roleId);
  if (found === null) throw problem('NOT_FOUND');
  return found;
}

function scopesToGive(context: RequestContext, tenantId: TenantId, wanted: readonly string[]): readonly GrantedScope[] {
  const verdict = judgeGrant(context.principal, tenantId, wanted);
  if (verdict.reason !== null) throw refusalOf(verdict);
  return verdict.scopes;
}

function refuseBuiltInName(name: string): void {
  if (builtInRole(name)) throw nameTaken();
}
