import type { RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { ACTOR_MACHINE, type ActorKind, type ActorStatus } from '../domain/actor-states.js';
import { ACTORS, type ActorDeps, getActor } from './create-actor.js';
import { findRole, judgeRole } from './grants.js';
import { platformAct } from './platform-act.js';
import type { ActorChange, ActorRecord } from './ports/actor-store.js';

export interface ActorPatch {
  readonly actorId: string;
  readonly name?: string | undefined;
  readonly kind?: ActorKind | undefined;
  readonly status?: ActorStatus | undefined;
}

export interface RoleOfActor {
  readonly actorId: string;
  readonly roleId: string;
}

const MAX_ATTEMPTS = 5;

/**
 * Renames an actor, suspends it or lets it go on. Keys of a suspended actor let nobody in: at once in this process, within
 * 5 s in any other. What is as wanted already is no change. @throws NOT_FOUND
 */
export async function changeActor(deps: ActorDeps, context: RequestContext, patch: ActorPatch): Promise<ActorRecord> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await actorInReach(deps, context, patch.actorId);
    const change = changeOf(deps, context, standing, patch);
    if (change.pending.length === 0) return standing;
    const changed = await written(deps, standing, change);
    if (changed !== null) return changed;
  }
  throw problem('CONFLICT', { message: 'The actor is being changed by others; try again.' });
}

/** Gives an actor a role; one that it has already is no change. @throws NOT_FOUND (actor or role), FORBIDDEN, VALIDATION_ERROR */
export async function giveRole(
  deps: ActorDeps,
  context: RequestContext,
  { actorId, roleId }: RoleOfActor,
): Promise<ActorRecord> {
  const standing = await actorInReach(deps, context, actorId);
  const role = await findRole(deps.roles, standing.tenant_id, roleId);
  if (!role) throw problem('NOT_FOUND');
  judgeRole(context, standing.tenant_id, role, '/role_id');
  const changed = await written(deps, standing, {
    from: { lacksRole: roleId },
    addRole: roleId,
    ...acted(deps, context, standing, 'actor.role-given', { role_id: roleId }),
  });
  if (await findRole(deps.roles, standing.tenant_id, roleId)) return changed ?? actorInReach(deps, context, actorId);
  // The role went meanwhile, and its deletion may not have seen this actor.
  await takeRole(deps, context, { actorId, roleId });
  throw problem('NOT_FOUND');
}

/** Takes a role from an actor; one that it lacks is no change. @throws NOT_FOUND for the actor */
export async function takeRole(
  deps: ActorDeps,
  context: RequestContext,
  { actorId, roleId }: RoleOfActor,
): Promise<ActorRecord> {
  const standing = await actorInReach(deps, context, actorId);
  const changed = await written(deps, standing, {
    from: { hasRole: roleId },
    removeRole: roleId,
    ...acted(deps, context, standing, 'actor.role-taken', { role_id: roleId }),
  });
  return changed ?? actorInReach(deps, context, actorId);
}

async function actorInReach(deps: ActorDeps, context: RequestContext, actorId: string): Promise<ActorRecord> {
  const found = await getActor(deps, context, actorId);
  if (found === null) throw problem('NOT_FOUND');
  return found;
}

/** Null when the actor is no longer as the change needs it. */
async function written(deps: ActorDeps, standing: ActorRecord, change: ActorChange): Promise<ActorRecord | null> {
  const changed = await deps.actors.within(standing.tenant_id).change(standing.actor_id, change);
  if (changed === null) return null;
  deps.check.forgetAll();
  await deps.outbox.relay(ACTORS, standing.actor_id, change.pending);
  return changed;
}

function acted(
  deps: ActorDeps,
  context: RequestContext,
  standing: ActorRecord,
  type: string,
  more: Readonly<Record<string, string | string[]>>,
) {
  const atMs = deps.clock.nowMs();
  const payload = { subject: standing.actor_id, ...more };
  return {
    set: { updated_at: new Date(atMs) },
    pending: [platformAct(deps.ids, context, { type, tenantId: standing.tenant_id, atMs, payload })],
  };
}

function changeOf(deps: ActorDeps, context: RequestContext, standing: ActorRecord, patch: ActorPatch): ActorChange {
  const fields = (['name', 'kind'] as const).filter(
    (field) => patch[field] !== undefined && patch[field] !== standing[field],
  );
  const isMoved = patch.status !== undefined && patch.status !== standing.status;
  const action = patch.status === 'SUSPENDED' ? 'suspend' : 'reactivate';
  const step = isMoved ? transition(ACTOR_MACHINE, standing.status, action) : null;
  const acts = [
    ...(fields.length > 0 ? [acted(deps, context, standing, 'actor.updated', { changed: fields })] : []),
    ...(step?.emits ?? []).map((type) => acted(deps, context, standing, type, {})),
  ];
  return {
    from: { status: standing.status },
    set: {
      ...(fields.includes('name') && patch.name !== undefined ? { name: patch.name } : {}),
      ...(fields.includes('kind') && patch.kind !== undefined ? { kind: patch.kind } : {}),
      ...(step === null ? {} : { status: step.to }),
      updated_at: new Date(deps.clock.nowMs()),
    },
    pending: acts.flatMap(({ pending }) => pending),
  };
}
