import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { ActorKind } from '../domain/actor-states.js';
import { reachOf } from '../domain/key-grant.js';
import type { KeyCheck } from './check-api-key.js';
import { areStillThere, rolesToGive, targetOf } from './grants.js';
import { platformAct } from './platform-act.js';
import type { ActorQuery, ActorRecord, ActorStore } from './ports/actor-store.js';
import type { RoleStore } from './ports/role-store.js';
import type { Tenants } from './ports.js';

export interface ActorDeps extends WorkDeps {
  readonly actors: ActorStore;
  readonly roles: RoleStore;
  readonly tenants: Tenants;
  readonly check: KeyCheck;
  readonly outbox: EffectRelay;
  readonly clock: Clock;
}

export interface NewActor {
  readonly tenant_id?: string | undefined;
  readonly name: string;
  readonly kind?: ActorKind | undefined;
  readonly role_ids?: readonly string[] | undefined;
}

export const ACTORS = 'actors';

/**
 * Makes an actor: a person or a system that keys are bound to. @throws TENANT_REQUIRED, TENANT_MISMATCH, FORBIDDEN (roles
 * not held), VALIDATION_ERROR (no such role), NOT_FOUND (no such tenant), CONFLICT (a role is being deleted).
 */
export async function createActor(deps: ActorDeps, context: RequestContext, input: NewActor): Promise<ActorRecord> {
  requireScope(context, 'admin');
  const tenantId = targetOf(context, input.tenant_id);
  if (tenantId !== ANY_TENANT && (await deps.tenants.within(ANY_TENANT).get(tenantId)) === null) {
    throw problem('NOT_FOUND', { message: 'No such tenant.' });
  }
  const roleIds = [...new Set(input.role_ids ?? [])].sort();
  await rolesToGive(deps.roles, context, tenantId, roleIds);
  const nowMs = deps.clock.nowMs();
  const { ids } = forWork(deps, context, 'create-actor');
  const actor: ActorRecord = {
    actor_id: ids.next('actor'),
    tenant_id: tenantId,
    name: input.name,
    kind: input.kind ?? 'HUMAN',
    status: 'ACTIVE',
    role_ids: roleIds,
    created_at: new Date(nowMs),
    created_by: context.principal.keyId,
    updated_at: new Date(nowMs),
  };
  const payload = { subject: actor.actor_id, kind: actor.kind, role_ids: roleIds };
  const pending = [platformAct(ids, context, { type: 'actor.created', tenantId, atMs: nowMs, payload })];
  if (!(await deps.actors.insert(actor, pending))) return madeBefore(deps, actor);
  if (!(await areStillThere(deps.roles, tenantId, roleIds))) return withoutRoles(deps, actor);
  await deps.outbox.relay(ACTORS, actor.actor_id, pending);
  return actor;
}

async function madeBefore(deps: ActorDeps, actor: ActorRecord): Promise<ActorRecord> {
  const standing = await deps.actors.within(actor.tenant_id).get(actor.actor_id);
  if (standing === null) throw new Error('a fresh actor collided with a stored one');
  return standing;
}

/** A role went while it was given: nobody is left with it, and the caller is told. */
async function withoutRoles(deps: ActorDeps, actor: ActorRecord): Promise<never> {
  const actors = deps.actors.within(actor.tenant_id);
  for (const removeRole of actor.role_ids) {
    await actors.change(actor.actor_id, { from: {}, set: { updated_at: actor.updated_at }, removeRole, pending: [] });
  }
  throw problem('CONFLICT', { message: 'A role of the actor is being deleted; the actor was made without roles.' });
}

/** Actors in the caller's reach. */
export async function listActors(
  deps: Pick<ActorDeps, 'actors'>,
  context: RequestContext,
  query: ActorQuery,
): Promise<Page<ActorRecord>> {
  requireScope(context, 'admin');
  const rows = await deps.actors.within(reachOf(context.principal, context.tenantId)).list(query);
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.actor_id }));
}

/** Null for an actor that is not there and for one out of reach: the two must not differ. */
export async function getActor(
  deps: Pick<ActorDeps, 'actors'>,
  context: RequestContext,
  actorId: string,
): Promise<ActorRecord | null> {
  requireScope(context, 'admin');
  if (!isIdOf('actor', actorId)) return null;
  return deps.actors.within(reachOf(context.principal, context.tenantId)).get(actorId);
}
