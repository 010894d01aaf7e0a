import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { storedExtra } from '../../../shared/graph/extra.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { changeRow } from '../../../shared/records/conflicts.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { platformAct } from '../acts/index.js';
import { reachOf } from '../tenants/domain.js';
import type { Tenants } from '../tenants/index.js';
import { ACTOR_MACHINE, type ActorKind, type ActorStatus } from './domain/states.js';
import { findRole, requireGrantable, requireTenant, rolesExist, rolesToGive, targetOf } from './grants.js';
import type { ActorChange, ActorRecord, ActorStore, RoleStore } from './ports.js';

export interface ActorDeps extends WorkDeps {
  readonly actors: ActorStore;
  readonly roles: RoleStore;
  readonly tenants: Tenants;
  readonly clock: Clock;
}

interface NewActor {
  readonly tenant_id?: string | undefined;
  readonly name: string;
  readonly kind?: ActorKind | undefined;
  readonly email?: string | null | undefined;
  readonly subject?: string | null | undefined;
  readonly role_ids?: readonly string[] | undefined;
  readonly extra?: JsonObject | undefined;
}

/**
 * Creates an actor: a person or a system that keys are bound to.
 *
 * @throws TENANT_REQUIRED, TENANT_MISMATCH, FORBIDDEN (roles not held), VALIDATION_ERROR (no such role), NOT_FOUND (no such
 * tenant), CONFLICT (a role is being deleted)
 */
export async function createActor(deps: ActorDeps, context: RequestContext, input: NewActor): Promise<ActorRecord> {
  requireScope(context, 'admin');
  const tenantId = targetOf(context, input.tenant_id);
  await requireTenant(deps.tenants, tenantId);
  const roleIds = [...new Set(input.role_ids ?? [])].sort();
  await rolesToGive(deps.roles, context, tenantId, roleIds);
  const extra = storedExtra(input.extra);
  const nowMs = deps.clock.nowMs();
  const { ids } = forWork(deps, context, 'create-actor');
  const actor: ActorRecord = {
    actor_id: ids.next('actor'),
    tenant_id: tenantId,
    name: input.name,
    kind: input.kind ?? 'HUMAN',
    status: 'ACTIVE',
    email: input.email?.toLowerCase() ?? null,
    subject: input.subject ?? null,
    role_ids: roleIds,
    ...extra,
    created_at: new Date(nowMs),
    created_by: context.principal.keyId,
    updated_at: new Date(nowMs),
  };
  const payload = { subject: actor.actor_id, kind: actor.kind, role_ids: roleIds };
  const pending = [platformAct(ids, context, { type: 'actor.created', tenantId, atMs: nowMs, payload })];
  const actors = deps.actors.within(tenantId);
  if (!(await deps.actors.insert(actor, pending))) {
    const current = await actors.get(actor.actor_id);
    if (current === null) throw new Error('the identifier of a new actor is taken');
    return current;
  }
  if (await rolesExist(deps.roles, tenantId, roleIds)) return actor;
  // One of the roles was deleted while it was given.
  for (const removeRole of roleIds) {
    await actors.change(actor.actor_id, { from: {}, set: { updated_at: actor.updated_at }, removeRole, pending: [] });
  }
  throw problem('CONFLICT', { message: 'A role of the actor is being deleted; the actor was created without roles.' });
}

/** Lists the actors in the caller's reach. */
export async function listActors(
  deps: Pick<ActorDeps, 'actors'>,
  context: RequestContext,
  query: ListQuery<ActorRecord>,
): Promise<Page<ActorRecord>> {
  requireScope(context, 'admin');
  return deps.actors.within(reachOf(context.principal, context.tenantId)).page(query);
}

/** @returns null alike for a missing actor and for one out of reach. */
export async function getActor(
  deps: Pick<ActorDeps, 'actors'>,
  context: RequestContext,
  actorId: string,
): Promise<ActorRecord | null> {
  requireScope(context, 'admin');
  if (!isIdOf('actor', actorId)) return null;
  return deps.actors.within(reachOf(context.principal, context.tenantId)).get(actorId);
}

/** Returns the actors with these identifiers, by the rule of `getActor`. */
export async function namedActors(
  deps: Pick<ActorDeps, 'actors'>,
  context: RequestContext,
  actorIds: readonly string[],
): Promise<readonly ActorRecord[]> {
  requireScope(context, 'admin');
  return deps.actors.within(reachOf(context.principal, context.tenantId)).among(actorIds);
}

interface ActorPatch {
  readonly actorId: string;
  readonly name?: string | undefined;
  readonly kind?: ActorKind | undefined;
  readonly status?: ActorStatus | undefined;
  /** Null removes it. */
  readonly email?: string | null | undefined;
  readonly subject?: string | null | undefined;
}

