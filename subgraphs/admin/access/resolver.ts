import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { shownExtra } from '../../../shared/graph/extra.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import {
  type ActorDeps,
  changeActor,
  createActor,
  getActor,
  giveRole,
  listActors,
  namedActors,
  takeRole,
} from './actors.js';
import { getApiKey, listApiKeys, namedApiKeys, revokeApiKey, rotateApiKey } from './api-keys.js';
import { type ApiKeyDeps, type CreatedKey, createApiKey } from './create-api-key.js';
import { apiKeyStatusAt, DEFAULT_GRACE_SECONDS } from './domain/api-key-status.js';
import type { ShownRole } from './domain/role-list.js';
import type { ActorRecord, ApiKeyRecord } from './ports.js';
import { changeRole, createRole, deleteRole, getRole, listRoles, type RoleDeps } from './roles.js';
import { Actor, ActorChangeInput, ActorFilter, ActorInput, ActorPage } from './schema/actor.js';
import { ApiKey, ApiKeyFilter, ApiKeyInput, ApiKeyPage, CreatedApiKey, RotationInput } from './schema/api-key.js';
import { Role, RoleChangeInput, RoleFilter, RoleInput, RolePage } from './schema/role.js';

const ACTOR_ID = { description: 'Identifier of the actor.' };
const ROLE_ID = { description: 'Name of a built-in role, or id of a role.' };
const KEY_ID = { description: 'Identifier of the key.' };

const shownActor = showing(Actor, ({ extra }: ActorRecord) => shownExtra(extra));

export type ActorReadDeps = Pick<ActorDeps, 'actors'>;
export type ApiKeyReadDeps = Pick<ApiKeyDeps, 'keys' | 'clock'>;

/** Resolves references to actors under the scope of `actor`. */
export const actorReferences = (deps: ActorReadDeps) =>
  referencesTo('actor_id', 'actor', async (context, ids) => (await namedActors(deps, context, ids)).map(shownActor));

/** The person of a change; null removes it. */
const personIn = ({ email, subject }: ActorChangeInput): Pick<ActorChangeInput, 'email' | 'subject'> => ({
  ...(email === undefined ? {} : { email }),
  ...(subject === undefined ? {} : { subject }),
});

@Resolver()
export class ActorResolver {
  readonly #deps: ActorDeps;

  constructor(deps: ActorDeps) {
    this.#deps = deps;
  }

