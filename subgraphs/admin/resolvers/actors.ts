import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { Actor, ActorChangeInput, ActorFilter, ActorInput, ActorPage } from '../schema/actor.js';
import { changeActor, giveRole, takeRole } from '../service/change-actor.js';
import { type ActorDeps, createActor, getActor, listActors } from '../service/create-actor.js';
import type { ActorRecord } from '../service/ports/actor-store.js';
import { listWindowOf, withoutNulls } from './list-window.js';

const ACTOR_ID = 'Identifier of the actor.';
const ROLE_ID = 'A built-in role by name, or an own one by id.';

const shown = (actor: ActorRecord): Actor => ({
  actor_id: actor.actor_id,
  tenant_id: actor.tenant_id,
  name: actor.name,
  kind: actor.kind,
  status: actor.status,
  role_ids: [...actor.role_ids],
  created_at: isoTime(actor.created_at.getTime()),
  created_by: actor.created_by,
  updated_at: isoTime(actor.updated_at.getTime()),
});

@Resolver()
export class ActorResolver {
  readonly #deps: ActorDeps;

  constructor(deps: ActorDeps) {
    this.#deps = deps;
  }

  @Mutation(() => Actor, { description: 'Makes an actor.' })
  async createActor(@Arg('input', () => ActorInput) input: ActorInput, @Ctx() context: RequestContext): Promise<Actor> {
    return shown(await createActor(this.#deps, context, withoutNulls(input)));
  }

  @Query(() => ActorPage, { description: 'Actors in reach.' })
  async actors(@Args(() => ActorFilter) filter: ActorFilter, @Ctx() context: RequestContext): Promise<Page<Actor>> {
    const query = { ...listWindowOf(filter), status: filter.status ?? undefined, kind: filter.kind ?? undefined };
    const page = await listActors(this.#deps, context, query);
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => Actor, { nullable: true, description: 'One actor; null when it is not in reach.' })
  async actor(
    @Arg('actor_id', () => String, { description: ACTOR_ID }) actorId: string,
    @Ctx() context: RequestContext,
  ): Promise<Actor | null> {
    const found = await getActor(this.#deps, context, actorId);
    return found && shown(found);
  }

  @Mutation(() => Actor, { description: 'Renames, suspends or reactivates an actor.' })
  async changeActor(
    @Arg('actor_id', () => String, { description: ACTOR_ID }) actorId: string,
    @Arg('input', () => ActorChangeInput) input: ActorChangeInput,
    @Ctx() context: RequestContext,
  ): Promise<Actor> {
    return shown(await changeActor(this.#deps, context, { ...withoutNulls(input), actorId }));
  }

  @Mutation(() => Actor, { description: 'Gives an actor a role; one that it has already is no change.' })
  async giveRole(
    @Arg('actor_id', () => String, { description: ACTOR_ID }) actorId: string,
    @Arg('role_id', () => String, { description: ROLE_ID }) roleId: string,
    @Ctx() context: RequestContext,
  ): Promise<Actor> {
    return shown(await giveRole(this.#deps, context, { actorId, roleId }));
  }

  @Mutation(() => Actor, { description: 'Takes a role from an actor; one that it lacks is no change.' })
  async takeRole(
    @Arg('actor_id', () => String, { description: ACTOR_ID }) actorId: string,
    @Arg('role_id', () => String, { description: ROLE_ID }) roleId: string,
    @Ctx() context: RequestContext,
  ): Promise<Actor> {
    return shown(await takeRole(this.#deps, context, { actorId, roleId }));
  }
}