interface RoleOfActor {
  readonly actorId: string;
  readonly roleId: string;
}

/**
 * Renames, suspends or reactivates an actor, or binds it to a person of the sign-in provider. Keys of a suspended actor are rejected at once in this process, within 5 s in any
 * other. A request that changes nothing leaves no entry.
 *
 * @throws NOT_FOUND, CONFLICT, FORBIDDEN (binding a person to roles that the caller does not hold)
 */
export const changeActor = async (deps: ActorDeps, context: RequestContext, patch: ActorPatch): Promise<ActorRecord> =>
  changeRow(
    'actor',
    () => getActor(deps, context, patch.actorId),
    async (current) => {
      const change = changeOf(deps, context, current, lowerCased(patch));
      // Who binds a person to an actor gives that person the actor's roles.
      if ('email' in change.set || 'subject' in change.set) {
        await rolesToGive(deps.roles, context, current.tenant_id, current.role_ids);
      }
      return change.pending.length === 0 ? current : write(deps, current, change);
    },
  );

/** Gives an actor a role; a role that it has already is no change. @throws NOT_FOUND (actor or role), FORBIDDEN, VALIDATION_ERROR */
export async function giveRole(
  deps: ActorDeps,
  context: RequestContext,
  { actorId, roleId }: RoleOfActor,
): Promise<ActorRecord> {
  const current = await actorInReach(deps, context, actorId);
  const role = await findRole(deps.roles, current.tenant_id, roleId);
  if (!role) throw problem('NOT_FOUND');
  requireGrantable(context, current.tenant_id, role, '/role_id');
  const changed = await write(deps, current, {
    from: { lacksRole: roleId },
    addRole: roleId,
    ...actWith(deps, context, current, 'actor.role-given', { role_id: roleId }),
  });
  if (await findRole(deps.roles, current.tenant_id, roleId)) return changed ?? actorInReach(deps, context, actorId);
  // The role was deleted meanwhile; the deletion may not have seen this actor.
  await takeRole(deps, context, { actorId, roleId });
  throw problem('NOT_FOUND');
}

/** Takes a role from an actor; a role that it lacks is no change. @throws NOT_FOUND for the actor */
export async function takeRole(
  deps: ActorDeps,
  context: RequestContext,
  { actorId, roleId }: RoleOfActor,
): Promise<ActorRecord> {
  const current = await actorInReach(deps, context, actorId);
  const changed = await write(deps, current, {
    from: { hasRole: roleId },
    removeRole: roleId,
    ...actWith(deps, context, current, 'actor.role-taken', { role_id: roleId }),
  });
  return changed ?? actorInReach(deps, context, actorId);
}

const lowerCased = (patch: ActorPatch): ActorPatch =>
  typeof patch.email === 'string' ? { ...patch, email: patch.email.toLowerCase() } : patch;

async function actorInReach(deps: ActorDeps, context: RequestContext, actorId: string): Promise<ActorRecord> {
  const found = await getActor(deps, context, actorId);
  if (found === null) throw problem('NOT_FOUND');
  return found;
}

/** @returns null if the actor is no longer as the change requires. */
const write = ({ actors }: ActorDeps, current: ActorRecord, change: ActorChange): Promise<ActorRecord | null> =>
  actors.within(current.tenant_id).change(current.actor_id, change);

function actWith(
  deps: ActorDeps,
  context: RequestContext,
  current: ActorRecord,
  type: string,
  more: Readonly<Record<string, string | string[]>>,
) {
  const atMs = deps.clock.nowMs();
  const payload = { subject: current.actor_id, ...more };
  return {
    set: { updated_at: new Date(atMs) },
    pending: [platformAct(deps.ids, context, { type, tenantId: current.tenant_id, atMs, payload })],
  };
}

function changeOf(deps: ActorDeps, context: RequestContext, current: ActorRecord, patch: ActorPatch): ActorChange {
  const fields = (['name', 'kind', 'email', 'subject'] as const).filter(
    (field) => patch[field] !== undefined && patch[field] !== current[field],
  );
  const isMoved = patch.status !== undefined && patch.status !== current.status;
  const action = patch.status === 'SUSPENDED' ? 'suspend' : 'reactivate';
  const step = isMoved ? transition(ACTOR_MACHINE, current.status, action) : null;
  const acts = [
    ...(fields.length > 0 ? [actWith(deps, context, current, 'actor.updated', { changed: fields })] : []),
    ...(step?.emits ?? []).map((type) => actWith(deps, context, current, type, {})),
  ];
  return {
    from: { status: current.status },
    set: {
      ...Object.fromEntries(fields.map((field) => [field, patch[field]])),
      ...(step === null ? {} : { status: step.to }),
      updated_at: new Date(deps.clock.nowMs()),
    },
    pending: acts.flatMap(({ pending }) => pending),
  };
}