  @Mutation(() => Actor, { description: 'Creates an actor.' })
  async createActor(@Arg('input', () => ActorInput) input: ActorInput, @Ctx() context: RequestContext): Promise<Actor> {
    return shownActor(await createActor(this.#deps, context, { ...withoutNulls(input), name: input.name }));
  }

  @Query(() => ActorPage, { description: 'Lists the actors in reach.' })
  async actors(@Args(() => ActorFilter) filter: ActorFilter, @Ctx() context: RequestContext): Promise<Page<Actor>> {
    return mapPage(await listActors(this.#deps, context, listQueryOf(filter)), shownActor);
  }

  @Query(() => Actor, { nullable: true, description: 'Returns an actor; null if it is not in reach.' })
  async actor(
    @Arg('actor_id', () => String, ACTOR_ID) actorId: string,
    @Ctx() context: RequestContext,
  ): Promise<Actor | null> {
    const found = await getActor(this.#deps, context, actorId);
    return found && shownActor(found);
  }

  @Mutation(() => Actor, { description: 'Renames, suspends or reactivates an actor, or binds it to a person.' })
  async changeActor(
    @Arg('actor_id', () => String, ACTOR_ID) actorId: string,
    @Arg('input', () => ActorChangeInput) input: ActorChangeInput,
    @Ctx() context: RequestContext,
  ): Promise<Actor> {
    return shownActor(await changeActor(this.#deps, context, { ...withoutNulls(input), ...personIn(input), actorId }));
  }

  @Mutation(() => Actor, { description: 'Gives an actor a role; a role that it has already is no change.' })
  async giveRole(
    @Arg('actor_id', () => String, ACTOR_ID) actorId: string,
    @Arg('role_id', () => String, ROLE_ID) roleId: string,
    @Ctx() context: RequestContext,
  ): Promise<Actor> {
    return shownActor(await giveRole(this.#deps, context, { actorId, roleId }));
  }

  @Mutation(() => Actor, { description: 'Takes a role from an actor; a role that it lacks is no change.' })
  async takeRole(
    @Arg('actor_id', () => String, ACTOR_ID) actorId: string,
    @Arg('role_id', () => String, ROLE_ID) roleId: string,
    @Ctx() context: RequestContext,
  ): Promise<Actor> {
    return shownActor(await takeRole(this.#deps, context, { actorId, roleId }));
  }
}

/** Picks the members of the class, so that the HMAC of a stored key stays private. */
const shownKey = (key: ApiKeyRecord, nowMs: number): ApiKey =>
  shownKeyAt({ ...key, status: apiKeyStatusAt(key, nowMs) });
const shownKeyAt = showing(ApiKey, (_: ApiKeyRecord & Pick<ApiKey, 'status'>) => ({}));

/** Resolves references to API keys under the scope of `apiKey`. */
export const apiKeyReferences = (deps: ApiKeyReadDeps) =>
  referencesTo('key_id', 'key', async (context, ids) => {
    const found = await namedApiKeys(deps, context, ids);
    return found.map((key) => shownKey(key, deps.clock.nowMs()));
  });

@Resolver()
export class ApiKeyResolver {
  readonly #deps: ApiKeyDeps;

  constructor(deps: ApiKeyDeps) {
    this.#deps = deps;
  }

  @Mutation(() => CreatedApiKey, { description: 'Creates an API key; the answer shows it once.' })
  async createApiKey(
    @Arg('input', () => ApiKeyInput) input: ApiKeyInput,
    @Ctx() context: RequestContext,
  ): Promise<CreatedApiKey> {
    return this.#withSecret(await createApiKey(this.#deps, context, { ...withoutNulls(input), name: input.name }));
  }

  @Mutation(() => CreatedApiKey, { description: 'Gives an API key a successor; the answer shows it once.' })
  async rotateApiKey(
    @Arg('key_id', () => String, KEY_ID) keyId: string,
    @Arg('input', () => RotationInput) input: RotationInput,
    @Ctx() context: RequestContext,
  ): Promise<CreatedApiKey> {
    const graceSeconds = input.grace_seconds ?? DEFAULT_GRACE_SECONDS;
    return this.#withSecret(await rotateApiKey(this.#deps, context, { keyId, graceSeconds }));
  }

  @Query(() => ApiKey, { nullable: true, description: 'Returns an API key; null if it is not in reach.' })
  async apiKey(
    @Arg('key_id', () => String, KEY_ID) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<ApiKey | null> {
    const found = await getApiKey(this.#deps, context, keyId);
    return found && shownKey(found, this.#deps.clock.nowMs());
  }

  @Query(() => ApiKeyPage, { description: 'Lists the API keys in reach, including revoked and expired ones.' })
  async apiKeys(@Args(() => ApiKeyFilter) filter: ApiKeyFilter, @Ctx() context: RequestContext): Promise<Page<ApiKey>> {
    const page = await listApiKeys(this.#deps, context, listQueryOf(filter));
    return mapPage(page, (key) => shownKey(key, this.#deps.clock.nowMs()));
  }

  @Mutation(() => ApiKey, { description: 'Revokes an API key for good; its record stays.' })
  async revokeApiKey(
    @Arg('key_id', () => String, KEY_ID) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<ApiKey> {
    return shownKey(await revokeApiKey(this.#deps, context, keyId), this.#deps.clock.nowMs());
  }

  #withSecret({ record, apiKey }: CreatedKey): CreatedApiKey {
    return { ...shownKey(record, this.#deps.clock.nowMs()), api_key: apiKey };
  }
}

const shownRole = showing(Role, (_: ShownRole) => ({}));

@Resolver()
export class RoleResolver {
  readonly #deps: RoleDeps;

  constructor(deps: RoleDeps) {
    this.#deps = deps;
  }

  @Mutation(() => Role, { description: 'Creates a role of a tenant.' })
  async createRole(@Arg('input', () => RoleInput) input: RoleInput, @Ctx() context: RequestContext): Promise<Role> {
    return shownRole(
      await createRole(this.#deps, context, { ...withoutNulls(input), name: input.name, scopes: input.scopes }),
    );
  }

  @Query(() => RolePage, { description: 'Lists the built-in roles and the roles in reach.' })
  async roles(@Args(() => RoleFilter) filter: RoleFilter, @Ctx() context: RequestContext): Promise<Page<Role>> {
    return mapPage(await listRoles(this.#deps, context, listQueryOf(filter)), shownRole);
  }

  @Query(() => Role, { nullable: true, description: 'Returns a role; null if it is not in reach.' })
  async role(
    @Arg('role_id', () => String, ROLE_ID) roleId: string,
    @Ctx() context: RequestContext,
  ): Promise<Role | null> {
    const found = await getRole(this.#deps, context, roleId);
    return found && shownRole(found);
  }

  @Mutation(() => Role, { description: 'Changes a role and the scopes of its holders.' })
  async changeRole(
    @Arg('role_id', () => String, ROLE_ID) roleId: string,
    @Arg('input', () => RoleChangeInput) input: RoleChangeInput,
    @Ctx() context: RequestContext,
  ): Promise<Role> {
    return shownRole(await changeRole(this.#deps, context, { ...withoutNulls(input), roleId }));
  }

  @Mutation(() => Role, { description: 'Deletes a role without holders; returns the deleted role.' })
  async deleteRole(
    @Arg('role_id', () => String, ROLE_ID) roleId: string,
    @Ctx() context: RequestContext,
  ): Promise<Role> {
    return shownRole(await deleteRole(this.#deps, context, roleId));
  }
}
